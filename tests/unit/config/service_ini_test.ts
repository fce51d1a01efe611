import assert from "node:assert/strict";
import { type Settings, streamByDefault } from "@/config/mod.ts";
import { SETTINGS } from "@/config/settings.ts";
import { complaintsAbout, load, settingsOf, TestDirectory } from "./directory.ts";

const PUBLIC_KEY = "_rhh5PjJzZnnxqsupehapHR1RMANZ7LhoUNtA50QwjY";

/** Every setting: its value without a service.ini, a written one, and the value that is read from it. */
const VALUES: { readonly [Key in keyof Settings]: readonly [Settings[Key], string, Settings[Key]] } = {
  "config_format": [1, "1", 1],
  "branding.name": ["Rowhouse", "Acme", "Acme"],
  "output_encoding": ["utf-8", "UTF-16", "utf-16le"],
  "databases_path": ["{config}/databases.cfg", "a/b.cfg", "{config}/a/b.cfg"],
  "users_path": ["{config}/users.cfg", "/srv/users.cfg", "/srv/users.cfg"],
  "querydefs_path": ["{config}/querydefs.cfg", "../q.cfg", "{config}/../q.cfg"],
  "initial_state_path": ["{config}/regular-initial", "first", "{config}/first"],
  "templates_path": [undefined, "templates", "{config}/templates"],
  "static_path": [undefined, "static", "{config}/static"],
  "plugins_path": [undefined, "/srv/plugins", "/srv/plugins"],
  "license": ["{config}/license.key", "my.key", "{config}/my.key"],
  "license.public_key": [undefined, PUBLIC_KEY, PUBLIC_KEY],
  "server.adapter": ["auto", "node", "node"],
  "server.max_connections": [undefined, "500", 500],
  "server.drain": [0, "5", 5],
  "server.grace": [10, "30", 30],
  "server.plugin_timeout": [60, "5", 5],
  "server.answer_memory": [268435456, "4194304", 4194304],
  "server.body_memory": [268435456, "4194304", 4194304],
  "max_body_size": [10485760, "1000", 1000],
  "log.max_size": [10485760, "2000", 2000],
  "log.kept": [5, "0", 0],
  "log.format": ["text", "JSON", "json"],
  "log.requests": ["none", "slow", "slow"],
  "log.slow_statement": [undefined, "250", 250],
  "ready.when": ["any", "all", "all"],
  "metrics.public": [false, "yes", true],
  "refid_prefix": ["__href", "@id", "@id"],
  "url.append_substitution": [true, "False", false],
  "html_limit": [29, "50", 50],
  "formats": [["json", "xml", "csv", "html", "txt", "xsd"], "json, yaml", ["json", "yaml"]],
  "stream_by_default": [false, "True", true],
  "orm_sdb.use_automap": [true, "False", false],
  "orm_sdb.yield_per": [50, "10", 10],
  "orm_sdb.engine_echo": [false, "True", true],
  "orm_sdb.mysql_driver": ["mysqldb", "pymysql", "pymysql"],
  "ignore_default_fields": [false, "True", true],
  "appid_name": ["appid", "X-App-Id", "X-App-Id"],
  "apikey_name": ["apikey", "X-Api-Key", "X-Api-Key"],
  "allow_apikey_in_query_string": [false, "True", true],
  "min_password_strength": [2, "4", 4],
  "argon2.memory_cost": [19456, "65536", 65536],
  "argon2.time_cost": [2, "3", 3],
  "allow_empty_password": [false, "True", true],
  "require_details_in_terms_and_conditions": [true, "False", false],
  "login_throttle.rate": [1, "0.5", 0.5],
  "login_throttle.burst": [5, "10", 10],
  "trusted_proxies": [[], "10.0.0.1, 192.168.0.0/16, ::1", ["10.0.0.1", "192.168.0.0/16", "::1"]],
  "cors.open": [false, "True", true],
  "cors.trusted_origins": [[], "https://a.example,http://b.example:81", [
    "https://a.example",
    "http://b.example:81",
  ]],
  "clock_skew": [60, "0", 0],
  "sso.allow_private_addresses": [false, "True", true],
  "memcached_server": [
    undefined,
    "cache.example:11211\nsession.secret = 0123456789abcdef0123456789abcdef",
    "cache.example:11211",
  ],
  "shared_cache": [
    undefined,
    "redis\nsession.url = redis://h\nsession.secret = 0123456789abcdef0123456789abcdef",
    "redis",
  ],
  "session.secret": [
    undefined,
    '"with ; and # and more than enough"',
    "with ; and # and more than enough",
  ],
  "session.secret_previous": [undefined, "old", "old"],
  "session.type": ["file", "cookie\nsession.secret = 0123456789abcdef0123456789abcdef", "cookie"],
  "session.url": [undefined, "cache.example:1", "cache.example:1"],
  "session.data_dir": ["/var/state/sessions/data", "data", "{config}/data"],
  "session.lock_dir": ["/var/state/sessions/lock", "lock", "{config}/lock"],
  "session.timeout": [3600, "60", 60],
  "session.cookie_expires": [86400, "60", 60],
  "cookie_max_age": [86400, "60", 60],
  "cookie_timeout": [3600, "60", 60],
  "cookie_reissue_time": [360, "6", 6],
  "cookie_http_only": [true, "False", false],
  "cookie_secure": ["auto", "True", true],
};

function at(directory: string, value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith("{config}")) return value;
  return value.endsWith("/../q.cfg")
    ? `${directory.replace(/\/[^/]+$/, "")}/q.cfg`
    : value.replace("{config}", directory);
}

Deno.test("every setting has the documented default without a service.ini", () => {
  using directory = new TestDirectory();
  const expected = Object.entries(VALUES).map(([key, [initial]]) => [key, at(directory.path, initial)]);
  assert.deepEqual({ ...directory.load().settings }, Object.fromEntries(expected));
});

for (const [key, [, written, expected]] of Object.entries(VALUES)) {
  Deno.test(`${key} is read from service.ini`, () => {
    using directory = new TestDirectory({ "service.ini": `[service]\n${key} = ${written}\n` });
    assert.deepEqual(
      new Map(Object.entries(directory.load().settings)).get(key),
      at(directory.path, expected),
    );
  });
}

const WRONG: readonly [key: keyof Settings, written: string, expected: string][] = [
  ["branding.name", "Two Words", "a name of letters, digits, - and _ that starts with a letter"],
  ["branding.name", "", "a name of letters, digits, - and _ that starts with a letter"],
  ["output_encoding", "klingon", "utf-8, utf-16le or the name of a single-byte encoding"],
  ["output_encoding", "shift_jis", "utf-8, utf-16le or the name of a single-byte encoding"],
  ["output_encoding", "iso-2022-jp", "utf-8, utf-16le or the name of a single-byte encoding"],
  ["output_encoding", "gb18030", "utf-8, utf-16le or the name of a single-byte encoding"],
  ["output_encoding", "utf-16be", "utf-8, utf-16le or the name of a single-byte encoding"],
  ["databases_path", "", "a path"],
  ["license.public_key", "abc", "an Ed25519 key, as base64url of its 32 bytes or in PEM"],
  ["server.adapter", "bun", "one of deno, node, auto"],
  ["max_body_size", "10M", "an integer from 1"],
  ["max_body_size", "0", "an integer from 1"],
  ["refid_prefix", "", "text"],
  ["html_limit", "29.5", "an integer from 1"],
  ["html_limit", "-1", "an integer from 1"],
  [
    "formats",
    "json,,csv",
    "different format names of the letters a to z, digits, _ and -, with commas between them",
  ],
  [
    "formats",
    "json,json",
    "different format names of the letters a to z, digits, _ and -, with commas between them",
  ],
  [
    "formats",
    "../x",
    "different format names of the letters a to z, digits, _ and -, with commas between them",
  ],
  [
    "formats",
    "",
    "different format names of the letters a to z, digits, _ and -, with commas between them",
  ],
  ["stream_by_default", "maybe", "True or False"],
  ["orm_sdb.yield_per", "0", "an integer from 1 to 1000000"],
  ["orm_sdb.mysql_driver", "oracle", "one of mysqldb, pymysql, mysqlconnector"],
  ["apikey_name", "api key", "a name of letters, digits, - and _"],
  ["min_password_strength", "5", "an integer from 0 to 4"],
  ["login_throttle.rate", "0", "a number greater than 0"],
  ["trusted_proxies", "10.0.0.0/33", "IP addresses or networks with commas between them"],
  ["trusted_proxies", "proxy.example", "IP addresses or networks with commas between them"],
  [
    "cors.trusted_origins",
    "https://a.example/",
    "origins such as https://example.com with commas between them",
  ],
  ["cors.trusted_origins", "a.example", "origins such as https://example.com with commas between them"],
  ["memcached_server", "cache.example", "host:port"],
  ["session.type", "ext:", "cookie, file, or ext: with the name of a cache (ext:memcached)"],
  ["cookie_secure", "sometimes", "True, False or auto"],
  ["shared_cache", "redis://127.0.0.1:6379", "the name of a cache"],
];

for (const [key, written, expected] of WRONG) {
  Deno.test(`${key} = ${written} is refused`, () => {
    const ini = `[service]\nsession.secret = 0123456789abcdef0123456789abcdef\n${key} = ${written}\n`;
    assert.deepEqual(complaintsAbout({ "service.ini": ini }), [
      `service.ini: ${key}: Expected ${expected}, found "${written}"`,
    ]);
  });
}

const UNKNOWN =
  "Unknown setting: docs/settings.md has all settings, and main.ts serve --help the options, such as --port";
const MISTAKES: readonly [what: string, ini: string, complaints: string[]][] = [
  ["an unknown key with the nearest known one", "[service]\nhtml_limt = 3", [
    'service.ini: html_limt: Unknown setting: did you mean "html_limit"?',
  ]],
  ["an unknown key that is like no other", "[service]\nport = 9000", [`service.ini: port: ${UNKNOWN}`]],
  ["a key of Object.prototype", "[service]\nconstructor = 3", [`service.ini: constructor: ${UNKNOWN}`]],
  ["a key named __proto__", "[service]\n__proto__ = 3", [`service.ini: __proto__: ${UNKNOWN}`]],
  [
    "a URL with a password in a wrong place, without it",
    "[service]\nshared_cache = redis://u:s3cret@127.0.0.1",
    [
      "service.ini: shared_cache: Expected the name of a cache, found another value",
    ],
  ],
  ["a key that is set twice", "[service]\nhtml_limit = 3\nhtml_limit = 4", [
    "service.ini: html_limit: Is set a second time in line 3",
  ]],
  ["a key and its alias", "[service]\norm_sdb.yield_per = 3\nyield_per = 4", [
    "service.ini: yield_per: Is set a second time in line 3",
  ]],
  ["a key outside a section", "html_limit = 3\n[service]", [
    "service.ini: html_limit: Stands outside a section: put it under [service]",
  ]],
  ["an unknown section, once", "[server]\nhtml_limit = 3\nx = 4", [
    'service.ini: Line 1: unknown section "server"; settings stand under [service]',
  ]],
  ["lines without key or value", "[service]\nhtml_limit\n= 3", [
    'service.ini: Line 2: expected "key = value"',
    'service.ini: Line 3: expected "key = value"',
  ]],
  [
    "a third-party format's streaming default",
    "[service]\nformats = json,yaml\nyaml_sdb.stream_by_default = maybe",
    [
      'service.ini: yaml_sdb.stream_by_default: Expected True or False, found "maybe"',
    ],
  ],
  ["a wrong value once, though others default to it", "[service]\nstream_by_default = maybe", [
    'service.ini: stream_by_default: Expected True or False, found "maybe"',
  ]],
  ["a limit that is no number", "[service]\ndb.Demo.limit = many", [
    'service.ini: db.Demo.limit: Expected an integer from 1, found "many"',
  ]],
  ["a limit of a database that there is not", "[service]\ndb.Demo.limit = 5", [
    'service.ini: db.Demo.limit: Cannot find database "Demo" in databases.cfg',
  ]],
  ["a missing environment variable", "[service]\nhtml_limit = ${ROWS}", [
    'service.ini: html_limit: Environment variable "ROWS" is not set: set it before the service starts, or write $${ for the characters themselves',
  ]],
  ["sessions in a cookie without a secret", "[service]\nsession.type = cookie", [
    'service.ini: session.secret: Is required with session.type "cookie", found nothing',
  ]],
  ["a shared cache without a secret", "[service]\nmemcached_server = cache.example:11211", [
    'service.ini: session.secret: Is required with session.type "ext:memcached", found nothing',
  ]],
  [
    "a shared cache without a place, by the setting that names it",
    "[service]\nshared_cache = redis\nsession.secret = 0123456789abcdef0123456789abcdef",
    ['service.ini: session.url: Is required with shared_cache "redis", found nothing'],
  ],
  ["a substitution of a sequence that URLs would encode", "[service]\nurl.substitution._a/b = x", [
    'service.ini: url.substitution._a/b: Expected a sequence of letters, digits, -, _ and ~, found "_a/b"',
  ]],
  ["a substitution of nothing", "[service]\nurl.substitution. = x", [
    'service.ini: url.substitution.: Expected a sequence of letters, digits, -, _ and ~, found ""',
  ]],
  ["a substitution by more than a character", "[service]\nurl.substitution._x = xy\nurl.substitution._y =", [
    'service.ini: url.substitution._x: Expected one character (; and # in quotes), found "xy"',
    'service.ini: url.substitution._y: Expected one character (; and # in quotes), found ""',
  ]],
];

for (const [what, ini, complaints] of MISTAKES) {
  Deno.test(`service.ini is refused for ${what}`, () =>
    assert.deepEqual(complaintsAbout({ "service.ini": ini }), complaints));
}

Deno.test("a wrong value is shown as it is written, not with what the environment holds", () => {
  assert.deepEqual(complaintsAbout({ "service.ini": "[service]\nhtml_limit = ${ROWS}" }, { ROWS: "hush" }), [
    'service.ini: html_limit: Expected an integer from 1, found "${ROWS}"',
  ]);
});

Deno.test("a service.ini that is no UTF-8 or no file is refused", () => {
  using directory = new TestDirectory();
  Deno.writeFileSync(directory.file("service.ini"), Uint8Array.of(0x5b, 0xff));
  Deno.mkdirSync(directory.file("auth.cfg"));
  const [first, second] = directory.complaints();
  assert.deepEqual(first, {
    file: "service.ini",
    key: "",
    message: "Expected UTF-8 text, found other bytes",
  });
  assert.equal(second?.file, "auth.cfg");
  assert.match(second?.message ?? "", /^Cannot read file: /);
});

for (
  const static_path of [
    ".",
    "..",
    "/var/state",
    "/srv/www\nusers_path = /srv/www/users.cfg",
    "/srv/www\nsession.data_dir = /srv/www/sessions",
  ]
) {
  Deno.test(`static files at ${static_path} are refused: they would be configuration, sessions or logs`, () => {
    const [complaint, ...more] = complaintsAbout({
      "service.ini": `[service]\nstatic_path = ${static_path}`,
    });
    assert.match(complaint ?? "", /^service\.ini: static_path: .* would show ".*" to everybody$/);
    assert.deepEqual(more, []);
  });
}

Deno.test("files and directories of the operator that are named and not there are warned about", () => {
  const told = (ini: string) => {
    const files = { "service.ini": `[service]\n${ini}\n`, "regular-initial": "", "own.key": "" };
    using directory = new TestDirectory(files);
    Deno.mkdirSync(directory.file("files"));
    return directory.load().warnings.map((warning) => warning.replaceAll(`${directory.path}/`, ""));
  };
  assert.deepEqual(told("databases_path = databses.cfg\nquerydefs_path = querydef.cfg"), [
    'service.ini: databases_path: Cannot find "databses.cfg"',
    'service.ini: querydefs_path: Cannot find "querydef.cfg"',
  ]);
  assert.deepEqual(told("static_path = fils\nlicense = own.kye"), [
    'service.ini: static_path: Cannot find "fils"',
    'service.ini: license: Cannot find "own.kye"',
  ]);
  assert.deepEqual(told("static_path = files\nlicense = own.key"), []);
});

Deno.test("an empty value unsets a setting that may be unset", () => {
  assert.equal(settingsOf("plugins_path =").plugins_path, undefined);
  assert.equal(settingsOf("memcached_server =")["session.type"], "file");
});

Deno.test("comments, quotes, byte order mark and Windows line ends are understood", () => {
  const ini =
    '\ufeff; comment\r\n# comment\r\n[service] ; comment\r\n  html_limit=7 ; comment\r\nrefid_prefix = "a;b"\r\n';
  const { settings } = load({ "service.ini": ini });
  assert.equal(settings.html_limit, 7);
  assert.equal(settings.refid_prefix, "a;b");
});

Deno.test("a comment may stand behind a value in quotes", () => {
  assert.equal(settingsOf('refid_prefix = "@id" ; JSON-LD').refid_prefix, "@id");
  assert.equal(settingsOf('refid_prefix = "a;\\"#b" # "c"').refid_prefix, 'a;"#b');
  assert.equal(settingsOf("refid_prefix = 'a;b'; c").refid_prefix, "a;b");
});

Deno.test("single-quoted numbers and lists keep their text", () => {
  assert.equal(settingsOf("refid_prefix = '1.50'").refid_prefix, "1.50");
  assert.equal(settingsOf("refid_prefix = '[1]'").refid_prefix, "[1]");
});

Deno.test("quotes are no part of a value that the library cannot unquote", () => {
  assert.equal(settingsOf('refid_prefix = "a\\d;e"').refid_prefix, "a\\d;e");
  assert.equal(settingsOf('refid_prefix = "a"b"').refid_prefix, 'a"b');
});

Deno.test("every single-byte encoding is accepted by any of its labels", () => {
  assert.equal(settingsOf("output_encoding = latin1").output_encoding, "iso-8859-1");
  assert.equal(settingsOf("output_encoding = Latin-1").output_encoding, "iso-8859-1");
  assert.equal(settingsOf("output_encoding = ISO-8859-1").output_encoding, "iso-8859-1");
  assert.equal(settingsOf("output_encoding = ASCII").output_encoding, "us-ascii");
  assert.equal(settingsOf("output_encoding = cp1252").output_encoding, "windows-1252");
  assert.equal(settingsOf("output_encoding = ISO-8859-15").output_encoding, "iso-8859-15");
  assert.equal(settingsOf("output_encoding = koi8-r").output_encoding, "koi8-r");
  assert.equal(settingsOf("output_encoding = utf8").output_encoding, "utf-8");
});

Deno.test("yield_per is another name of orm_sdb.yield_per", () => {
  assert.equal(settingsOf("yield_per = 10")["orm_sdb.yield_per"], 10);
});

Deno.test("settings that default to another one follow it", () => {
  const settings = settingsOf(
    "branding.name = Acme\nmemcached_server = c:1\nsession.secret = 0123456789abcdef0123456789abcdef\nstream_by_default = True",
  );
  assert.equal(settings["session.type"], "ext:memcached");
  assert.equal(settings["session.url"], "c:1");
});

Deno.test("environment variables are put into values", () => {
  const settings = settingsOf(
    "html_limit = ${N}${N}\nrefid_prefix = $${N}\nplugins_path = ${ROWHOUSE_STATE}/p",
    { N: "3" },
  );
  assert.equal(settings.html_limit, 33);
  assert.equal(settings.refid_prefix, "${N}");
  assert.equal(settings.plugins_path, "/var/state/p");
});

const SUBSTITUTIONS: readonly [ini: string, expected: string][] = [
  ["", "__=/ _dot=."],
  ['url.substitution._hash = "#"', "_hash=# _dot=. __=/"],
  ["url.substitution.__ = |", "_dot=. __=|"],
  ["url.append_substitution = False\nurl.substitution._s = /", "_s=/"],
  ["url.append_substitution = False", "_dot=. __=/"],
  ["url.substitution.~ = 😀", "_dot=. __=/ ~=😀"],
  ["url.substitution._eq = =", "_dot=. _eq== __=/"],
];

for (const [ini, expected] of SUBSTITUTIONS) {
  Deno.test(`substitutions of "${ini}" are ${expected}, longest first`, () => {
    const { substitutions } = load({ "service.ini": `[service]\n${ini}` });
    const found = substitutions.map(({ sequence, character }) => `${sequence}=${character}`);
    assert.deepEqual(found.toSorted(), expected.split(" ").toSorted());
    const lengths = substitutions.map(({ sequence }) => sequence.length);
    assert.deepEqual(lengths, lengths.toSorted((a, b) => b - a));
  });
}

Deno.test("a format streams by its own setting, else by the general one", () => {
  const configuration = load({
    "service.ini":
      "[service]\nstream_by_default = True\njson_sdb.stream_by_default = False\nformats = json,csv,yaml",
  });
  assert.equal(streamByDefault(configuration, "json"), false);
  assert.equal(streamByDefault(configuration, "csv"), true);
  assert.equal(streamByDefault(configuration, "yaml"), true);
});

Deno.test("the table says for every setting what it is for", () => {
  for (const [key, { doc }] of Object.entries(SETTINGS)) assert.match(doc, /^[A-Z`].*\.$/, key);
});
