import assert from "node:assert/strict";
import { join } from "node:path";
import { sharedService } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { key, SECRETS, send, START } from "./people.ts";

const service = sharedService(START);
const as = (login: string, line: string, body?: unknown) => send(service(), login, line, body);

const file = (name: string) => Deno.readTextFileSync(join(service().home, "config", name));
const files = () => ["users.cfg", "databases.cfg", "querydefs.cfg"].map(file);

/**
 * Every attack is refused with 403, whose text is as specified but for `admin`, whom no login helps, and
 * leaves the files as they were.
 */
const ATTACKS: readonly (readonly [title: string, login: string, line: string, body?: unknown])[] = [
  ["public renames itself", "public", "PUT /userdef/public.json", { name: "x" }],
  ["public gives itself a database", "public", "PUT /userdef/public.json", { databases: { Demo: {} } }],
  ["public sets its own password", "public", "PUT /userdef/public.json", { password: "walrus-teapot-42" }],
  ["public deletes itself", "public", "DELETE /userdef/public.json"],
  ["public creates a user", "public", "POST /userdef.json", { user_id: "mallory" }],
  ["a user gives itself a database", "friend", "PUT /userdef/friend.json", { databases: { Demo: {} } }],
  ["a user gives itself words", "friend", "PUT /userdef/friend.json", { userdef: ["create"] }],
  ["a user puts itself into its own edit list", "friend", "PUT /userdef/friend.json", { edit: ["friend"] }],
  ["a user takes an application id", "friend", "PUT /userdef/friend.json", { appid: "x" }],
  ["a user hides a right behind its name", "friend", "PUT /userdef/friend.json", {
    name: "x",
    dbdef: ["view"],
  }],
  ["a user who may see an account changes it", "friend", "PUT /userdef/reader.json", { name: "x" }],
  ["a user deletes itself", "friend", "DELETE /userdef/friend.json"],
  ["a user disables itself", "friend", "PUT /userdef/friend.json", { enabled: false }],
  ["personnel disables admin", "personnel", "PUT /userdef/admin.json", { enabled: false }],
  ["admin disables admin", "admin", "PUT /userdef/admin.json", { enabled: false }],
  ["personnel takes over admin", "personnel", "PUT /userdef/admin.json", { password: "walrus-teapot-42" }],
  ["personnel gives admin another key", "personnel", "PUT /userdef/admin.json", { apikey: key("mallory") }],
  ["personnel takes over another account", "personnel", "PUT /userdef/architect.json", {
    apikey: key("mallory"),
  }],
  ["personnel deletes admin", "personnel", "DELETE /userdef/admin.json"],
  ["admin deletes admin", "admin", "DELETE /userdef/admin.json"],
  [
    "personnel hands on words it does not have",
    "personnel",
    "POST /userdef.json",
    { user_id: "mallory", dbdef: ["create"] },
  ],
  [
    "personnel hands on a database it has no login for",
    "personnel",
    "POST /userdef.json",
    { user_id: "mallory", databases: { Away: {} } },
  ],
  [
    "personnel hands on more access than it has",
    "personnel",
    "POST /userdef.json",
    { user_id: "mallory", databases: { Demo: {} } },
  ],
  [
    "personnel hands on an operation it does not have",
    "personnel",
    "POST /userdef.json",
    { user_id: "mallory", databases: { Demo: { access: { Customer: ["read", "delete"] } } } },
  ],
  [
    "personnel hands on another database login",
    "personnel",
    "POST /userdef.json",
    { user_id: "mallory", databases: { Demo: { dbuser: "root", access: { Customer: ["read"] } } } },
  ],
  [
    "personnel guesses the password of a database login",
    "personnel",
    "POST /userdef.json",
    { user_id: "mallory", databases: { Demo: { dbpass: "guess", access: { Customer: ["read"] } } } },
  ],
  ["personnel gives itself words", "personnel", "PUT /userdef/personnel.json", { dbdef: ["create"] }],
  ["boss widens an account it may edit", "boss", "PUT /userdef/reader.json", {
    databases: { Demo: { dbuser: "demo" } },
  }],
  ["boss gives words to an account it may edit", "boss", "PUT /userdef/reader.json", {
    querydef: ["create"],
  }],
  ["boss gives it the login of somebody else", "boss", "PUT /userdef/reader.json", {
    databases: { Demo: { dbuser: "root", access: {} } },
  }],
  ["an editor of queries has no login without access", "boss", "PUT /querydef/by-country.json", {
    desc: "x",
  }],
  ["an editor of queries changes the SQL", "boss", "PUT /querydef/by-country.json", {
    sqlstr: "SELECT * FROM Crew",
  }],
  ["a reader of a query changes it", "reader", "PUT /querydef/by-country.json", { desc: "x" }],
  ["a reader of a query deletes it", "reader", "DELETE /querydef/by-country.json"],
  [
    "an architect writes a query for a database without a login",
    "architect",
    "POST /querydef.json",
    { query_id: "steal", database: "Away", sqlstr: "SELECT 1" },
  ],
  [
    "an architect gives a query to somebody else",
    "architect",
    "POST /querydef.json",
    { query_id: "gift", database: "Demo", sqlstr: "SELECT 1", creator: "admin" },
  ],
  ["a reader of a database changes it", "reader", "PUT /dbdef/Demo.json", { desc: "x" }],
  ["who may connect a database changes it", "boss", "PUT /dbdef/Demo.json", { desc: "x" }],
  [
    "an architect leads the catalog's password to a host of their own",
    "architect",
    "PUT /dbdef/Away.json",
    { db_host: "mallory.example" },
  ],
  [
    "an architect leads it there with another kind of database",
    "architect",
    "PUT /dbdef/Away.json",
    { db_type: "sqlite", db_name: "other.db", autoload_user: { dbuser: "catalog" } },
  ],
  ["an architect becomes the creator", "architect", "PUT /dbdef/Away.json", { creator: "architect" }],
  ["a user creates a database", "friend", "POST /dbdef.json", {
    db_id: "X",
    db_type: "sqlite",
    db_name: "x",
  }],
];

for (const [title, login, line, body] of ATTACKS) {
  Deno.test(`refused: ${title}`, async () => {
    const before = files();
    const { status, text } = await as(login, line, body);
    assert.equal(status, 403, text);
    assert.equal(/: log in, or resend with a valid API key"/.test(text), login !== "admin", text);
    assert.deepEqual(files(), before);
  });
}

/** Lists of definitions and of accounts, with the logins that are in them. */
const LISTS = [
  ["/querydef/by-country.json", "write", "boss"],
  ["/dbdef/Demo.json", "execute", "boss"],
  ["/userdef/reader.json", "edit", "boss"],
  ["/userdef/reader.json", "view", "friend"],
] as const;

for (const [path, list, known] of LISTS) {
  Deno.test(`refused: a login that was removed comes back to the list ${list} of ${path}`, async () => {
    assert.equal((await as("admin", `PUT ${path}`, { [list]: [known, "former"] })).status, 204);
    const { status, text } = await as("personnel", "POST /userdef.json", { user_id: "former" });
    assert.equal(status, 403);
    assert.match(text, /is named in rights that are there already/);
    assert.equal((await as("admin", `PUT ${path}`, { [list]: [known] })).status, 204);
  });
}

Deno.test("refused: a login that was removed comes back as the creator of a query", async () => {
  const left = { query_id: "left", database: "Demo", sqlstr: "SELECT 1", creator: "former" };
  assert.equal((await as("admin", "POST /querydef.json", left)).status, 201);
  const { status, text } = await as("personnel", "POST /userdef.json", { user_id: "former" });
  assert.equal(status, 403);
  assert.match(text, /is named in rights that are there already/);
  assert.equal((await as("admin", "DELETE /querydef/left.json")).status, 204);
});

Deno.test("refused: an editor leads a query away from a database without a login for it", async () => {
  const away = { query_id: "away", database: "Away", sqlstr: "SELECT 1", write: ["architect"] };
  assert.equal((await as("admin", "POST /querydef.json", away)).status, 201);
  const { status, text } = await as("architect", "PUT /querydef/away.json", { database: "Demo" });
  assert.equal(status, 403, text);
  assert.match(text, /a query for database \\"Away\\" needs a login/);
  assert.equal((await as("admin", "DELETE /querydef/away.json")).status, 204);
});

Deno.test("refused: whoever may create users opens anonymous access again", async () => {
  const before = files();
  const { text } = await as("admin", "GET /userdef/public.json");
  assert.equal((await as("admin", "DELETE /userdef/public.json")).status, 204);
  assert.equal(await service().fetch("/db.json").then(statusOf), 403);
  assert.equal((await as("personnel", "POST /userdef.json", { user_id: "public" })).status, 403);
  assert.equal((await as("admin", "POST /userdef.json", text)).status, 201);
  assert.equal(await service().fetch("/db.json").then(statusOf), 200);
  assert.equal(before[0]?.includes("Anonymous"), true);
});

Deno.test("refused: a database with logins of others is led elsewhere", async () => {
  const own = { db_id: "Bait", db_type: "postgresql", db_name: "bait", autoconnect: false };
  assert.equal((await as("architect", "POST /dbdef.json", own)).status, 201);
  const databases = { Bait: { dbuser: "bait", dbpass: "for-the-real-one" } };
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases })).status, 204);
  assert.equal((await as("architect", "PUT /dbdef/Bait.json", { db_host: "mallory.example" })).status, 403);
  assert.equal((await as("architect", "PUT /dbdef/Bait.json", { desc: "still mine" })).status, 204);
  assert.equal((await as("admin", "DELETE /dbdef/Bait.json")).status, 204);
  assert.equal((await as("architect", "POST /dbdef.json", own)).status, 403, "the login is still there");
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases: {} })).status, 204);
});

Deno.test("refused: the database of a server becomes the file that has its name", async () => {
  const name = join(service().home, "state", "demo.db");
  const own = { db_id: "Bait", db_type: "postgresql", db_name: name, autoconnect: false };
  assert.equal((await as("architect", "POST /dbdef.json", own)).status, 201);
  const { status, text } = await as("architect", "PUT /dbdef/Bait.json", { db_type: "sqlite" });
  assert.equal(status, 403);
  assert.match(text, /only admin sets \\"db_name\\"/);
  assert.equal((await as("admin", "DELETE /dbdef/Bait.json")).status, 204);
});

Deno.test("refused: an editor takes other rights on a definition by its lists", async () => {
  const both = { dbdef: ["edit"], querydef: ["edit"], databases: { Demo: {} } };
  assert.equal(
    (await as("admin", "POST /userdef.json", { user_id: "smith", apikey: key("smith"), ...both })).status,
    201,
  );
  const paths = {
    "/dbdef/Demo.json": ["read", "write", "execute"],
    "/querydef/by-country.json": ["read", "write"],
  };
  for (const [path, lists] of Object.entries(paths)) {
    const shown = JSON.parse((await as("admin", `GET ${path}`)).text);
    for (const list of lists) {
      const { status, text } = await as("smith", `PUT ${path}`, { [list]: [...shown[list], "smith"] });
      assert.equal(status, 403, `${path} ${list}`);
      assert.match(
        JSON.parse(text).description,
        new RegExp(`you do not have every right yourself that "${list}" gives`),
      );
    }
    assert.equal((await as("smith", `PUT ${path}`, { read: [], desc: shown.desc })).status, 204, path);
    assert.equal((await as("admin", `PUT ${path}`, { read: shown.read })).status, 204);
  }
  assert.equal((await as("admin", "DELETE /userdef/smith.json")).status, 204);
});

Deno.test("what the writer has itself may be handed on", async () => {
  const ann = {
    user_id: "ann",
    userdef: ["view"],
    databases: { Demo: { access: { "*": [], Customer: ["read"] } } },
  };
  assert.equal((await as("personnel", "POST /userdef.json", ann)).status, 201);
  const shown = JSON.parse((await as("personnel", "GET /userdef/ann.json")).text);
  assert.deepEqual([shown.view, shown.edit], [["personnel"], ["personnel"]]);
  assert.equal((await as("personnel", "PUT /userdef/ann.json", { apikey: key("ann") })).status, 204);
  assert.equal((await as("ann", "GET /db/Demo/Country.json")).status, 403);
  assert.equal((await as("ann", "GET /db/Demo/Customer.json?limit=1")).status, 200);
  assert.equal((await as("personnel", "DELETE /userdef/ann.json")).status, 204);
});

Deno.test("an account's rights may be narrowed by who may edit it, and what it has is kept", async () => {
  const body = { name: "Renamed", databases: { Demo: { dbuser: "demo", access: { Customer: [] } } } };
  assert.equal((await as("boss", "PUT /userdef/reader.json", body)).status, 204);
  assert.match(file("users.cfg"), new RegExp(SECRETS.dbpass), "the password of the login stays");
});

Deno.test("rights that were taken away are gone at once", async () => {
  assert.equal((await as("admin", "PUT /userdef/personnel.json", { userdef: [] })).status, 204);
  assert.equal((await as("personnel", "POST /userdef.json", { user_id: "late" })).status, 403);
  assert.equal(
    (await as("admin", "PUT /userdef/personnel.json", { userdef: ["create", "view"] })).status,
    204,
  );
});

Deno.test("names of Object.prototype are names like any other", async () => {
  for (const name of ["__proto__", "constructor"]) {
    assert.equal((await as("admin", `GET /userdef/${name}.json`)).status, 404);
    const body = `{"${name}": {"login": "admin"}, "name": "x"}`;
    assert.equal((await as("friend", "PUT /userdef/friend.json", body)).status, 400);
    const nested = `{"databases": {"${name}": {"access": {"${name}": ["read"]}}}}`;
    assert.equal((await as("admin", "PUT /userdef/friend.json", nested)).status, 204);
    const { databases } = JSON.parse((await as("admin", "GET /userdef/friend.json")).text);
    assert.deepEqual(Object.keys(databases), [name]);
  }
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases: {} })).status, 204);
});

Deno.test("refused: whoever may edit public opens anonymous access again", async () => {
  assert.equal(
    (await as("admin", "PUT /userdef/public.json", { edit: ["boss"], enabled: false })).status,
    204,
  );
  assert.equal((await as("boss", "PUT /userdef/public.json", { name: "Nobody" })).status, 204);
  for (const enabled of [true, null]) {
    const { status, text } = await as("boss", "PUT /userdef/public.json", { enabled });
    assert.equal(status, 403);
    assert.match(JSON.parse(text).description, /only admin can enable \"public\"/);
  }
  assert.equal(
    (await as("admin", "PUT /userdef/public.json", { edit: ["public"], enabled: null })).status,
    204,
  );
});

Deno.test("the refusal to delete admin tells admin that no login helps", async () => {
  const { status, headers } = await as("admin", "DELETE /userdef/admin.json");
  const words = 'User "admin" may not do this: "admin" cannot be deleted: ' +
    "nobody could administer the service any more";
  assert.deepEqual([status, headers.get("warning")], [403, words]);
  const other = await as("personnel", "DELETE /userdef/admin.json");
  assert.match(other.headers.get("warning") ?? "", /may not delete "\/userdef\/admin": log in, or resend/);
});

Deno.test("a refused mapping does not tell whether there is such a database, or its state", async () => {
  assert.equal((await as("admin", "PUT /userdef/friend.json", { userdef: ["create"] })).status, 204);
  const refusals = ["Demo", "Away", "Nowhere"].map(async (id) => {
    const { status, text } = await as("friend", "POST /userdef.json", {
      user_id: "mallory",
      databases: { [id]: {} },
    });
    return [status, text.replaceAll(id, "…")];
  });
  const [known, ...others] = await Promise.all(refusals);
  assert.equal(known?.[0], 403);
  assert.deepEqual(others, [known, known]);
  assert.equal((await as("admin", "PUT /userdef/friend.json", { userdef: [] })).status, 204);
});
