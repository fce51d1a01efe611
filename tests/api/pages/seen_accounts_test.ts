/** @module Pages about accounts name the databases, tables and queries that their reader may know. */

import assert from "node:assert/strict";
import { Browser, browserOf, homeOf, KEY, PASSWORD } from "@/tests/api/login/home.ts";
import { sharedService } from "@/tests/support/service.ts";

const password = `password: ${PASSWORD}`;
const home = homeOf({
  users: `public: {databases: {}}
admin: {password: ${PASSWORD}-admin}
staff: {${password}, userdef: [create, view]}
clerk: {${password}, userdef: [create], databases: {Demo: {access: {Port: [read], Customer: [update]}}}}
whole: {${password}, userdef: [view], databases: {Demo: {}}}
anna: {${password}, databases: {Demo: {access: {"*": [read], Amenity: []}}}, edit: [clerk]}
carl: {${password}, databases: {Demo: {access: {port: [read], Vessel: [create]}}}}
bert: {${password}, apikey: ${KEY}, databases: {Demo: {}}}
`,
});
const service = sharedService({
  ...home,
  files: {
    ...home.files,
    "config/querydefs.cfg": `secret-sums:
  {database: Demo, sqlstr: SELECT 1, execute: [anna]}
open-sums:
  {database: Demo, sqlstr: SELECT 2, execute: [public]}
`,
  },
});

const pageFor = async (login: string, path: string) => {
  const own = login === "admin" ? `${PASSWORD}-admin` : PASSWORD;
  const { status, text } = await (await browserOf(service(), login, own)).get(path);
  assert.equal(status, 200, path);
  return text;
};

Deno.test("attack: the form of an account names nothing on which its sender can hand on no rights", async () => {
  for (
    const [login, path] of [["staff", "/userdef.html?ui.new"], ["clerk", "/userdef.html?ui.new"]] as const
  ) {
    assert.doesNotMatch(await pageFor(login, path), /Booking|Amenity/, `${login} ${path}`);
  }
  assert.doesNotMatch(await pageFor("staff", "/userdef.html?ui.new"), /Demo/);
  const own = await pageFor("clerk", "/userdef.html?ui.new");
  for (const table of ["Port", "Customer"]) {
    assert.match(own, new RegExp(`m\\.\\[&quot;Demo&quot;,&quot;${table}&quot;\\]`));
  }
  const edit = await pageFor("clerk", "/userdef/anna.html?ui.edit");
  assert.match(edit, /m\.\[&quot;Demo&quot;,&quot;Amenity&quot;\]/, "the account names it");
  assert.doesNotMatch(edit, /Booking/);
});

Deno.test("attack: the page of an account has its rights as they are written, for who may not know the tables", async () => {
  for (const login of ["staff", "clerk"]) {
    const text = await pageFor(login, "/userdef/anna.html");
    assert.match(text, /<td>Demo<\/td><td>all others<\/td><td>read<\/td>/, login);
    assert.match(text, /<td>Demo<\/td><td>Amenity<\/td><td><\/td>/, login);
    assert.doesNotMatch(text, /Booking|secret-sums/, login);
  }
  assert.doesNotMatch(await pageFor("staff", "/userdef/anna.html"), /open-sums/);
  assert.match(await pageFor("clerk", "/userdef/anna.html"), /open-sums/);
  const everything = /<td>Demo<\/td><td>all tables<\/td><td>read, create, change, delete<\/td>/;
  assert.match(await pageFor("staff", "/userdef/bert.html"), everything);
  for (const login of ["whole", "anna"]) {
    const text = await pageFor(login, "/userdef/anna.html");
    assert.match(text, /<td>Demo<\/td><td>Booking<\/td><td>read<\/td>/, login);
    assert.doesNotMatch(text, /<td>Amenity<\/td>/, login);
  }
});

Deno.test("attack: an outdated form does not tell whether there is a definition that its sender may not see", async () => {
  const own = { apikey: KEY, Origin: service().url };
  for (const [kind, id] of [["userdef", "anna"], ["querydef", "secret-sums"], ["dbdef", "Demo"]]) {
    for (const version of ["ui.version", "ui.keyversion"]) {
      for (const typed of [{ "s.name": "y" }, {}]) {
        const answers = await Promise.all([id, "nothing"].map(async (each) => {
          const fields = { [version]: "x", "ui.method": "PUT", ...typed };
          const { status, headers, text } = await new Browser(service()).post(
            `/ui/${kind}/${each}`,
            fields,
            own,
          );
          const shown = text.replaceAll(`${each}`, "").replace(
            /request <code>[^<]*|"csrf_token" value="[^"]*/g,
            "",
          );
          return [status, headers.get("cache-control"), shown];
        }));
        assert.equal(answers[0]?.[0], 403);
        assert.deepEqual(answers[0], answers[1], `${kind} ${version}`);
      }
    }
  }
});

Deno.test("a table that an account names in another spelling has one row in its form", async () => {
  const form = await pageFor("admin", "/userdef/carl.html?ui.edit");
  const rows = [
    ...form.matchAll(
      /name="m\.\[&quot;Demo&quot;,&quot;(port|Port|Vessel)&quot;\]"[^>]*value="(\w+)"[^>]*>/g,
    ),
  ];
  const on = rows.filter(([field]) => field?.includes("checked")).map(([, table, right]) => [table, right]);
  assert.deepEqual(new Set(rows.map(([, table]) => table)), new Set(["port", "Vessel"]));
  assert.deepEqual(on, [["port", "read"], ["Vessel", "create"]]);
});
