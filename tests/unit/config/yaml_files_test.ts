import assert from "node:assert/strict";
import { complaintsAbout, load, TestDirectory } from "./directory.ts";

const EMPTY: readonly [what: string, files: Record<string, string>][] = [
  ["missing", {}],
  ["empty", { "databases.cfg": "", "users.cfg": "", "querydefs.cfg": "" }],
  ["only comments", { "databases.cfg": "# a\n", "users.cfg": "# b\n", "querydefs.cfg": "---\n# c\n" }],
];

for (const [what, files] of EMPTY) {
  Deno.test(`files that are ${what} define nothing`, () => {
    const { databases, users, queries } = load(files);
    assert.deepEqual([databases.size, users.size, queries.size], [0, 0, 0]);
  });
}

const BROKEN: readonly [what: string, yaml: string, complaints: string[]][] = [
  ["a duplicate key", "a: {}\nb: {}\na: {}\n", [
    "users.cfg: Line 3, column 1: The same key stands twice in one mapping",
  ]],
  ["a duplicate key inside", "a:\n  name: x\n  name: y\n", [
    "users.cfg: Line 3, column 3: The same key stands twice in one mapping",
  ]],
  ["a tab", "a:\n\tname: x\n", ["users.cfg: Line 2, column 1: A line is indented with a tab; use spaces"]],
  ["an open quote", 'a: {name: "x}\n', [
    "users.cfg: Line 2, column 1: A character is missing: a closing quote or bracket, a comma, a colon or a space",
    "users.cfg: Line 2, column 1: A line is indented unlike the ones it belongs to, or a bracket before it is not closed",
  ]],
  ["an open bracket", "a: {view: [b]\nb: {}\n", [
    "users.cfg: Line 2, column 1: A line is indented unlike the ones it belongs to, or a bracket before it is not closed",
  ]],
  ["a bracket too many", "a: {view: [b]}}\n", [
    "users.cfg: Line 1, column 15: Something is one too many here, such as a closing bracket",
  ]],
  ["a comma that is missing", "a: {name: x email: y}\n", [
    "users.cfg: Line 1, column 11: Members between brackets need commas between them",
  ]],
  ["a colon in a text", "a:\n  name: Anna: on duty\n", [
    "users.cfg: Line 2, column 9: One value is expected here: a text with a colon and a space must stand in quotes",
  ]],
  ["two documents", "a: {}\n---\nb: {}\n", [
    "users.cfg: Line 2, column 1: There is more than one document; expected one",
  ]],
  ["an unknown tag", "a: !ref {}\n", ["users.cfg: Line 1, column 4: A tag (!name) is not known"]],
  ["an alias without anchor", "a: *b\n", [
    "users.cfg: A text that begins with * is not in quotes, an alias has no anchor, or there are too many",
  ]],
  ["an alias bomb", bomb(), [
    "users.cfg: A text that begins with * is not in quotes, an alias has no anchor, or there are too many",
  ]],
  ["a circle of aliases", "a: &a\n  view: *a\n", ["users.cfg: An alias refers to a block that contains it"]],
  ["a list", "- a\n- b\n", ["users.cfg: Expected a mapping, found a list"]],
  ["a text", "nonsense\n", ["users.cfg: Expected a mapping, found text"]],
  ["entries without content", "a:\nb: 3\n", [
    "users.cfg: a: Expected a mapping, found nothing",
    "users.cfg: b: Expected a mapping, found a number",
  ]],
];

for (const [what, yaml, complaints] of BROKEN) {
  Deno.test(`a YAML file is refused for ${what}`, () => {
    assert.deepEqual(complaintsAbout({ "users.cfg": yaml }), complaints);
  });
}

function bomb(): string {
  const lines = ["a: &a {view: [x, x, x, x, x, x, x, x, x, x]}"];
  for (let level = 1; level < 8; level++) {
    const above = String.fromCharCode(96 + level);
    const name = String.fromCharCode(97 + level);
    lines.push(`${name}: &${name} [*${above}, *${above}, *${above}, *${above}, *${above}, *${above}]`);
  }
  return lines.join("\n");
}

const IDS: readonly [id: string, accepted: boolean][] = [
  ["public", true],
  ["_x", true],
  ["a@b~c-d_9", true],
  ["x".repeat(128), true],
  ["x".repeat(129), false],
  ["xmlUser", false],
  ["XMLUser", false],
  ["9lives", false],
  ["a b", false],
  ["a.b", false],
  ["a/b", false],
  ["é", false],
  ["__proto__", true],
];

for (const [id, accepted] of IDS) {
  Deno.test(`the id ${id.slice(0, 20)} (${id.length}) is ${accepted ? "accepted" : "refused"}`, () => {
    const files = { "users.cfg": `${id}: {name: N}\n` };
    if (accepted) assert.equal(load(files).users.get(id)?.name, "N");
    else assert.match(complaintsAbout(files)[0] ?? "", /Expected an id /);
  });
}

Deno.test("an id may be repeated as a member, but must be the same", () => {
  assert.deepEqual([...load({ "users.cfg": "ann: {user_id: ann, login: ann}" }).users.keys()], ["ann"]);
  assert.deepEqual(
    complaintsAbout({
      "databases.cfg": "A: {db_id: B, db_type: sqlite, db_name: a}",
      "users.cfg": "ann: {user_id: bob, login: cid}",
      "querydefs.cfg": "q: {query_id: r, database: A, sqlstr: SELECT 1}",
    }),
    [
      'databases.cfg: A.db_id: Expected the same id as its key, "A", found another',
      'users.cfg: ann.user_id: Expected the same id as its key, "ann", found another',
      'users.cfg: ann.login: Expected the same id as its key, "ann", found another',
      'querydefs.cfg: q.query_id: Expected the same id as its key, "q", found another',
    ],
  );
});

Deno.test("environment variables and the service's directories are put into values, not into keys", () => {
  using directory = new TestDirectory({
    "databases.cfg": [
      "D:",
      "  db_type: ${KIND}",
      "  db_name: ${ROWHOUSE_CONFIG}|${ROWHOUSE_STATE}|${ROWHOUSE_LOG}|$${KIND}",
      "  db_port: ${PORT}",
      "  autoconnect: ${ON}",
      "  ssl: ${ON}",
      '  excluded_columns: {"${KIND}": ["${KIND}"]}',
    ].join("\n"),
  });
  const database = directory.load({ KIND: "mysql", PORT: "3306", ON: "false", ROWHOUSE_STATE: "ignored" })
    .databases.get("D");
  assert.equal(database?.dbType, "mysql");
  assert.equal(database?.dbName, `${directory.path}|/var/state|/var/log|\${KIND}`);
  assert.equal(database?.dbPort, 3306);
  assert.equal(database?.autoconnect, false);
  assert.equal(database?.ssl, false);
  assert.deepEqual([...database?.excludedColumns ?? []], [["${KIND}", ["mysql"]]]);
});

Deno.test("what the environment holds is not expanded again", () => {
  const { users } = load({ "users.cfg": "ann: {name: '${A}'}" }, { A: "${B}", B: "b" });
  assert.equal(users.get("ann")?.name, "${B}");
});

Deno.test("a reference to nothing is refused with its place", () => {
  assert.deepEqual(
    complaintsAbout({ "users.cfg": "ann: {view: [a, 'x${NO}']}\nbob: {password: 'pa${ss w}ord'}" }),
    [
      'users.cfg: ann.view.1: Environment variable "NO" is not set: set it before the service starts, or write $${ for the characters themselves',
      "users.cfg: bob.password: The text between ${ and } is no name of an environment variable: write $${ for the characters themselves",
    ],
  );
});

Deno.test("values are read from files, without the line break at their end", () => {
  using directory = new TestDirectory({
    "users.cfg": "ann: {name: '<${file:name}>', email: '$${file:name}'}",
    "name": "Ann ${A}\n\n",
  });
  const ann = directory.load().users.get("ann");
  assert.deepEqual([ann?.name, ann?.email], ["<Ann ${A}\n>", "${file:name}"]);
});

Deno.test("a file that cannot be read is refused with its place", () => {
  using directory = new TestDirectory({
    "users.cfg": "ann: {name: '${file:none}'}\nbob: {name: '${file:.}'}\neve: {name: '${file:large}'}",
    "large": "",
  });
  Deno.truncateSync(directory.file("large"), 1_048_577);
  const complaints = directory.complaints().map(({ key, message }) =>
    `${key}: ${message.replaceAll(directory.path, "")}`
  );
  assert.deepEqual(complaints, [
    "ann.name: \"/none\" cannot be read: No such file or directory (os error 2): stat '/none'",
    'bob.name: "" is no regular file of at most 1 MiB',
    'eve.name: "/large" is no regular file of at most 1 MiB',
  ]);
});

Deno.test("a variable named like a member of Object.prototype is not set", () => {
  assert.match(complaintsAbout({ "users.cfg": "ann: {name: '${constructor}'}" })[0] ?? "", /is not set/);
});

Deno.test("the files can be elsewhere", () => {
  using elsewhere = new TestDirectory({ "u.yaml": "admin: {}\nann: {name: Ann}" });
  const { users } = load({ "service.ini": "[service]\nusers_path = ${DIR}/u.yaml" }, { DIR: elsewhere.path });
  assert.deepEqual([...users.keys()], ["admin", "ann"]);
});

Deno.test("the problems of all files are told at once", () => {
  const complaints = complaintsAbout({
    "service.ini": "[service]\nhtml_limit = x\nnonsense = 1",
    "auth.cfg": "authentication_policies: {apikey: {enabled: 3}}",
    "databases.cfg": "D: {db_type: 3}",
    "users.cfg": "ann: {nam: x}",
    "querydefs.cfg": "a: [",
  });
  const count = (file: string) => complaints.filter((complaint) => complaint.startsWith(file)).length;
  assert.deepEqual(["service.ini", "auth.cfg", "databases.cfg", "users.cfg", "querydefs.cfg"].map(count), [
    2,
    2,
    2,
    1,
    1,
  ]);
});

Deno.test("no complaint and no warning shows a secret", () => {
  const secret = "hunter2-secret-of-32-characters-and-more";
  const files = {
    "service.ini": `[service]\nsession.secret = ${secret}\nsession.secret = ${secret}\nhtml_limit = \${S}`,
    "auth.cfg": "authentication_policies: {jwt: {enabled: true, priority: '${S}', client_secret: '${S}'}}",
    "databases.cfg":
      `D: {db_type: sqlite, db_name: [${secret}], db_port: "\${S}", autoload_user: {dbpass: [${secret}]}}`,
    "users.cfg": [
      `a: {apikey: ${secret}, password: [${secret}], databases: {D: {dbpass: {x: ${secret}}}}}`,
      `b: {apikey: ${secret}}`,
      `c: {apikey: $sha256$${secret}}`,
      `d: {apikey: ${secret}, api_key: ${secret}}`,
    ].join("\n"),
    "querydefs.cfg": `q: {database: D, sqlstr: [${secret}]}`,
  };
  const complaints = complaintsAbout(files, { S: secret });
  assert.ok(complaints.length >= 10);
  assert.ok(!complaints.join("\n").includes(secret));
  for (
    const yaml of [
      `a: "${secret}\\q"`,
      `a: {password: ${secret}`,
      `a: !${secret} x`,
      `a: *${secret}`,
      `\t${secret}`,
      `@${secret}`,
    ]
  ) {
    const found = complaintsAbout({ "users.cfg": yaml }).join("\n");
    assert.notEqual(found, "", yaml);
    assert.ok(!found.includes(secret), found);
  }
  const { warnings } = load({ "users.cfg": `a: {apikey: ${secret}}` });
  assert.ok(!warnings.join("\n").includes(secret));
});
