import assert from "node:assert/strict";
import { browserOf, hiddenFields, homeOf, KEY, PASSWORD } from "@/tests/api/login/home.ts";
import { until } from "@/tests/support/until.ts";
import { BadServer } from "@/tests/support/bad_server.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { testOn } from "@/tests/support/databases/mod.ts";
import { SERVER_DIALECTS, useServer } from "@/tests/support/servers/mod.ts";

const USERS = `public: {databases: {}}
admin: {password: ${PASSWORD}-admin}
anna: {name: Anna, password: ${PASSWORD}, apikey: ${KEY}}
bert: {password: ${PASSWORD}-bert}
`;

type Fields = Readonly<Record<string, string>>;

const adminOf = (service: TestService) => browserOf(service, "admin", `${PASSWORD}-admin`);

/** The value that an input shows. */
function valueIn(html: string, name: string): string | undefined {
  const [input = ""] = new RegExp(`<input[^>]* name="${name.replaceAll(".", "\\.")}"[^>]*>`).exec(html) ?? [];
  return / value="([^"]*)"/.exec(input)?.[1];
}

for (const dialect of SERVER_DIALECTS) {
  testOn(
    dialect,
    "a database that is tested first is created with its passwords, and its users reach it",
    async () => {
      const server = await useServer(dialect);
      const name = await server.createDatabase(`wizard_${crypto.randomUUID().slice(0, 8)}`);
      try {
        await server.exec(
          "CREATE TABLE goods (id INT PRIMARY KEY); CREATE TABLE secret (id INT PRIMARY KEY);",
          name,
        );
        await using service = await startService(homeOf({ users: USERS }));
        const browser = await adminOf(service);
        const { text } = await browser.get("/dbdef.html?ui.new");
        const login = { user: server.user, password: server.password };
        const fields: Fields = {
          ...hiddenFields(text),
          "s.db_id": "Shop",
          "s.db_type": dialect,
          "s.db_name": name,
          "s.db_host": server.host,
          "i.db_port": String(server.port),
          "s.autoload_user.dbuser": login.user,
          "p.autoload_user.dbpass": login.password,
          "l.db_schema": "",
          "l.excluded_tables": "secret",
          "b.autoconnect": "true",
          "ui.grant": "users",
          "ui.give.anna": "read",
          "ui.grant.dbuser": login.user,
          "ui.grant.dbpass": login.password,
        };
        const wrong = await browser.post("/ui/dbdef", {
          ...fields,
          "s.db_name": "nowhere",
          "ui.check": "true",
        });
        assert.match(wrong.text, /role="alert">Not connected: /);
        assert.equal(wrong.headers.get("cache-control"), "no-store");
        const again = (field: string) => [field, valueIn(wrong.text, field) ?? ""];
        const kept = Object.fromEntries(["p.autoload_user.dbpass", "ui.grant.dbpass"].map(again));
        const made = await browser.post("/ui/dbdef", { ...fields, ...kept });
        assert.equal(made.headers.get("location"), "/dbdef/Shop.html?ui.done=created", made.text);
        assert.equal((await browser.get("/db/Shop/goods.html?limit=1")).status, 200);
        const headers = { apikey: KEY };
        const reading = await service.fetch("/db/Shop/goods.json?limit=1", { headers });
        const deleting = await service.fetch("/db/Shop/goods/id/1.json", { method: "DELETE", headers });
        assert.deepEqual([await reading.json(), reading.status, deleting.status], [[], 200, 403]);
        await deleting.body?.cancel();
        const page = await browser.get("/dbdef/Shop.html");
        assert.match(page.text, /This database is connected, 1 table found/);
        assert.match(
          page.text,
          /<td>table &quot;secret&quot;: the definition leaves it out<\/td>/,
        );
        assert.match(page.text, />admin<\/a><\/td><td>everything<.*>anna<\/a><\/td><td>read</s);
        assert.doesNotMatch(page.text, />bert</);
        const edit = await browser.get("/dbdef/Shop.html?ui.edit");
        assert.equal(valueIn(edit.text, "p.autoload_user.dbpass"), undefined);
        assert.match(edit.text, /name="p\.autoload_user\.dbpass"/);
        const stays = /it stays as it is\.<\/p>\s*<div[^>]*><input[^>]*name="d\.dbpass\.Shop"/;
        assert.match((await browser.get("/userdef/anna.html?ui.edit")).text, stays);
        assert.doesNotMatch((await browser.get("/userdef.html?ui.new")).text, stays);
      } finally {
        await server.dropDatabase(name);
      }
    },
  );

  testOn(
    dialect,
    "a user without database login is shown to reach nothing; admin tests another address",
    async () => {
      const server = await useServer(dialect);
      const name = await server.createDatabase(`nologin_${crypto.randomUUID().slice(0, 8)}`);
      try {
        await server.exec(
          "CREATE TABLE goods (id INT PRIMARY KEY); CREATE TABLE secret (id INT PRIMARY KEY);",
          name,
        );
        const { host, port, user, password } = server;
        const users = USERS.replace("bert: {", "bert: {databases: {Shop: {}}, userdef: [create, view], ") +
          "carl: {databases: {Shop: {dbuser: carl, access: {goods: [read, create], '*': [read]}}}}";
        const home = homeOf({ users });
        const definition = { db_type: dialect, db_name: name, db_host: host, db_port: port };
        const login = { autoload_user: { dbuser: user, dbpass: password } };
        const far = { ...definition, db_host: "db.example", autoconnect: false, ...login };
        const written = JSON.stringify({ Shop: { ...definition, ...login }, Far: far });
        const files = { ...home.files, "config/databases.cfg": written };
        await using service = await startService({ ...home, files });
        const browser = await adminOf(service);
        const about = await browser.get("/userdef/bert.html");
        assert.match(about.text, /<td>Shop<\/td><td><span class="warning">nothing: [^<]*no database login/);
        const database = await browser.get("/dbdef/Shop.html");
        const moved = await browser.post("/ui/dbdef/Far", {
          ...hiddenFields((await browser.get("/dbdef/Far.html?ui.edit")).text),
          "s.db_type": dialect,
          "s.db_name": name,
          "s.db_host": host,
          "i.db_port": String(port),
          "s.autoload_user.dbuser": user,
          "p.autoload_user.dbpass": "",
          "ui.check": "true",
        });
        assert.match(moved.text, /role="status">Connected/);
        assert.match(database.text, />bert<\/a><\/td><td><span class="warning">none: [^<]*no database login/);
        const bert = await browserOf(service, "bert", `${PASSWORD}-bert`);
        const state = await bert.get("/settings/reflect-status/Shop.json");
        assert.doesNotMatch(state.text, /secret/);
        assert.match(state.text, /"tables": \[\]/);
        for (const page of ["/userdef.html?ui.new", "/userdef/carl.html"]) {
          const { text } = await bert.get(page);
          assert.doesNotMatch(text, /secret/);
          assert.match(text, /Shop/);
        }
      } finally {
        await server.dropDatabase(name);
      }
    },
  );
}

Deno.test("only admin gives rights on a new database, because only admin may change the accounts", async () => {
  await using service = await startService(
    homeOf({ users: USERS.replace("bert: {", "bert: {dbdef: [create], ") }),
  );
  const browser = await browserOf(service, "bert", `${PASSWORD}-bert`);
  const form = await browser.get("/dbdef.html?ui.new");
  assert.match(form.text, /name="s\.db_id"/);
  assert.doesNotMatch(form.text, /ui\.grant/);
  // The form was opened as admin, and is sent after a login as somebody else.
  const made = await browser.post("/ui/dbdef", {
    ...hiddenFields(form.text),
    "s.db_id": "Shop",
    "s.db_type": "postgresql",
    "s.db_name": "shop",
    "s.db_host": "db.example",
    "i.db_port": "",
    "s.autoload_user.dbuser": "shop",
    "p.autoload_user.dbpass": "",
    "b.autoconnect": "false",
    "ui.grant": "public",
  });
  assert.equal(made.headers.get("location"), "/dbdef/Shop.html?ui.done=created", made.text);
});

Deno.test("a new database is offered to everybody and to some users only where there are such users", async () => {
  await using service = await startService(homeOf({ users: `admin: {password: ${PASSWORD}-admin}\n` }));
  const { text } = await (await adminOf(service)).get("/dbdef.html?ui.new");
  const choices = [...text.matchAll(/name="ui\.grant" value="(\w+)"/g)].map(([, value]) => value);
  assert.deepEqual(choices, ["me", "nobody"]);
});

Deno.test("a database that cannot be connected is told with its reason on the home page and its own, to admin", async () => {
  const { files, ...home } = homeOf({
    users: `${USERS}carl: {password: ${PASSWORD}-carl, databases: {Gone: {}}}\n`,
  });
  const definition = "Gone: {db_type: sqlite, db_name: ../state/gone.db, read: [carl]}\n";
  await using service = await startService({
    ...home,
    files: { ...files, "config/databases.cfg": definition },
  });
  const browser = await adminOf(service);
  const { text } = await browser.get("/");
  assert.match(text, /role="alert">The database Gone cannot be connected: [^<]+</);
  assert.match(text, /href="\/dbdef\/Gone\.html">See the database</);
  const own = await browser.get("/dbdef/Gone.html");
  assert.match(
    own.text,
    /role="alert">This database cannot be connected: (?!Cannot connect)[^<]+<.*>Connect</s,
  );
  assert.match(own.text, /<dt>Type<\/dt><dd>SQLite<\/dd>/);
  const carls = await browserOf(service, "carl", `${PASSWORD}-carl`);
  assert.doesNotMatch((await carls.get("/")).text, /cannot be connected/);
  assert.match((await carls.get("/dbdef/Gone.html")).text, /role="alert">This database cannot be connected</);
});

Deno.test("an address at which no server answers, and a missing login, are told in words", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const browser = await adminOf(service);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const form = {
    ...hiddenFields((await browser.get("/dbdef.html?ui.new")).text),
    "s.db_id": "Shop",
    "s.db_type": "postgresql",
    "s.db_name": "shop",
    "s.db_host": "127.0.0.1",
    "i.db_port": String(port),
    "ui.check": "true",
  };
  const tested = await browser.post("/ui/dbdef", { ...form, "s.autoload_user.dbuser": "shop" });
  assert.match(
    tested.text,
    /role="alert">Not connected: no server answers at this host and port: connect ECONNREFUSED/,
  );
  const without = await browser.post("/ui/dbdef", form);
  assert.match(without.text, /role="alert">Not connected: the login that reads the catalog is missing</);
});

Deno.test("the page of a database that is being connected shows itself anew, and the attempt can be given up", async () => {
  await using service = await startService(homeOf({ users: USERS }));
  const { promise, resolve } = Promise.withResolvers<void>();
  {
    await using silent = new BadServer(() => promise);
    using _end = { [Symbol.dispose]: () => resolve() };
    const browser = await adminOf(service);
    const [host = "", port = ""] = silent.address.split(":");
    const made = await browser.post("/ui/dbdef", {
      ...hiddenFields((await browser.get("/dbdef.html?ui.new")).text),
      "s.db_id": "Slow",
      "s.db_type": "postgresql",
      "s.db_name": "x",
      "s.db_host": host,
      "i.db_port": port,
      "s.autoload_user.dbuser": "a",
      "b.autoconnect": "true",
    });
    assert.equal(made.status, 303, made.text);
    const { text } = await browser.get("/dbdef/Slow.html");
    assert.match(text, /<main id="main" data-refresh="2">.*This database is being connected<.*>Disconnect</s);
    const given = await browser.post("/ui/unload-model/Slow", {
      ...hiddenFields(text),
      "ui.done": "disconnected",
    });
    assert.equal(given.status, 303, given.text);
    const after = (await browser.get("/dbdef/Slow.html")).text;
    assert.match(after, /<body>.*This database is disconnected<.*>Connect</s);
  }
  await until(async () =>
    (await service.log()).includes("Database Slow: an attempt that was given up has failed")
  );
});
