import assert from "node:assert/strict";
import { join } from "node:path";
import { Ajv2020 } from "@/tests/support/packages/ajv.ts";
import { assertValidXml, XMLLINT_MISSING } from "@/tests/support/well_formed_xml.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { key, SECRETS, send, START } from "./people.ts";

const service = sharedService(START);

const as = (login: string, line: string, body?: unknown) => send(service(), login, line, body);
const json = async (login: string, line: string) => JSON.parse((await as(login, line)).text);
const file = (name: string) => Deno.readTextFileSync(join(service().home, "config", name));

Deno.test("a list is a map of what the caller may see", async () => {
  assert.deepEqual(Object.keys(await json("admin", "GET /userdef.json")), [
    "public",
    "admin",
    "personnel",
    "architect",
    "reader",
    "friend",
    "boss",
  ]);
  assert.deepEqual(Object.keys(await json("friend", "GET /userdef.json")), ["reader", "friend"]);
  assert.deepEqual(Object.keys(await json("public", "GET /userdef.json")), ["public"], "named in its lists");
  assert.deepEqual(Object.keys(await json("reader", "GET /dbdef.json")), ["Demo"]);
  assert.deepEqual(Object.keys(await json("architect", "GET /dbdef.json")), ["Demo", "Away", "Later"]);
  assert.deepEqual(Object.keys(await json("reader", "GET /querydef.json")), ["by-country"]);
});

for (const [login, kind] of [["friend", "dbdef"], ["friend", "querydef"], ["public", "dbdef"]]) {
  Deno.test(`attack: ${login}, who may see nothing of /${kind}, gets no map of it in any format`, async () => {
    for (
      const line of [`GET /${kind}.json`, `HEAD /${kind}.csv`, `GET /${kind}.xml?schema`, `OPTIONS /${kind}`]
    ) {
      assert.equal((await as(login ?? "", line)).status, 403, line);
    }
    const { text } = await as(login ?? "", `GET /${kind}.json`);
    assert.match(text, new RegExp(`User .*${login}.* may not see .*/${kind}.*log in, or resend`));
  });
}

Deno.test("who may create definitions gets their map, though it is empty", async () => {
  assert.deepEqual(await json("architect", "GET /querydef.json"), {});
});

Deno.test("users without rights see their own name and e-mail only", async () => {
  assert.deepEqual(await json("reader", "GET /userdef/reader.json"), {
    user_id: "reader",
    login: "reader",
    name: "Reader",
    email: "reader@example.com",
  });
});

Deno.test("an account is shown without its secrets", async () => {
  assert.deepEqual(await json("friend", "GET /userdef/reader.json"), {
    user_id: "reader",
    login: "reader",
    enabled: true,
    name: "Reader",
    email: "reader@example.com",
    appid: null,
    databases: { Demo: { dbuser: "demo", access: { Customer: ["read"] } } },
    dbdef: [],
    querydef: [],
    userdef: [],
    view: ["friend"],
    edit: ["boss"],
  });
});

Deno.test("a database definition is shown without its secrets", async () => {
  const { autoload_user, ssl, db_type, creator } = await json("architect", "GET /dbdef/Away.json");
  assert.deepEqual({ autoload_user, ssl, db_type, creator }, {
    autoload_user: { dbuser: "catalog" },
    ssl: { verify: false, server_name: "db.example" },
    db_type: "sqlite",
    creator: "admin",
  });
});

Deno.test("a query definition tells the URL that it expects", async () => {
  const { url_template } = await json("reader", "GET /querydef/by-country.json");
  assert.equal(url_template, "/query/by-country/country/{country}.json");
});

Deno.test("a definition that the caller may not see is 403, whether or not it is there", async () => {
  for (
    const path of ["/userdef/reader.json", "/userdef/nobody.json", "/dbdef/Demo.json", "/dbdef/None.json"]
  ) {
    for (const line of [`GET ${path}`, `OPTIONS ${path}`, `DELETE ${path}`, `HEAD ${path}`]) {
      const { status } = await as("public", line);
      assert.equal(status, 403, line);
    }
    const name = path.slice(1, -5);
    const { text } = await as("public", `PUT ${path}`, { name: "x" });
    assert.equal(
      JSON.parse(text).description,
      `User "public" may not change "/${name}": log in, or resend with a valid API key`,
    );
  }
});

Deno.test("who sees all of a kind is told what is not there", async () => {
  for (const line of ["GET /userdef/nobody.json", "DELETE /userdef/nobody.json"]) {
    const { status, text } = await as("admin", line);
    assert.equal(status, 404);
    assert.equal(JSON.parse(text).description, 'Cannot find "/userdef/nobody"');
  }
  assert.equal((await as("admin", "PUT /userdef/nobody.json", { name: "x" })).status, 404);
});

Deno.test("a user may be created under the name that a login has", async () => {
  const created = await as("admin", "POST /userdef.json", { login: "eve", name: "Eve" });
  assert.equal(created.text, `${service().url}/userdef/eve.json`);
  assert.match(file("users.cfg"), /^eve:\n {2}name: Eve$/m);
  const both = await as("admin", "POST /userdef.json", { login: "eva", user_id: "eve" });
  assert.deepEqual(JSON.parse(both.text).errors, [
    'Could not use JSON: "user_id": it is there twice, under two names',
  ]);
  const shown = await json("admin", "GET /userdef/eve.json");
  assert.equal(shown.login, "eve");
  assert.equal((await as("admin", "PUT /userdef/eve.json", shown)).status, 204);
  assert.equal((await as("admin", "PUT /userdef/eve.json", { login: "eva" })).status, 400);
  assert.equal((await as("admin", "DELETE /userdef/eve.json")).status, 204);
});

Deno.test("a definition is created, changed and deleted", async () => {
  const created = await as("admin", "POST /userdef.json", {
    user_id: "ann",
    name: "Ann",
    api_key: key("ann"),
  });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("location"), `${service().url}/userdef/ann.json`);
  assert.equal(created.text, `${service().url}/userdef/ann.json`);
  assert.equal((await as("ann", "GET /userdef/ann.json")).status, 200, "the key is in force at once");
  assert.match(file("users.cfg"), /^ann:\n {2}name: Ann\n {2}apikey: \$sha256\$[0-9a-f]{64}$/m);

  assert.equal((await as("ann", "PUT /userdef/ann.json", { email: "ann@example.com" })).status, 204);
  assert.deepEqual(await json("ann", "GET /userdef/ann.json"), {
    user_id: "ann",
    login: "ann",
    name: "Ann",
    email: "ann@example.com",
  });

  assert.equal((await as("admin", "DELETE /userdef/ann.json")).status, 204);
  assert.equal((await as("ann", "GET /userdef/ann.json")).status, 403);
  assert.doesNotMatch(file("users.cfg"), /^ann:/m);
});

Deno.test("the creator of a definition may do everything with it", async () => {
  const query = { query_id: "mine", database: "Demo", sqlstr: "SELECT 1" };
  assert.equal((await as("architect", "POST /querydef.json", query)).status, 201);
  const { creator } = await json("architect", "GET /querydef/mine.json");
  assert.equal(creator, "architect");
  assert.equal((await as("architect", "PUT /querydef/mine.json", { desc: "Mine" })).status, 204);
  assert.equal((await as("architect", "DELETE /querydef/mine.json")).status, 204);
  const database = { db_id: "Own", db_type: "postgresql", db_name: "own", autoconnect: false };
  assert.equal((await as("architect", "POST /dbdef.json", database)).status, 201);
  assert.equal((await as("architect", "DELETE /dbdef/Own.json")).status, 204);
});

Deno.test("a new database has URLs at once", async () => {
  const database = { db_id: "Fresh", db_type: "sqlite", db_name: join(service().home, "state", "demo.db") };
  assert.equal((await as("admin", "POST /dbdef.json", database)).status, 201);
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases: { Fresh: {} } })).status, 204);
  assert.equal((await as("friend", "GET /db/Fresh/Country/CountryCode/NO.json")).status, 200);
  assert.equal((await as("admin", "DELETE /dbdef/Fresh.json")).status, 204);
  assert.equal((await as("friend", "GET /db/Fresh/Country/CountryCode/NO.json")).status, 404);
  assert.equal((await as("admin", "PUT /userdef/friend.json", { databases: {} })).status, 204);
});

Deno.test("an id that is taken is 409", async () => {
  const { status, text } = await as("admin", "POST /userdef.json", { user_id: "reader" });
  assert.equal(status, 409);
  assert.equal(JSON.parse(text).description, 'Cannot create "/userdef/reader": it is there already');
});

Deno.test("an API key of another user is 409, and nobody is told whose it is", async () => {
  const { status, text } = await as("friend", "PUT /userdef/friend.json", { apikey: key("admin") });
  assert.equal(status, 409);
  assert.equal(
    JSON.parse(text).description,
    "Cannot use this API key: it is another user's, choose a new one",
  );
});

const WRONG: readonly (readonly [line: string, body: unknown, errors: readonly string[]])[] = [
  ["POST /userdef.json", {}, ['Could not use definition: "user_id": is required, as text']],
  ["POST /userdef.json", { user_id: 7 }, ['Could not use definition: "user_id": is required, as text']],
  [
    "POST /userdef.json",
    { user_id: "9 lives" },
    [
      'Could not use definition: Expected an id that starts with a letter or _ (not with "xml") and has letters, digits, @, _, ~ and -, found "9 lives"',
    ],
  ],
  [
    "POST /userdef.json",
    { user_id: "x".repeat(129) },
    ["Could not use definition: Expected an id of at most 128 characters, found 129"],
  ],
  [
    "PUT /userdef/friend.json",
    { nmae: "x", pasword: "y" },
    [
      'Could not use JSON: "nmae": there is no such member: did you mean "name"?',
      'Could not use JSON: "pasword": there is no such member: did you mean "password"?',
    ],
  ],
  [
    "PUT /userdef/friend.json",
    { name: 7, view: "all", databases: { Demo: { access: { X: ["fly"] } } } },
    [
      "Could not use definition: name: Expected text, found a number: put it in quotes",
      'Could not use definition: databases.Demo.access.X.0: Expected one of read, create, update, delete, found "fly"',
      "Could not use definition: view: Expected a list, found text",
    ],
  ],
  [
    "PUT /userdef/friend.json",
    { apikey: "short" },
    ['Could not use definition: "apikey": it has fewer than 32 characters and may be guessed'],
  ],
  [
    "PUT /userdef/friend.json",
    { apikey: `${key("x")} ` },
    [
      'Could not use definition: "apikey": it has characters that headers change: spaces around it, ' +
      "or others than those of ASCII",
    ],
  ],
  [
    "PUT /userdef/friend.json",
    { name: "n".repeat(1001), email: "e".repeat(1000), apikey: "k".repeat(5000) },
    ["name", "apikey"].map((name) => `Could not use definition: "${name}": it has more than 1000 characters`),
  ],
  [
    "PUT /userdef/friend.json",
    { user_id: "enemy" },
    ['Could not use definition: "user_id": an id cannot be changed, it stays "friend"'],
  ],
  [
    "PUT /userdef/friend.json",
    { apikey: key("x"), api_key: key("y") },
    ['Could not use JSON: "api_key": it is there twice, under two names'],
  ],
  [
    "POST /dbdef.json",
    { db_id: "New", db_port: 99999 },
    [
      "Could not use definition: db_type: Is required, found nothing",
      "Could not use definition: db_name: Is required, found nothing",
      "Could not use definition: db_port: Expected an integer from 1 to 65535, found 99999",
    ],
  ],
  [
    "PUT /dbdef/Demo.json",
    { labels: Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`T${index}`, ["a"]])) },
    ['Could not use JSON: "labels": one of its mappings has more than 2000 members'],
  ],
];

for (const [line, body, errors] of WRONG) {
  Deno.test(`${line} with ${JSON.stringify(body).slice(0, 60)} is 400 with everything that is wrong`, async () => {
    const before = ["users.cfg", "databases.cfg"].map(file);
    const { status, text } = await as("admin", line, body);
    assert.equal(status, 400, text);
    assert.deepEqual(JSON.parse(text).errors, errors);
    assert.deepEqual(["users.cfg", "databases.cfg"].map(file), before);
  });
}

Deno.test("attack: what people write about themselves is short, so that it holds up nobody", async () => {
  const long = await as("friend", "PUT /userdef/friend.json", { password: "walrus-42!".repeat(101) });
  assert.equal(long.status, 400);
  assert.equal(
    JSON.parse(long.text).description,
    'Cannot set password of "friend": it has more than 1000 characters',
  );
  const longer = await as("friend", "PUT /userdef/friend.json", { email: "e".repeat(1_100_000) });
  assert.equal(longer.status, 413);
  assert.match(JSON.parse(longer.text).description, /at most 1048576 bytes/);
  const { name, email } = await json("friend", "GET /userdef/friend.json");
  assert.deepEqual([name, email], ["", ""]);
});

Deno.test("attack: the time to judge a list in XML grows with its length only", async () => {
  const name = `<name><x>"${'\\"'.repeat(50_000)}</x></name>`;
  const body = `<Rowhouse xmlns="urn:rowhouse"><userdef>${name}</userdef></Rowhouse>`;
  const headers = { apikey: key("friend"), "Content-Type": "text/xml" };
  const began = performance.now();
  const put = await service().fetch("/userdef/friend.xml", { method: "PUT", headers, body });
  assert.match(await put.text(), /lists and mappings can be sent as JSON only/);
  assert.ok(performance.now() - began < 3_000);
});

Deno.test("attack: logins that do not exist in a long list do not make every later change slow", async () => {
  const view = Array.from({ length: 30_000 }, (_, index) => `nobody${index}`);
  assert.equal((await as("personnel", "POST /userdef.json", { user_id: "long", view })).status, 201);
  const began = performance.now();
  assert.equal((await as("personnel", "POST /userdef.json", { user_id: "short" })).status, 201);
  assert.ok(performance.now() - began < 3_000);
  for (const login of ["long", "short"]) {
    assert.equal((await as("admin", `DELETE /userdef/${login}.json`)).status, 204);
  }
});

Deno.test("a database of a kind that there is no plugin for is 400", async () => {
  const database = { db_id: "New", db_type: "sqlit", db_name: "x" };
  const { status, text } = await as("admin", "POST /dbdef.json", database);
  assert.equal(status, 400, text);
  assert.match(JSON.parse(text).description, /did you mean "sqlite"/);
});

Deno.test("what is sent is never taken from the environment or a file, now or after a reload", async () => {
  const name = "${PLANTED} $${PLANTED} ${file:users.cfg} $${ {";
  assert.equal((await as("friend", "PUT /userdef/friend.json", { name })).status, 204);
  assert.equal((await json("friend", "GET /userdef/friend.json")).name, name);
  assert.match(
    file("users.cfg"),
    /name: \$\$\{PLANTED\} \$\$\$\{PLANTED\} \$\$\{file:users\.cfg\} \$\$\$\{ \{/,
  );
  assert.equal((await as("admin", "PUT /userdef/friend.json", { email: "a@b" })).status, 204);
  assert.equal((await json("friend", "GET /userdef/friend.json")).name, name);
});

Deno.test("what was read can be sent back, and leaves the file as it was", async () => {
  const places = [
    ["/dbdef/Away.json", "databases.cfg"],
    ["/dbdef/Later.json", "databases.cfg"],
    ["/userdef/reader.json", "users.cfg"],
    ["/querydef/by-country.json", "querydefs.cfg"],
  ] as const;
  for (const [path, name] of places) {
    const before = file(name);
    const { text } = await as("admin", `GET ${path}`);
    assert.equal((await as("admin", `PUT ${path}`, text)).status, 204, path);
    assert.equal(file(name), before, path);
  }
});

Deno.test("a change keeps comments, order, references to the environment and secrets", async () => {
  const before = file("databases.cfg");
  const change = { desc: "Changed", autoload_user: { dbuser: "catalog" }, limit: 10 };
  assert.equal((await as("admin", "PUT /dbdef/Later.json", change)).status, 204);
  assert.equal((await as("admin", "PUT /dbdef/Demo.json", { desc: "Changed" })).status, 204);
  assert.equal((await as("admin", "PUT /dbdef/Away.json", { ssl: { verify: true } })).status, 204);
  const expected = before
    .replace("desc: Demo database", "desc: Changed")
    .replace(/\{ ?verify: false, server_name: db.example, key:/, "{ verify: true, key:")
    .replace("key: planted-ssl-key}", "key: planted-ssl-key }")
    .replace('{dbuser: catalog, dbpass: "${PLANTED}"}', '{ dbuser: catalog, dbpass: "${PLANTED}" }') +
    "  desc: Changed\n  limit: 10\n";
  const strip = (text: string) => text.replaceAll(/\[ ?| ?\]/g, "|");
  assert.equal(strip(file("databases.cfg")), strip(expected));
});

const STRONG = "walrus-teapot-meridian-42";
const PASSWORDS: readonly (readonly [title: string, login: string, body: unknown, status: number])[] = [
  ["own without the current one", "reader", { password: STRONG }, 400],
  ["own with a wrong current one", "reader", { password: STRONG, current_password: "wrong" }, 403],
  ["own that is weak", "reader", { password: "12345", current_password: SECRETS.plain }, 400],
  ["own with the current one", "reader", { password: STRONG, current_password: SECRETS.plain }, 204],
  ["another's without a right", "friend", { password: STRONG }, 403],
  ["another's with the right to edit it", "boss", { password: `${STRONG}!` }, 204],
  ["another's as admin", "admin", { password: `${STRONG}?` }, 204],
  ["one that is no text", "admin", { password: 42 }, 400],
  ["none any more", "admin", { password: null }, 204],
];

Deno.test("passwords are changed by who may, in this order", async () => {
  for (const [title, login, body, status] of PASSWORDS) {
    const answer = await as(login, "PUT /userdef/reader.json", body);
    assert.equal(answer.status, status, `${title}: ${answer.text}`);
    assert.ok(!answer.text.includes(STRONG) && !answer.text.includes("12345"), title);
  }
  assert.doesNotMatch(file("users.cfg"), /password:/);
});

Deno.test("null takes a member away", async () => {
  assert.equal((await as("admin", "PUT /dbdef/Away.json", { ssl: null })).status, 204);
  assert.equal((await json("admin", "GET /dbdef/Away.json")).ssl, null);
  assert.doesNotMatch(file("databases.cfg"), /ssl/);
});

Deno.test("a change of the login of a mapping does not keep the other login's password", async () => {
  const databases = { Demo: { dbuser: "other", access: { Customer: ["read"] } } };
  assert.equal((await as("admin", "PUT /userdef/reader.json", { databases })).status, 204);
  assert.doesNotMatch(file("users.cfg"), /planted-database-password/);
});

Deno.test("documents have every format; bodies are JSON, or flat in others", async () => {
  const csv = await as("admin", "GET /userdef/friend.csv");
  assert.match(csv.text, /^member,value\r\nuser_id,friend\r\nlogin,friend\r\n/);
  assert.equal(
    (await as("admin", "GET /userdef.xml")).headers.get("content-type"),
    "text/xml; charset=utf-8",
  );
  assert.equal((await as("admin", "GET /dbdef.html")).status, 200);
  assert.match((await as("admin", "GET /querydef.txt")).text, /by-country/);
  const headers = { apikey: key("boss"), "Content-Type": "text/csv" };
  const body = "name,email\r\nThe Boss,boss@example.com\r\n";
  const put = await service().fetch("/userdef/boss.csv", { method: "PUT", headers, body });
  assert.equal(put.status, 204, await put.text());
  assert.equal((await json("boss", "GET /userdef/boss.json")).name, "The Boss");
  const html = await service().fetch("/userdef/boss.json", {
    method: "PUT",
    headers: { ...headers, "Content-Type": "text/html" },
    body: "<p>",
  });
  assert.equal(html.status, 415);
  await html.body?.cancel();
});

Deno.test("a schema describes what is sent and shown, in every format that has schemas", async () => {
  const one = await json("admin", "GET /userdef/friend.json?schema");
  assert.equal(one.properties.apikey.writeOnly, true);
  assert.deepEqual(one.required, ["user_id"]);
  const list = await json("admin", "GET /dbdef.json?schema");
  assert.equal(list.additionalProperties.properties.db_id.maxLength, 128);
  assert.match(
    (await as("admin", "GET /dbdef.csv?schema")).text,
    /^name,type,nullable,key\r\ndb_id,text,false,true\r\n/,
  );
  assert.match((await as("admin", "GET /querydef/by-country.xsd")).text, /<xs:schema/);
  assert.equal((await as("admin", "GET /dbdef.json?limit=3")).status, 400);
});

const DESCRIBED = [
  "/userdef.json",
  "/userdef/reader.json",
  "/userdef/public.json",
  "/dbdef.json",
  "/dbdef/Demo.json",
  "/dbdef/Away.json",
  "/querydef.json",
  "/querydef/by-country.json",
  "/settings/reflect-status.json",
  "/settings/reflect-status/Demo.json",
  "/reqstatus.json",
  "/license.json",
];

for (const path of DESCRIBED) {
  Deno.test(`${path} is as its schema says`, async () => {
    const schema = await json("admin", `GET ${path}?schema`);
    const validate = new Ajv2020({ strict: false }).compile(schema);
    assert.ok(validate(await json("admin", `GET ${path}`)), JSON.stringify(validate.errors));
  });
}

const DOCUMENTS = ["/db", "/db/Demo", "/query", "/settings"].map((name) => ["architect", name] as const);

for (
  const [login, name] of [
    ...DESCRIBED.map((path) => ["admin", path.replace(/\.json$/, "")] as const),
    ...DOCUMENTS,
  ]
) {
  Deno.test({
    name: `${name}.xml is as its XSD says${XMLLINT_MISSING ? " (xmllint is not installed)" : ""}`,
    ignore: XMLLINT_MISSING,
    fn: async () => {
      const read = async (extension: string) => {
        const { status, text } = await as(login, `GET ${name}.${extension}`);
        assert.equal(status, 200, text);
        return text;
      };
      await assertValidXml(await read("xsd"), [await read("xml")]);
    },
  });
}

const METHODS: readonly (readonly [login: string, line: string, status: number, allow: string | null])[] = [
  ["admin", "OPTIONS /userdef.json", 204, "GET, HEAD, POST, OPTIONS"],
  ["friend", "OPTIONS /userdef.json", 204, "GET, HEAD, OPTIONS"],
  ["friend", "OPTIONS /userdef/friend.json", 204, "GET, HEAD, PUT, OPTIONS"],
  ["friend", "OPTIONS /userdef/reader.json", 204, "GET, HEAD, OPTIONS"],
  ["boss", "OPTIONS /userdef/reader.json", 204, "GET, HEAD, PUT, DELETE, OPTIONS"],
  ["admin", "DELETE /userdef.json", 405, "GET, HEAD, POST, OPTIONS"],
  ["admin", "POST /userdef/friend.json", 405, "GET, HEAD, PUT, DELETE, OPTIONS"],
  ["admin", "PATCH /dbdef/Demo.json", 405, "GET, HEAD, PUT, DELETE, OPTIONS"],
  ["admin", "HEAD /dbdef/Demo.json", 200, null],
  ["admin", "GET /dbdef/Demo/more.json", 404, null],
];

for (const [login, line, status, allow] of METHODS) {
  Deno.test(`${line} of ${login} is ${status}`, async () => {
    const answer = await as(login, line);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get("allow"), allow);
  });
}

Deno.test("a file that is broken on disk is not written, and the caller is told nothing of it", async () => {
  const path = join(service().home, "config", "querydefs.cfg");
  const before = Deno.readTextFileSync(path);
  const broken = `${before}broken: [hush\n`;
  Deno.writeTextFileSync(path, broken);
  const { status, text } = await as("admin", "PUT /querydef/by-country.json", { desc: "x" });
  assert.equal(status, 409, text);
  assert.doesNotMatch(text, /hush|\.cfg/);
  assert.equal(Deno.readTextFileSync(path), broken);
  Deno.writeTextFileSync(path, before);
});

Deno.test("a file that is not there yet is made, and one that is gone is not begun anew", async () => {
  await using own = await startService(START);
  const path = join(own.home, "config", "querydefs.cfg");
  const query = (id: string) => ({ query_id: id, database: "Demo", sqlstr: "SELECT 1" });
  assert.equal((await send(own, "admin", "DELETE /querydef/by-country.json")).status, 204);
  Deno.removeSync(path);
  for (const id of ["one", "two"]) {
    assert.equal((await send(own, "admin", "POST /querydef.json", query(id))).status, 201);
    assert.equal((await send(own, "admin", `GET /querydef/${id}.json`)).status, 200, id);
  }
  Deno.removeSync(path);
  assert.equal((await send(own, "admin", "POST /querydef.json", query("three"))).status, 409);
  assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
});

Deno.test("an account that shares a block with another one by an anchor is not changed", async () => {
  const path = join(service().home, "config", "users.cfg");
  const before = Deno.readTextFileSync(path);
  const shared =
    `${before}one:\n  databases: &shared {Demo: {}}\ntwo:\n  databases: *shared\nthree: &all {name: x}\nfour: *all\n`;
  Deno.writeTextFileSync(path, shared);
  const change = { databases: { Demo: { access: {} } } };
  assert.equal((await as("admin", "PUT /userdef/one.json", change)).status, 404, "not read yet");
  await service().fetch("/healthz").then((answer) => answer.body?.cancel());
  assert.equal((await as("admin", "PUT /userdef/friend.json", { email: "f@example.com" })).status, 204);
  assert.equal((await as("admin", "PUT /userdef/one.json", change)).status, 409);
  assert.equal((await as("admin", "PUT /userdef/four.json", { name: "y" })).status, 409);
  assert.equal((await as("admin", "DELETE /userdef/three.json")).status, 409);
  assert.equal((await as("admin", "PUT /userdef/two.json", change)).status, 204, "an alias is replaced");
  Deno.writeTextFileSync(path, before);
});

const UNWRITABLE: readonly (readonly [title: string, spoil: (path: string) => void])[] = [
  ["a directory", (path) => Deno.mkdirSync(path)],
  ["a link to itself", (path) => Deno.symlinkSync("users.cfg", path)],
];

for (const [title, spoil] of UNWRITABLE) {
  Deno.test(`a file in whose place is ${title} is the operator's to mend: 409, and the log tells why`, async () => {
    await using own = await startService(START);
    const path = join(own.home, "config", "users.cfg");
    const text = Deno.readTextFileSync(path);
    Deno.removeSync(path);
    spoil(path);
    const { status, text: told } = await send(own, "admin", "PUT /userdef/friend.json", { name: "F" });
    assert.equal(status, 409);
    assert.match(JSON.parse(told).description, /the configuration files do not allow it as they are/);
    assert.doesNotMatch(told, /os error|users\.cfg/);
    assert.match(await own.log(), /Cannot change userdef friend: .*users\.cfg: .*os error/);
    Deno.removeSync(path);
    Deno.writeTextFileSync(path, text);
    assert.equal((await send(own, "admin", "PUT /userdef/friend.json", { name: "F" })).status, 204);
  });
}

for (
  const [kind, id, members] of [
    ["userdef", "user_id", { name: "a\0b" }],
    ["userdef", "user_id", { email: "a\x1bb" }],
    ["userdef", "user_id", { view: ["a\0b"] }],
    ["userdef", "user_id", { databases: { "De\0mo": {} } }],
    ["dbdef", "db_id", { db_type: "sqlite", db_name: "a\0b" }],
    ["dbdef", "db_id", { db_type: "sqlite", db_name: "odd.db", desc: "a\x7fb" }],
    ["querydef", "query_id", { database: "Demo", sqlstr: "SELECT 1", desc: "a\0b" }],
  ] as const
) {
  Deno.test(`refused: a control character in a definition: ${kind} ${JSON.stringify(members)}`, async () => {
    const { status, text } = await as("admin", `POST /${kind}.json`, { [id]: "odd", ...members });
    assert.equal(status, 400, text);
    assert.match(text, /it has a control character/);
    assert.equal((await as("admin", `GET /${kind}/odd.json`)).status, 404);
  });
}

Deno.test("a description may have several lines", async () => {
  const body = { query_id: "lines", database: "Demo", sqlstr: "SELECT\r\n\t1", desc: "a\nb" };
  assert.equal((await as("admin", "POST /querydef.json", body)).status, 201);
  assert.equal((await json("admin", "GET /querydef/lines.json")).desc, "a\nb");
  assert.equal((await as("admin", "DELETE /querydef/lines.json")).status, 204);
});
