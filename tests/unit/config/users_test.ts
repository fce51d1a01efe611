import assert from "node:assert/strict";
import { userOf } from "@/tests/conformance/users.ts";
import { complaintsAbout, load, TestDirectory } from "./directory.ts";

/** The shortest key without a warning. */
const KEY = "0123456789abcdef0123456789abcdef";

Deno.test("a user without members has nothing and may do nothing", () => {
  assert.deepEqual(load({ "users.cfg": "ann: {}" }).users.get("ann"), userOf("ann"));
});

Deno.test("every member of a user is read", () => {
  const yaml = `
analyst:
  user_id: analyst
  enabled: false
  name: Analyst on duty
  email: analyst@example.com
  password: $argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA
  api_key: abc
  app_id: reports
  databases:
    D:
      dbuser: u
      dbpass: "007"
      access: {"*": [read], Invoice: [read, create, update, delete], Employee: []}
    E: {}
  dbdef: [create, view]
  querydef: [create]
  userdef: [view]
  view: [analyst]
  edit: [analyst]
`;
  assert.deepEqual(load({ "users.cfg": yaml }).users.get("analyst"), {
    login: "analyst",
    enabled: false,
    name: "Analyst on duty",
    email: "analyst@example.com",
    password: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA",
    apikeyHash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    appid: "reports",
    databases: new Map([
      ["D", {
        dbuser: "u",
        dbpass: "007",
        access: new Map([
          ["*", new Set(["read"])],
          ["Invoice", new Set(["read", "create", "update", "delete"])],
          ["Employee", new Set()],
        ]),
      }],
      ["E", { dbuser: "", dbpass: "" }],
    ]),
    dbdef: ["create", "view"],
    querydef: ["create"],
    userdef: ["view"],
    view: ["analyst"],
    edit: ["analyst"],
  });
});

const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

Deno.test("an API key may stand in the file as its hash", () => {
  const { users, warnings } = load({ "users.cfg": `ann: {apikey: $sha256$${ABC.toUpperCase()}}` });
  assert.equal(users.get("ann")?.apikeyHash, ABC);
  assert.ok(!warnings.some((warning) => warning.includes("the key has")));
});

Deno.test("a short API key, and one that headers change, is warned about, another one is not", () => {
  const keys = `ann: {apikey: ${KEY}}\nbob: {apikey: ${KEY.slice(1)}}\ncleo: {apikey: "${KEY} "}\n` +
    `dora: {apikey: ${KEY}ü}\nemil: {apikey: "${KEY} e"}\n`;
  const { warnings } = load({ "users.cfg": keys });
  const changed =
    "the key has characters that headers change: spaces around it, or others than those of ASCII";
  assert.deepEqual(warnings.flatMap((warning) => /users\.cfg: (.*\.apikey: .*)/.exec(warning)?.[1] ?? []), [
    "bob.apikey: the key has fewer than 32 characters and may be guessed",
    `cleo.apikey: ${changed}`,
    `dora.apikey: ${changed}`,
  ]);
});

Deno.test("an empty password counts only where empty passwords are allowed", () => {
  const users = { "users.cfg": "ann: {password: ''}" };
  assert.equal(load(users).users.get("ann")?.password, undefined);
  const ini = { "service.ini": "[service]\nallow_empty_password = True" };
  assert.equal(load({ ...users, ...ini }).users.get("ann")?.password, "");
});

Deno.test("a user is enabled unless the file or the environment says otherwise", () => {
  const yaml = "ann: {enabled: ~}\nbob: {enabled: 'false'}\ncleo: {enabled: true}\n";
  const { users } = load({ "users.cfg": yaml });
  assert.deepEqual([...users.values()].map(({ enabled }) => enabled), [true, false, true]);
});

Deno.test("an admin who is disabled is warned about, because nobody else can administer the service", () => {
  const warned = (yaml: string) =>
    load({ "users.cfg": yaml }).warnings.filter((warning) => warning.includes("admin.enabled"));
  const [warning = "", ...others] = warned("admin: {enabled: false}");
  assert.match(warning, /users\.cfg: admin\.enabled: Is false, so nobody can administer the service$/);
  assert.deepEqual([others, warned("admin: {}"), warned("ann: {enabled: false}")], [[], [], []]);
});

Deno.test("a password or an API key of public is warned about, because it keeps nobody out", () => {
  const warned = (yaml: string) =>
    load({ "users.cfg": `admin: {}\n${yaml}` }).warnings.map((warning) => warning.replace(/^.*\//, ""));
  const warning = 'users.cfg: public: Its password or API key is without effect: nobody logs in as "public"';
  assert.deepEqual(warned("public: {password: correct-horse-teapot}"), [warning]);
  assert.deepEqual(warned(`public: {apikey: ${"k".repeat(32)}}`), [warning]);
  assert.deepEqual(warned("public: {}"), []);
});

Deno.test("a login in a list that no user has is warned about, except public", () => {
  const { warnings } = load({
    "users.cfg": "admin: {view: [ann, admin]}\nann: {edit: [public, bob]}",
    "databases.cfg": "D: {db_type: sqlite, db_name: x, read: [ann], write: [cleo], execute: [dora]}",
    "querydefs.cfg": "q: {database: D, sqlstr: SELECT 1, read: [eve], write: [ann], execute: [public, anna]}",
  });
  assert.deepEqual(warnings.map((warning) => warning.replace(/^.*\//, "")), [
    'users.cfg: ann.edit: Cannot find user "bob" in users.cfg',
    'databases.cfg: D.write: Cannot find user "cleo" in users.cfg',
    'databases.cfg: D.execute: Cannot find user "dora" in users.cfg',
    'querydefs.cfg: q.read: Cannot find user "eve" in users.cfg',
    'querydefs.cfg: q.execute: Cannot find user "anna" in users.cfg',
  ]);
});

Deno.test("a users.cfg that is not there is warned about, but not in the first run or if it is unreadable", () => {
  using directory = new TestDirectory();
  const { warnings } = directory.load();
  const file = directory.file("users.cfg");
  const remedy = "put it back, or correct users_path in service.ini";
  assert.deepEqual(warnings, [`${file}: Is not there, so nobody can use the service: ${remedy}`]);
  assert.deepEqual(load({ "regular-initial": "" }).warnings, []);
  Deno.mkdirSync(directory.file("users.cfg"));
  assert.match(directory.complaints()[0]?.message ?? "", /^Cannot read file/);
});

const MISTAKES: readonly [what: string, yaml: string, complaints: string[]][] = [
  ["an unknown member", "ann: {pasword: x}", ['ann.pasword: Unknown member: did you mean "password"?']],
  ["an unknown member like none", "ann: {shoe_size: '43'}", [
    "ann.shoe_size: Unknown member: expected one of enabled, name, email, password, apikey, appid, databases, dbdef, querydef, userdef, view, edit",
  ]],
  ["a switch that is neither on nor off", "ann: {enabled: no}\nbob: {enabled: 0}\ncleo: {enabled: ''}", [
    "ann.enabled: Expected true or false, found text",
    "bob.enabled: Expected true or false, found a number",
    "cleo.enabled: Expected true or false, found text",
  ]],
  ["an API key of a disabled user", `ann: {enabled: false, apikey: ${KEY}}\nbob: {api_key: ${KEY}}`, [
    'bob.apikey: Expected a key of its own, found the key of user "ann"',
  ]],
  ["a password that is a number", "ann: {password: 123456}", [
    "ann.password: Expected text, found a number: put it in quotes",
  ]],
  ["an empty API key", "ann: {apikey: ''}", ["ann.apikey: Expected text, found empty text"]],
  ["a broken hash of an API key", "ann: {apikey: $sha256$abc}", [
    "ann.apikey: Expected 64 hexadecimal digits behind $sha256$",
  ]],
  ["an API key of two users", `ann: {apikey: ${KEY}}\nbob: {api_key: ${KEY}}`, [
    'bob.apikey: Expected a key of its own, found the key of user "ann"',
  ]],
  ["an API key of two users, once hashed", `ann: {apikey: abc}\nbob: {apikey: $sha256$${ABC}}`, [
    'bob.apikey: Expected a key of its own, found the key of user "ann"',
  ]],
  ["a member under both its names", "ann: {appid: a, app_id: b}", [
    'ann.app_id: Is another name of "appid", which is there, too',
  ]],
  ["a mapping that is none", "ann: {databases: {D: ~}}", [
    "ann.databases.D: Expected a mapping, found nothing",
  ]],
  ["databases as a list", "ann: {databases: [D]}", ["ann.databases: Expected a mapping, found a list"]],
  ["an unknown member of a mapping", "ann: {databases: {D: {acess: {}}}}", [
    'ann.databases.D.acess: Unknown member: did you mean "access"?',
  ]],
  ["an unknown operation", "ann: {databases: {D: {access: {T: [raed, 3]}}}}", [
    'ann.databases.D.access.T.0: Expected one of read, create, update, delete, found "raed"',
    "ann.databases.D.access.T.1: Expected one of read, create, update, delete, found a number",
  ]],
  ["operations that are no list", "ann: {databases: {D: {access: {T: read}}}}", [
    "ann.databases.D.access.T: Expected a list, found text",
  ]],
  ["access whose lines are comments", "ann:\n  databases:\n    D:\n      access:\n        # T: [read]", [
    "ann.databases.D.access: Found nothing, which would lift a restriction: leave the member out for that",
  ]],
  ["rights that are no list", "ann: {dbdef: create}", ["ann.dbdef: Expected a list, found text"]],
];

for (const [what, yaml, complaints] of MISTAKES) {
  Deno.test(`users.cfg is refused for ${what}`, () => {
    assert.deepEqual(
      complaintsAbout({ "users.cfg": yaml }),
      complaints.map((complaint) => `users.cfg: ${complaint}`),
    );
  });
}

Deno.test("a database that is not defined costs one look for similar names, however many users have it", () => {
  const numbers = Array.from({ length: 800 }, (_, number) => 1000 + number);
  const long = "of_the_northern_branch_".repeat(5);
  const take = (id: string) => {
    const began = performance.now();
    const { warnings } = load({
      "databases.cfg": numbers.map((each) => `${long}${each}: {db_type: sqlite, db_name: d}`).join("\n"),
      "users.cfg": numbers.map((each) => `user${each}: {databases: {${id}: {}}}`).join("\n"),
    });
    return {
      told: warnings.filter((each) => each.includes("did you mean")).length,
      ms: performance.now() - began,
    };
  };
  const [known, unknown] = [take(`${long}1001`), take(`${long}100x`)];
  assert.deepEqual([known.told, unknown.told], [0, 800]);
  assert.ok(unknown.ms < known.ms + 1000, `${unknown.ms} ms instead of ${known.ms}`);
});

Deno.test("a mapping to a database that is not defined is warned about", () => {
  const { warnings } = load({
    "databases.cfg": "Demo: {db_type: sqlite, db_name: d}",
    "users.cfg": "ann: {databases: {Demo: {}, Dmeo: {}}}",
  });
  const found = warnings.filter((warning) => warning.includes("users.cfg"));
  assert.equal(found.length, 1);
  assert.match(
    found[0] ?? "",
    /: ann\.databases\.Dmeo: Cannot find database "Dmeo" in databases\.cfg: did you mean "Demo"\?$/,
  );
});
