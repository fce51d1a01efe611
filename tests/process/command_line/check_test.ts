import assert from "node:assert/strict";
import { join } from "node:path";
import { runMain } from "@/tests/support/process.ts";
import { pluginSource } from "@/tests/support/plugin_folder.ts";
import { inHome } from "@/tests/support/service.ts";

/** Files with one mistake or more each. */
const BROKEN = {
  "config/service.ini": "[service]\njson_sdb.indnt = 2\nhtml_limit = many\n[other]\nx = 1\n",
  "config/auth.cfg": "authentication_policies:\n  apikey: {enabled: maybe}\n",
  "config/databases.cfg": "Demo:\n  db_type: sqlite\n  db_nam: x\n",
  "config/users.cfg": "public:\n  databases: 7\n",
  "config/querydefs.cfg": "years: {database: Demo}\n",
};

/** Told by check alone: serve does not load plugins before the rest is right. */
const OF_PLUGINS = ['service.ini: json_sdb.indnt: Unknown setting: did you mean "json_sdb.indent"?'];
const COMPLAINTS = [
  'service.ini: Line 4: unknown section "other"; settings stand under [service]',
  'service.ini: html_limit: Expected an integer from 1, found "many"',
  "auth.cfg: authentication_policies.apikey.priority: Is required, found nothing",
  "auth.cfg: authentication_policies.apikey.enabled: Expected true or false, found text",
  'databases.cfg: Demo.db_nam: Unknown member: did you mean "db_name"?',
  "databases.cfg: Demo.db_name: Is required, found nothing",
  "users.cfg: public.databases: Expected a mapping, found a number",
  "querydefs.cfg: years.sqlstr: Is required, found nothing",
];

for (const command of [["check"], ["serve", "--port", "0"]]) {
  Deno.test(`${command[0]} lists every complaint with file, key and expectation and exits 1`, async () => {
    await inHome({ files: BROKEN }, async (home) => {
      const { code, stdout, stderr } = await runMain([...command, "--home", home]);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      const all = command[0] === "check" ? [...COMPLAINTS, ...OF_PLUGINS] : COMPLAINTS;
      const expected = all.map((complaint) => `${home}/config/${complaint}`);
      assert.deepEqual(stderr.trimEnd().split("\n").toSorted(), expected.toSorted());
    });
  });
}

Deno.test("check says that the sample configuration is in order", async () => {
  await inHome({}, async (home) => {
    const { code, stdout, stderr } = await runMain(["check"], { env: { ROWHOUSE_HOME: home } });
    assert.deepEqual({ code, stdout, stderr }, {
      code: 0,
      stdout: "The configuration is in order\n",
      stderr: "",
    });
  });
});

Deno.test("check does not warn of the demo database that the first start creates", async () => {
  const home = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    assert.equal((await runMain(["init", `${home}/config`])).code, 0);
    const check = async () => await runMain(["check", "--home", home]);
    const { code, stdout, stderr } = await check();
    assert.deepEqual({ code, stdout, stderr }, {
      code: 0,
      stdout: "The configuration is in order\n",
      stderr: "",
    });
    const databases = await Deno.readTextFile(`${home}/config/databases.cfg`);
    await Deno.writeTextFile(`${home}/config/databases.cfg`, databases.replaceAll("demo.db", "own.db"));
    assert.match((await check()).stdout, /^warning: .*own\.db": there is no such file\n/);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("check warns of what does not stop the start", async () => {
  const users = "public:\n  databases:\n    Dmeo: {}\n";
  await inHome({
    files: {
      "config/users.cfg": users,
      "config/auth.cfg": ["first", "second", "hidden"].reduce((text, name, at) => {
        return `${text}  ${name}: {enabled: true, priority: ${at}, gui: {visible: ${name !== "hidden"}}}\n`;
      }, "authentication_policies:\n"),
      ...Object.fromEntries(["first", "second", "hidden"].map((name) => [
        `own/auth/${name}/mod.ts`,
        pluginSource("auth", name, "() => ({ authenticate() {}, form() {} })"),
      ])),
      "config/service.ini": "[service]\nplugins_path = ../own\nformats = html,csv\n",
      "own/plugins/dialects/odd/mod.ts": "",
      "own/plugins/dialects/odd/dialect.json": "{}",
    },
  }, async (home) => {
    const { code, stdout } = await runMain(["check", "--home", home]);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `warning: ${home}/config/users.cfg: public.databases.Dmeo: ` +
        `Cannot find database "Dmeo" in databases.cfg: did you mean "Demo"?\n` +
        `warning: ${home}/config/auth.cfg: authentication_policies.second: ` +
        "Its form is not on the login page: that of another method is\n" +
        `warning: ${home}/config/service.ini: formats: ` +
        "Has no json, as which pages send their forms: they can change nothing\n" +
        `warning: ${home}/own/plugins/dialects/odd/dialect.json: title must be a text\n` +
        "The configuration is in order\n",
    );
  });
});

Deno.test("check names a mistake in one database and the misspelt names of all others at once", async () => {
  await inHome({
    files: {
      "config/databases.cfg": [
        "Bare: {db_name: x.db}",
        "Demo: {db_type: sqlite, db_name: demo.db, excluded_tables: [Nope]}",
      ].join("\n"),
      "config/users.cfg": "admin: {databases: {Demo: {access: {Nix: [read]}}}}\n",
      "config/querydefs.cfg": "",
    },
  }, async (home) => {
    await Deno.writeFile(`${home}/config/demo.db`, new Uint8Array());
    const { code, stderr } = await runMain(["check", "--home", home]);
    const at = `${home}/config`;
    assert.deepEqual({ code, told: stderr.trimEnd().split("\n") }, {
      code: 1,
      told: [
        `${at}/databases.cfg: Bare.db_type: Is required, found nothing`,
        `${at}/databases.cfg: Demo.excluded_tables.Nope: Cannot find table "Nope"`,
        `${at}/users.cfg: admin.databases.Demo.access.Nix: Cannot find table "Nix" in database "Demo"`,
      ],
    });
  });
});

Deno.test("check does not miss the definitions of a file that has a mistake", async () => {
  const files = {
    "config/service.ini": "[service]\ndb.Demo.limit = 5\n",
    "config/databases.cfg": "Demo: {db_type: sqlite, db_name: d, excluded_tables: [*_log]}\n",
    "config/users.cfg": "admin:\n  databases:\n    Demo: {access: {*: [read]}}\n",
    "config/querydefs.cfg": "q: {database: Demo, sqlstr: SELECT 1, execute: [admin]}\n",
  };
  await inHome({ files }, async (home) => {
    const { code, stdout, stderr } = await runMain(["check", "--home", home]);
    assert.deepEqual({ code, stdout, stderr: stderr.replaceAll(`${home}/config/`, "").split("\n") }, {
      code: 1,
      stdout: "",
      stderr: [
        "databases.cfg: A text that begins with * is not in quotes, an alias has no anchor, or there are too many",
        "users.cfg: Line 3, column 22: A text that begins with * must stand in quotes",
        "users.cfg: Line 3, column 24: A character is missing: a closing quote or bracket, a comma, a colon or a space",
        "",
      ],
    });
  });
});

Deno.test("check warns of the queries that nobody can run", async () => {
  await inHome({
    files: {
      "config/querydefs.cfg": [
        "right: {database: Demo, sqlstr: SELECT Name FROM Port WHERE PortId = :id}",
        "table: {database: Demo, sqlstr: SELECT Name FROM Prot}",
        "text: {database: Demo, sqlstr: 'DROP TABLE Port'}",
        "write: {database: Demo, sqlstr: 'DELETE FROM Fare'}",
        "post: {database: Demo, sqlstr: 'DELETE FROM Fare', http_methods: {POST: true}}",
        "off: {database: Demo, sqlstr: 'DELETE FROM Fare', http_methods: {}}",
        "none: {database: Demo, sqlstr: ''}",
      ].join("\n"),
    },
  }, async (home) => {
    const { stdout, stderr } = await runMain(["check", "--home", home]);
    assert.equal(stderr, `${home}/config/querydefs.cfg: none.sqlstr: Expected text, found empty text\n`);
    const at = `warning: ${home}/config/querydefs.cfg`;
    assert.deepEqual(stdout.trimEnd().split("\n"), [
      `${at}: table.sqlstr: The database refuses it: no such table: Prot`,
      `${at}: text.sqlstr: The database refuses it: Cannot use this SQL: a saved query is one of SELECT, WITH, ` +
      'VALUES, INSERT, REPLACE, UPDATE, DELETE, EXPLAIN, not "DROP"',
      `${at}: write.http_methods: No method may run it: the statement changes data, which GET may not: choose the ` +
      'method POST instead, or set "read_only: false" in the file or over HTTP',
    ]);
  });
});

Deno.test("check warns of a user without a login of a database server", async () => {
  await inHome({
    files: {
      "config/databases.cfg": "Shop: {db_type: postgresql, db_name: shop, db_host: 127.0.0.1, db_port: 1}\n",
      "config/users.cfg": "admin: {databases: {Shop: {dbuser: shop}}}\nanna: {databases: {Shop: {}}}\n",
      "config/querydefs.cfg": "",
    },
  }, async (home) => {
    const { code, stdout } = await runMain(["check", "--home", home]);
    assert.equal(code, 0);
    const warned = stdout.split("\n").filter((line) => line.includes("users.cfg"));
    assert.deepEqual(warned, [
      `warning: ${home}/config/users.cfg: anna.databases.Shop: Has no "dbuser", so this user may not use the database`,
    ]);
  });
});

Deno.test("check abbreviates directories, but no sibling whose name begins like one", async () => {
  await inHome({
    files: {
      "config/databases.cfg": [
        "Own: {db_type: sqlite, db_name: none.db, excluded_tables: [X]}",
        'Sibling: {db_type: sqlite, db_name: "${ROWHOUSE_CONFIG}-old/none.db", excluded_tables: [X]}',
      ].join("\n"),
      "config/users.cfg": "admin: {}\n",
      "config/querydefs.cfg": "",
    },
  }, async (home) => {
    const { stdout } = await runMain(["check", "--home", home]);
    assert.match(stdout, /Own: .*"\{config_dir\}\/none\.db"/);
    assert.match(stdout, /Sibling: .*"\{home\}\/config-old\/none\.db"/);
  });
});

Deno.test("check and the start complain of plugins of every kind at once, by file and key", async () => {
  await inHome({
    files: {
      "config/service.ini": "[service]\nformats = json,jsno\n",
      "config/auth.cfg": "authentication_policies:\n  apikei: {enabled: true, priority: 1}\n",
      "config/databases.cfg": "Demo: {db_type: sqlit, db_name: x}\n",
    },
  }, async (home) => {
    const { code, stderr } = await runMain(["check", "--home", home]);
    const started = await runMain(["serve", "--port", "0", "--home", home]);
    assert.deepEqual([code, started.code, started.stderr], [1, 1, stderr]);
    const [format, method, dialect, ...more] = stderr.trimEnd().split("\n");
    assert.match(
      format ?? "",
      /service\.ini: formats: There is no format "jsno" \(no folder formats\/jsno .*"json"\?$/,
    );
    assert.match(
      method ?? "",
      /auth\.cfg: authentication_policies\.apikei: There is no authentication method "apikei" .* auth\/apikei .*"apikey"\?$/,
    );
    assert.match(
      dialect ?? "",
      /databases\.cfg: Demo\.db_type: There is no dialect "sqlit" .* plugins\/dialects\/sqlit .*"sqlite"\?$/,
    );
    assert.deepEqual(more, []);
  });
});

Deno.test("check tells of an enabled plugin that fails what fails, and not that it is not enabled", async () => {
  await inHome({
    files: {
      "config/service.ini": `[service]
plugins_path = ..
formats = json,broken
broken_sdb.wide = True
stuck.size = 5
server.plugin_timeout = 2
session.type = ext:late
session.url = anywhere
session.secret = 0123456789abcdef0123456789abcdef
`,
      "formats/broken/mod.ts": 'throw new Error("broken");',
      "plugins/dialects/stuck/mod.ts": 'throw new Error("stuck");',
      "plugins/caches/late/mod.ts": pluginSource(
        "cache",
        "late",
        "() => ({ open: () => new Promise(() => {}) })",
      ),
    },
  }, async (home) => {
    const { stdout, stderr } = await runMain(["check", "--home", home]);
    const ini = join(home, "config", "service.ini");
    assert.equal(stdout, "");
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      `${ini}: formats: The plugin ${join(home, "formats/broken/mod.ts")} cannot be loaded: broken`,
      `${join(home, "config/databases.cfg")}: The plugin ${
        join(home, "plugins/dialects/stuck/mod.ts")
      } cannot be loaded: stuck`,
      `${ini}: session.type: The cache "late" cannot be set up: session.url: open() has not ended after 1 seconds`,
    ]);
  });
});

const BROKEN_POLICIES = `authentication_policies:
  apikey: {enabled: true, priority: 1, apikey_nmae: token}
  basic: {enabled: true, priority: 2, realm: Data}
  login_form: {enabled: true, priority: 3, identity_providers: {}, color: red}
  cookie: {enabled: true, priority: 4}
`;

for (const command of [["check"], ["serve", "--port", "0"]]) {
  Deno.test(`${command[0]} names every method of auth.cfg that cannot be set up, and why`, async () => {
    await inHome({ files: { "config/auth.cfg": BROKEN_POLICIES } }, async (home) => {
      const at = `${home}/config/auth.cfg: authentication_policies`;
      const { code, stdout, stderr } = await runMain([...command, "--home", home]);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
      assert.deepEqual(stderr.trimEnd().split("\n").toSorted(), [
        `${at}.apikey.apikey_nmae: Unknown setting: did you mean "apikey_name"?`,
        `${at}.basic.realm: Unknown setting: expected one of enabled, priority, gui, gui.visible`,
        `${at}.login_form.color: Unknown setting: expected one of enabled, priority, gui, gui.visible`,
        `${at}.login_form.identity_providers: Unknown setting: expected one of enabled, priority, gui, gui.visible`,
      ]);
    });
  });
}

Deno.test("check names a mistake of an identity provider by file and key", async () => {
  const auth = `authentication_policies:
  jwt: {enabled: true, priority: 1, identity_providers: {acme: {enabled: true, claim_attribute: 5}, "a b": {}}}
`;
  await inHome({ files: { "config/auth.cfg": auth } }, async (home) => {
    const at = `${home}/config/auth.cfg: authentication_policies.jwt.identity_providers`;
    const { code, stdout, stderr } = await runMain(["check", "--home", home]);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    const complaints = stderr.trimEnd().split("\n");
    const expected = [
      `${at}.acme.user_config_attribute: Is required, found nothing`,
      `${at}.acme.claim_attribute: Expected text, found a number: put it in quotes`,
      `${at}.a b: Expected an id of letters, digits and : @ _ ~ -`,
    ];
    assert.deepEqual(complaints.filter((complaint) => expected.includes(complaint)), expected);
  });
});

Deno.test("check makes no files", async () => {
  await inHome({}, async (home) => {
    const contents = () => [...Deno.readDirSync(`${home}/state`)].map(({ name }) => name).toSorted();
    const before = contents();
    assert.equal((await runMain(["check", "--home", home])).code, 0);
    assert.deepEqual(contents(), before);
  });
});

Deno.test("methods that are switched off are not looked for, whether there is such a method or not", async () => {
  const auth = `authentication_policies:
  apikey: {enabled: true, priority: 1}
  jwt: {enabled: false, priority: 3, gui: {visible: true}, identity_providers: {}}
  saml: {enabled: false, priority: 4, gui: {visible: true}, identity_providers: {}}
  no_such_method: {enabled: false, priority: 9}
`;
  await inHome({ files: { "config/auth.cfg": auth } }, async (home) => {
    assert.equal((await runMain(["check", "--home", home])).code, 0);
  });
});

for (const command of ["check", "backup /nowhere/backup", "set-password admin", "licence show"]) {
  Deno.test(`${command} says how to name or make a directory that is not there`, async () => {
    const answer = await runMain([...command.split(" "), "--home", "/nowhere/at/all"]);
    const stderr =
      "/nowhere/at/all/config: there is no such directory: --home or --config-dir names another; " +
      "main.ts init writes a sample configuration into one\n";
    assert.deepEqual(answer, { code: 1, stdout: "", stderr });
  });
}

Deno.test("check tells what is wrong at every stage, each with file and key", async () => {
  await inHome({
    files: {
      "config/service.ini": "[service]\nhtml_limit = many\nformats = json,jsno\nsession.secret = abc\n",
      "config/auth.cfg": BROKEN_POLICIES,
      "config/users.cfg": "admin: {databases: {Demo: {access: {Nosuch: [read]}}}}\n",
      "config/license.key": "nonsense\n",
    },
  }, async (home) => {
    const { code, stderr } = await runMain(["check", "--home", home]);
    assert.equal(code, 1);
    const lines = stderr.trimEnd().split("\n");
    const expected = [
      /^service\.ini: session\.secret: Expected 32 or more random characters, found fewer$/,
      /^service\.ini: html_limit: Expected an integer from 1, found "many"$/,
      /^service\.ini: formats: There is no format "jsno"/,
      /^auth\.cfg: authentication_policies\.apikey\.apikey_nmae: Unknown setting: did you mean/,
      /^users\.cfg: admin\.databases\.Demo\.access\.Nosuch: /,
      /^license\.key: /,
    ];
    const found = lines.map((line) => line.replace(`${home}/config/`, ""));
    for (const pattern of expected) {
      assert.equal(found.filter((line) => pattern.test(line)).length, 1, `${pattern}`);
    }
  });
});

Deno.test("what keeps the service from starting stands in its log, too", async () => {
  // Larger than the default of `log.max_size`.
  const before = `${"x".repeat(11_000_000)}\n`;
  const files = {
    "config/auth.cfg": "authentication_policies: [hush\n",
    "log/rowhouse.log": before,
    "log/rowhouse.log.5": "kept\n",
  };
  await inHome({ files }, async (home) => {
    const { code, stdout, stderr } = await runMain(["serve", "--port", "0", "--home", home]);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, /auth\.cfg: Line \d/);
    const log = (await Deno.readTextFile(`${home}/log/rowhouse.log`)).slice(before.length);
    assert.match(log, /ERROR The service does not start: .*auth\.cfg: Line \d/);
    assert.doesNotMatch(log + stderr, /hush/);
    // Whether logs are put aside, and how many are kept, is unknown yet.
    assert.deepEqual([...Deno.readDirSync(`${home}/log`)].map(({ name }) => name).toSorted(), [
      "rowhouse.log",
      "rowhouse.log.5",
    ]);
  });
});

Deno.test("a secret that somebody shortened is told in a sentence, and in the log", async () => {
  await inHome({ files: { "state/session.secret": "\n" } }, async (home) => {
    const { code, stdout, stderr } = await runMain(["serve", "--port", "0", "--home", home]);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    const sentence =
      `The secret in "${home}/state/session.secret" is too short: remove the file, and a new one is made`;
    assert.equal(stderr, `${sentence}\n`);
    const log = await Deno.readTextFile(`${home}/log/rowhouse.log`);
    assert.ok(log.endsWith(` ERROR The service does not start: ${sentence}\n`), log);
  });
});

Deno.test("a setting that has no effect is warned about, with the reason", async () => {
  const ini = "[service]\norm_sdb.mysql_driver = pymysql\n";
  await inHome({ files: { "config/service.ini": ini } }, async (home) => {
    const { code, stdout } = await runMain(["check", "--home", home]);
    assert.equal(code, 0);
    const at = `warning: ${home}/config/service.ini`;
    assert.deepEqual(stdout.split("\n").filter((line) => line.startsWith("warning")), [
      `${at}: orm_sdb.mysql_driver: Without effect: there is one driver for MySQL`,
    ]);
  });
});
