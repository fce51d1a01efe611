import assert from "node:assert/strict";
import { Browser, browserOf, hiddenFields, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";

const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}
admin: {password: ${PASSWORD}-admin, databases: {Demo: {}}}
`;

/** The text of a field of several lines, as the form has it. */
function linesIn(html: string, name: string): string | undefined {
  const found = new RegExp(`<textarea[^>]* name="${name}"[^>]*>\n([^<]*)</textarea>`).exec(html)?.[1];
  return found?.replaceAll("&quot;", '"');
}

const logIn = (service: TestService) => browserOf(service, "admin", `${PASSWORD}-admin`);

/** The fields of the form that changes the demo, as a browser sends them. */
async function openForm(browser: Browser): Promise<Readonly<Record<string, string>>> {
  const { text } = await browser.get("/dbdef/Demo.html?ui.edit");
  return {
    ...hiddenFields(text),
    "s.db_type": "sqlite",
    "s.db_name": / name="s\.db_name"[^>]* value="([^"]*)"/.exec(text)?.[1] ?? "",
    "b.autoconnect": "true",
  };
}

Deno.test("the page of a database says which of its tables are left out, why, and who may use it", async () => {
  const home = homeOf({ users: USERS.replaceAll("Demo: {", "Shop: {") });
  await using service = await startService({
    ...home,
    files: {
      ...home.files,
      "config/databases.cfg":
        "Shop: {db_type: sqlite, db_name: ../state/shop.db, excluded_tables: [Secret]}\n",
    },
    sqlite: {
      Shop: "CREATE TABLE Item (Id INTEGER PRIMARY KEY); CREATE TABLE Secret (Id INTEGER PRIMARY KEY); " +
        "CREATE VIEW Broken AS SELECT * FROM Nowhere",
    },
  });
  const browser = await logIn(service);
  const { text } = await browser.get("/dbdef/Shop.html");
  assert.match(text, /This database is connected, 1 table found/);
  const [, omitted = ""] = /<h2 id="left-out">Left out<\/h2>(.*?)<\/section>\n<\/section>/s.exec(text) ?? [];
  assert.match(omitted, /<td>table &quot;Secret&quot;: the definition leaves it out<\/td>/);
  assert.match(omitted, /<td>view &quot;Broken&quot;: [^<]*no such table: main\.Nowhere<\/td>/);
  const users = [...text.matchAll(/<td><a href="\/userdef\/(\w+)\.html">\w+<\/a><\/td><td>([^<]*)<\/td>/g)];
  assert.deepEqual(users.map(([, user, rights]) => [user, rights]), [["public", "read"], [
    "admin",
    "everything",
  ]]);
});

Deno.test("the form of a database has its columns left out, labels and keys as lines, and takes them back as they are", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await logIn(service);
  const fields: Readonly<Record<string, string>> = {
    ...await openForm(browser),
    "l.excluded_tables": "",
    "t.excluded_columns": "Employee: Salary,BirthDate\r\n\r\n Customer : Phone",
    "t.labels": "Port: CountryCode, Name",
    "t.alternate_key": "RevenueByMonth: Month",
    "i.limit": "7",
  };
  const saved = await browser.post("/ui/dbdef/Demo", fields);
  assert.equal(saved.status, 303, saved.text);
  await until(async () => {
    const answer = await service.fetch("/db/Demo/Employee/EmployeeId/1.json");
    return !("Salary" in await answer.json());
  });
  const stored = JSON.parse((await browser.get("/dbdef/Demo.json", { Accept: "application/json" })).text);
  assert.deepEqual(stored.excluded_columns, { Employee: ["Salary", "BirthDate"], Customer: ["Phone"] });
  assert.deepEqual([stored.labels, stored.limit], [{ Port: ["CountryCode", "Name"] }, 7]);
  const list = await service.fetch("/db/Demo/Ticket.json", { redirect: "manual" });
  await list.body?.cancel();
  assert.match(list.headers.get("location") ?? "", /limit=7/);
  const again = (await browser.get("/dbdef/Demo.html?ui.edit")).text;
  assert.equal(linesIn(again, "t.excluded_columns"), "Employee: Salary, BirthDate\nCustomer: Phone");
  const opened = { ...fields, ...hiddenFields(again) };
  for (const wrong of ["Employee", "Employee: Salary: BirthDate", "{broken"]) {
    const refused = await browser.post("/ui/dbdef/Demo", { ...opened, "t.labels": wrong });
    assert.equal(refused.status, 400, wrong);
    assert.equal(linesIn(refused.text, "t.labels"), wrong);
    assert.match(refused.text, /name="t\.labels"[^>]* aria-invalid="true"/, wrong);
  }
  const odd = '{"A, B": ["c:d"], " e ": ["f"]}';
  const kept = await browser.post("/ui/dbdef/Demo", { ...opened, "t.labels": odd });
  assert.equal(kept.status, 303, kept.text);
  const shown = linesIn((await browser.get("/dbdef/Demo.html?ui.edit")).text, "t.labels") ?? "";
  assert.deepEqual(JSON.parse(shown), JSON.parse(odd));
});

Deno.test("each mistake of a definition is at its field, with the table that it is about", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await logIn(service);
  const refused = await browser.post("/ui/dbdef/Demo", {
    ...await openForm(browser),
    "t.alternate_key": "Order Details: ,",
    "t.labels": "customer: ,",
    "i.limit": "many",
  });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /3 fields need attention/);
  assert.match(refused.text, />&quot;Order Details&quot;: Expected a list with at least one item</);
  assert.match(refused.text, />&quot;customer&quot;: Expected a list with at least one item</);
  assert.match(refused.text, />Expected an integer from 1, found text</);
  assert.equal(linesIn(refused.text, "t.alternate_key"), "Order Details: ,");
});

Deno.test("a form of a definition that somebody else has changed says so, instead of taking the change back", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await logIn(service);
  const fields = await openForm(browser);
  const first = await browser.post("/ui/dbdef/Demo", { ...fields, "s.desc": "First" });
  assert.equal(first.status, 303, first.text);
  const tested = await browser.post("/ui/dbdef/Demo", { ...fields, "s.desc": "Second", "ui.check": "true" });
  assert.match(tested.text, />Connected\.</, "a test asks for no version");
  const again = { ...fields, ...hiddenFields(tested.text), "s.desc": "Second" };
  const refused = await browser.post("/ui/dbdef/Demo", again);
  assert.equal(refused.status, 412);
  assert.match(
    refused.text,
    /Somebody else has changed this.*1 field needs attention: Description\..*name="s\.desc"[^>]* value="Second".*Now: First</s,
  );
  assert.doesNotMatch(refused.text, /Now: .*Now: /s);
  const saved = await browser.post("/ui/dbdef/Demo", { ...again, ...hiddenFields(refused.text) });
  assert.equal(saved.status, 303, saved.text);
  assert.match((await browser.get("/dbdef/Demo.html")).text, />Second</);
});

Deno.test("a switch encrypts the connection, and leaves what only a file can say as it is", async () => {
  const { files, ...home } = homeOf({ users: USERS });
  const server = "db_type: postgresql, db_name: shop, db_host: db.example, autoconnect: false";
  const written = `Shop: {${server}}\nFar: {${server}, ssl: verify-ca}\n`;
  await using service = await startService({ ...home, files: { ...files, "config/databases.cfg": written } });
  const browser = await logIn(service);
  const fields = { "s.db_type": "postgresql", "s.db_name": "shop", "s.db_host": "db.example" };
  const sslOf = async (id: string) => {
    const answer = await browser.get(`/dbdef/${id}.json`, { Accept: "application/json" });
    return JSON.parse(answer.text).ssl;
  };
  const save = async (id: string, more: Readonly<Record<string, string>>) => {
    const { text } = await browser.get(`/dbdef/${id}.html?ui.edit`);
    const body = new URLSearchParams({ ...fields, ...more });
    for (const [, name = "", value = ""] of text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
      body.append(name, value);
    }
    const headers = { Origin: service.url };
    const saved = await browser.send(`/ui/dbdef/${id}`, { method: "POST", headers, body });
    assert.equal(saved.status, 303, saved.text);
    return text;
  };
  assert.match(await save("Shop", { "b.ssl": "true" }), /name="b\.ssl"/);
  assert.equal(await sslOf("Shop"), true);
  assert.match(await save("Shop", {}), /name="b\.ssl"[^>]* checked/);
  assert.equal(await sslOf("Shop"), false);
  assert.doesNotMatch(await save("Far", {}), /name="b\.ssl"/);
  assert.equal(await sslOf("Far"), "verify-ca");
});
