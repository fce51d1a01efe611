import assert from "node:assert/strict";
import { join } from "node:path";
import { startService } from "@/tests/support/service.ts";
import { inTime } from "@/tests/support/until.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { PASSWORD } from "@/tests/api/login/home.ts";
import { KEY } from "./mistaken_service.ts";
import { type Case, loneMistakesOf, oddDialect, oddFormat, oddMethod } from "./mistakes.ts";

/** The service with one plugin that has a mistake. */
async function startWith(
  files: Readonly<Record<string, string>>,
  { ini = "", auth = "" }: { readonly ini?: string; readonly auth?: string },
) {
  const folder = pluginFolder(files);
  try {
    const service = await startService({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${folder.path}\nserver.plugin_timeout = 1\n${ini}\n`,
        "config/auth.cfg": `authentication_policies:\n  login_form: {enabled: true, priority: 1}\n${auth}`,
        "config/users.cfg":
          `public: {}\nadmin: {password: ${PASSWORD}, apikey: ${KEY}, dbdef: [create], databases: {Demo: {}}}\n`,
      },
    });
    return {
      service,
      async [Symbol.asyncDispose]() {
        await service[Symbol.asyncDispose]();
        folder[Symbol.dispose]();
      },
    };
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

function startMethod(each: Case) {
  const { name } = each;
  // The method comes first, so that the login page has its form.
  const auth = `  ${name}: {enabled: true, priority: 0}\n`;
  return startWith({ [`auth/${name}/mod.ts`]: oddMethod(each) }, { auth });
}

for (const each of loneMistakesOf("auth")) {
  const { name, member, effect } = each;
  Deno.test(`a method with the mistake ${name} has the effect: ${effect}`, async () => {
    if (effect === "no start") {
      const complaint = new RegExp(
        `The authentication method "${name}" cannot start: (broken on|start\\(\\) gave)`,
      );
      return await assert.rejects(startMethod(each), complaint);
    }
    await using started = await startMethod(each);
    assert.equal(await statusOf(started.service.fetch("/login")), 200);
    const isTold = (await started.service.log()).includes(`method "${name}": ${member} `);
    assert.equal(isTold, effect === "left out");
  });
}

/** What the end of a method's work does, and what the log says. */
const ENDS = [
  ["() => { throw new Error('broken on purpose'); }", /"odd" failed at the end of its work/],
  ["() => Promise.reject(new Error('broken on purpose'))", /"odd" failed at the end of its work/],
  ["() => new Promise(() => {})", /"odd" has not ended its work after 5 seconds/],
  ["() => 7", undefined],
] as const;

for (const [end, said] of ENDS) {
  Deno.test(`the service stops although the work of a method ends so: ${end}`, async () => {
    const source = `export default { contract: 2, kind: "auth", name: "odd", setup: () => ({
      authenticate: () => ({ outcome: "absent" }),
      start: () => ({ [Symbol.asyncDispose]: ${end} }),
    }) };`;
    using folder = pluginFolder({ "auth/odd/mod.ts": source });
    const service = await startService({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
        "config/auth.cfg": "authentication_policies:\n  odd: {enabled: true, priority: 1}\n",
      },
    });
    // The file is read after the stop, which removes it.
    const log = await Deno.open(join(service.home, "log/rowhouse.log"));
    await inTime(service[Symbol.asyncDispose](), "The end of the service");
    const lines = await new Response(log.readable).text();
    if (said) assert.match(lines, said);
  });
}

for (const each of loneMistakesOf("format")) {
  const { name, member, effect } = each;
  Deno.test(`a format with the mistake ${name} has the effect: ${effect}`, async () => {
    const encoding = member === "escape" ? "output_encoding = iso-8859-1\n" : "";
    const ini = `formats = json,${name},html\n${encoding}`;
    await using started = await startWith({ [`formats/${name}/mod.ts`]: oddFormat(each) }, { ini });
    const { service } = started;
    const read = (path: string) => statusOf(service.fetch(path, { headers: { Accept: "text/html" } }));
    assert.equal(await read(`/db.${name}`), effect === 500 ? 500 : 200);
    assert.deepEqual(await Promise.all(["/login", "/settings.html", "/db.json"].map(read)), [
      200,
      200,
      200,
    ]);
    const wrong = await service.fetch("/db/Nowhere.html");
    assert.match(await wrong.text(), /^<!DOCTYPE html>/, "pages of errors do not depend on the first format");
    assert.ok((await service.log()).includes(`format "${name}"`), await service.log());
  });
}

Deno.test("a format that changes the schema of a document changes no other answer", async () => {
  const source = `export default { contract: 2, kind: "format", name: "odd", setup: () => ({
    contentTypes: ["text/x-odd"],
    ...{ writer() {}, document() {}, problem() {} },
    documentSchema: ({ schema }) => schema.title = "changed",
  }) };`;
  await using started = await startWith({ "formats/odd/mod.ts": source }, { ini: "formats = json,odd" });
  const textOf = async (path: string) => await (await started.service.fetch(path)).text();
  const before = await textOf("/settings.json?schema");
  assert.equal(await textOf("/settings.odd?schema"), "changed");
  assert.equal(await textOf("/settings.json?schema"), before);
});

const SQLITE = new URL("../../../plugins/dialects/sqlite/mod.ts", import.meta.url).href;

for (const each of loneMistakesOf("dialect")) {
  const { name, effect } = each;
  Deno.test(`a dialect with the mistake ${name} has the effect on a definition: ${effect}`, async () => {
    const auth = "  apikey: {enabled: true, priority: 2}\n";
    const files = { [`plugins/dialects/${name}/mod.ts`]: oddDialect(each, SQLITE) };
    await using started = await startWith(files, { auth });
    const { service } = started;
    const define = async (id: string, db_type: string) => {
      return await statusOf(service.fetch("/dbdef.json", {
        method: "POST",
        headers: { apikey: KEY, "Content-Type": "application/json" },
        body: JSON.stringify({ db_id: id, db_type, db_name: join(service.home, "state/demo.db") }),
      }));
    };
    assert.equal(await define("Odd", name), effect === "no effect" ? 201 : effect);
    assert.equal(await define("Other", "sqlite"), 201);
    if (effect === 503) assert.ok((await service.log()).includes(`dialect "${name}" in requireFileIn()`));
  });
}
