import assert from "node:assert/strict";
import { join } from "node:path";
import { runMain } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { inHome, startService } from "@/tests/support/service.ts";
import { pluginFolder, pluginSource } from "@/tests/support/plugin_folder.ts";
import { statusOf } from "@/tests/support/status_of.ts";

/** The example in one file. */
const EXAMPLE = ["mod.ts", "read.ts"]
  .map((file) => Deno.readTextFileSync(join(ROOT, "examples", "formats", "ndjson", file)))
  .join("\n").replace('import { readBody } from "./read.ts";\n', "").replace("export function*", "function*");

Deno.test("a format from a folder outside the project serves data with its own settings", async () => {
  using folder = pluginFolder({ "formats/ndjson/mod.ts": EXAMPLE });
  const lines = [
    "[service]",
    `plugins_path = ${folder.path}`,
    "formats = json,ndjson",
    "ndjson_sdb.nulls = False",
    "ndjson_sdb.stream_by_default = True",
  ];
  await using service = await startService({ files: { "config/service.ini": `${lines.join("\n")}\n` } });
  const answer = await service.fetch("/db/Demo/Employee/EmployeeId/1/FirstName,ReportsTo,Active.ndjson");
  assert.equal(answer.headers.get("content-type"), "application/x-ndjson");
  const record = JSON.parse(await answer.text());
  assert.deepEqual(Object.keys(record), ["FirstName", "Active"]);
  const list = await service.fetch("/db/Demo/Country?limit=2", {
    headers: { Accept: "application/x-ndjson" },
  });
  assert.equal(list.headers.get("transfer-encoding"), "chunked");
  const records = (await list.text()).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(records.map(({ __href }) => __href), [
    "/db/Demo/Country/CountryCode/BG.ndjson",
    "/db/Demo/Country/CountryCode/EE.ndjson",
  ]);
  const problem = await service.fetch("/db/Demo/Nope.ndjson");
  assert.equal(problem.status, 404);
  assert.equal(JSON.parse(await problem.text()).http_code, 404);
  assert.equal(
    await statusOf(service.fetch("/db/Demo/Country.csv")),
    404,
    "a format that is not enabled has no extension",
  );
});

Deno.test("a built-in format gives way to nobody: a second one of its name stops the start", async () => {
  using folder = pluginFolder({ "formats/json/mod.ts": pluginSource("format", "json") });
  const { code, stderr } = await serveWith(`plugins_path = ${folder.path}`);
  assert.equal(code, 1);
  const complaint = `The format "json" is there more than once: remove or rename one of ` +
    `${join(ROOT, "formats/json/mod.ts")} and ${folder.path}/formats/json/mod.ts\n`;
  assert.ok(stderr.endsWith(`/service.ini: formats: ${complaint}`), stderr);
});

Deno.test("a plugins_path that is not there stops the start", async () => {
  const { code, stderr } = await serveWith("plugins_path = /nowhere/at/all");
  assert.deepEqual({ code, stderr }, {
    code: 1,
    stderr: 'There is no folder "/nowhere/at/all", which plugins_path of service.ini names\n',
  });
});

Deno.test("a plugin with a package of its own needs a lock file that has it", async () => {
  using folder = pluginFolder({ "formats/ndjson/mod.ts": `import "npm:csv-parse@7.0.3/sync";\n${EXAMPLE}` });
  const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,ndjson\n`;
  await inHome({ files: { "config/service.ini": settings } }, async (home) => {
    const [without, having] = await Promise.all([
      checkWith("deno.lock", home),
      checkWith("tests/deno.lock", home),
    ]);
    assert.equal(without.code, 1);
    assert.equal(
      without.stderr,
      `${home}/config/service.ini: formats: The plugin ${folder.path}/formats/ndjson/mod.ts imports packages that ` +
        "are not in the lock file of the service: npm:csv-parse@7.0.3\n" +
        `  Pack it with its packages into one file: main.ts plugin pack ${folder.path}/formats/ndjson\n` +
        "  For native add-ons, or a lock file of your own, see the packages of plugins in docs/plugins.md\n",
    );
    assert.deepEqual(having, { code: 0, stdout: "The configuration is in order\n", stderr: "" });
  });
});

Deno.test("a plugin that imports a module of the network is told its address", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("export const tool = 1;", { headers: { "Content-Type": "text/javascript" } }),
  );
  const address = `http://127.0.0.1:${server.addr.port}/tool.js`;
  using folder = pluginFolder({ "formats/ndjson/mod.ts": `import "${address}";\n${EXAMPLE}` });
  const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,ndjson\n`;
  await inHome({ files: { "config/service.ini": settings } }, async (home) => {
    const { code, stderr } = await checkWith("deno.lock", home);
    const [told] = stderr.split("\n");
    assert.equal(code, 1);
    assert.ok(told?.endsWith(`not in the lock file of the service: ${address}`), stderr);
  });
});

/**
 * Runs `main.ts check` with one of the project's lock files. To resolve a package that the lock file does not
 * have, Deno needs the descriptions of all others, also for other systems; a new cache does not have these.
 */
async function checkWith(lock: string, home: string) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", "--lock", lock, "main.ts", "check", "--home", home],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

const typed = (types: string) =>
  `() => ({ contentTypes: ${types}, writer() {}, document() {}, problem() {} })`;

Deno.test("every setup that throws or gives nothing of use is told when the start stops", async () => {
  using folder = pluginFolder({
    "formats/ndjson/mod.ts": EXAMPLE,
    "formats/one/mod.ts": pluginSource("format", "one", '() => { throw new Error("no licence"); }'),
    "formats/two/mod.ts": pluginSource("format", "two", '() => Promise.reject(new Error("no library"))'),
    "formats/slip/mod.ts": pluginSource("format", "slip", "(section) => section.width.toFixed()"),
    "formats/odd/mod.ts": pluginSource("format", "odd", "() => { throw Object.create(null); }"),
    "formats/empty/mod.ts": pluginSource("format", "empty"),
    "formats/nothing/mod.ts": pluginSource("format", "nothing", "() => undefined"),
    "formats/untyped/mod.ts": pluginSource("format", "untyped", typed("[]")),
    "formats/upper/mod.ts": pluginSource("format", "upper", typed('["Text/Upper"]')),
    "formats/charset/mod.ts": pluginSource("format", "charset", typed('["text/a", "text/b; charset=utf-8"]')),
  });
  const { code, stderr } = await serveWith(
    `plugins_path = ${folder.path}\nformats = json,one,two,slip,odd,empty,nothing,untyped,upper,charset,ndjson\nndjson_sdb.nulls = perhaps`,
  );
  assert.equal(code, 1);
  const told = stderr.trimEnd().split("\n").map((line) => line.replace(/^.*service\.ini: (formats: )?/, ""));
  const rule = "in lower case and without parameters, as in application/x-lines";
  assert.deepEqual(told.toSorted(), [
    `The format "charset" cannot be set up: "text/b; charset=utf-8" is no content type ${rule}`,
    'The format "empty" cannot be set up: of what its setup gives contentTypes must be a list, writer must be a function, document must be a function, problem must be a function',
    'The format "nothing" cannot be set up: its setup gives undefined, not an object',
    'The format "odd" cannot be set up: something that cannot be shown',
    'The format "one" cannot be set up: no licence',
    'The format "slip" cannot be set up: Cannot read properties of undefined ' +
    `(reading 'toFixed') (file://${folder.path}/formats/slip/mod.ts:1:95)`,
    'The format "two" cannot be set up: no library',
    'The format "untyped" cannot be set up: it names no content type',
    `The format "upper" cannot be set up: "Text/Upper" is no content type ${rule}`,
    'ndjson_sdb.nulls: Expected True or False, found "perhaps"',
  ]);
});

Deno.test("plugins that are there but not enabled are never run", async () => {
  const mark = (name: string) => `Deno.writeTextFileSync(new URL("./ran", import.meta.url), "${name}");\n`;
  using folder = pluginFolder({
    "formats/spy/mod.ts": mark("format") + pluginSource("format", "spy"),
    "auth/spy/mod.ts": mark("auth") + pluginSource("auth", "spy"),
    "plugins/dialects/spy/mod.ts": mark("dialect") + pluginSource("dialect", "spy"),
    "formats/ndjson/mod.ts": mark("seen") + EXAMPLE,
  });
  await using service = await startService({
    files: { "config/service.ini": `[service]\nplugins_path = ${folder.path}\nformats = json,ndjson\n` },
  });
  await (await service.fetch("/db/Demo/Country.json?limit=1")).body?.cancel();
  const ran = ["formats/spy", "auth/spy", "plugins/dialects/spy", "formats/ndjson"].filter((place) => {
    return [...Deno.readDirSync(join(folder.path, place))].some(({ name }) => name === "ran");
  });
  assert.deepEqual(ran, ["formats/ndjson"], "only what is enabled has run");
});

/** Accepts a user's key in its own header. */
const TOKEN = `export default {
  contract: 1,
  kind: "auth",
  name: "token",
  setup: (section, host) => ({
    clientSettings: { header: section.header },
    authenticate({ headers }) {
      const token = headers.get(section.header);
      if (token === null) return { outcome: "absent" };
      const user = host.findUserByApiKey(token);
      return user ? { outcome: "accepted", user } : { outcome: "rejected", reason: "an unknown token" };
    },
  }),
};
`;

Deno.test("an authentication method from a folder outside the project decides who asks", async () => {
  using folder = pluginFolder({ "auth/token/mod.ts": TOKEN });
  const key = "0123456789abcdef0123456789abcdef";
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
      "config/auth.cfg": "authentication_policies:\n  token: {enabled: true, priority: 1, header: X-Token}\n",
      "config/users.cfg": `public: {}\nanna: {apikey: ${key}, databases: {Demo: {}}}\n`,
    },
  });
  const status = async (token?: string) => {
    const headers = token === undefined ? {} : { "X-Token": token };
    return await statusOf(service.fetch("/db/Demo/Country.json?limit=1", { headers }));
  };
  assert.equal(await status(), 403, "public has no login for the database");
  assert.equal(await status(key), 200);
  assert.equal(await status("wrong"), 403);
  const settings = await (await service.fetch("/settings.json")).json();
  assert.deepEqual(settings.auth_settings.authentication_policies.token, {
    enabled: true,
    priority: 1,
    gui: { visible: true },
    header: "X-Token",
  });
});

Deno.test("a plugin of the contract before is loaded, with a warning: some members may be gone", async () => {
  using folder = pluginFolder({ "auth/token/mod.ts": TOKEN });
  const files = {
    "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
    "config/auth.cfg": "authentication_policies:\n  token: {enabled: true, priority: 1, header: X-Token}\n",
  };
  await inHome({ files }, async (home) => {
    assert.deepEqual(await checkWith("deno.lock", home), {
      code: 0,
      stdout: `warning: ${home}/config/auth.cfg: authentication_policies.token: ` +
        'The authentication method "token" is made for contract 1: docs/contract-changes.md tells what it has to change\n' +
        "The configuration is in order\n",
      stderr: "",
    });
  });
});

/**
 * A method that logs in by a link: a button, two routes and a session at the
 * end. The file imports only types.
 */
const PORTAL = `import type { AuthPlugin } from ${
  JSON.stringify(new URL("../../../plugins/contract.ts", import.meta.url).href)
};
export default {
  contract: 1,
  kind: "auth",
  name: "portal",
  keys: ["label"],
  setup: (section, host) => ({
    authenticate: () => ({ outcome: "absent" }),
    buttons: ({ next }) => [
      { label: String(section["label"]), href: host.prefix + "/portal/enter/anna?next=" + encodeURIComponent(next) },
    ],
    routes: [
      {
        method: "GET",
        path: "/portal/enter/{login}",
        async handle(request) {
          const user = host.findUser(request.parameters.get("login") ?? "");
          if (!user) return { kind: "refused", code: "forbidden", message: "The portal does not know you" };
          return {
            kind: "done",
            to: host.localPath(request.query.get("next") ?? "") ?? host.prefix + "/",
            status: 302,
            result: { user: user.login },
            cookies: await host.sessions.open(user, request),
            event: { action: "login", outcome: "success", user: user.login },
          };
        },
      },
      {
        method: "GET",
        path: "/portal/metadata.xml",
        handle: () => ({ kind: "text", contentType: "application/xml", text: "<portal/>" }),
      },
    ],
  }),
} satisfies AuthPlugin;
`;

Deno.test("a method from outside has a button, routes and sessions of its own", async () => {
  using folder = pluginFolder({ "auth/portal/mod.ts": PORTAL });
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
      "config/auth.cfg":
        "authentication_policies:\n  portal: {enabled: true, priority: 1, label: Portal & Co}\n" +
        "  cookie: {enabled: true, priority: 2}\n",
      "config/users.cfg": "public: {}\nanna: {databases: {Demo: {}}}\n",
    },
  });
  const page = await (await service.fetch("/login?next=/db.html")).text();
  const [, href = ""] = /<a class="button" href="([^"]+)">Portal &amp; Co<\/a>/.exec(page) ?? [];
  assert.equal(href, "/portal/enter/anna?next=%2Fdb.html");
  const entered = await service.fetch(href, { headers: { Accept: "text/html" } });
  await entered.body?.cancel();
  assert.deepEqual([entered.status, entered.headers.get("location")], [302, "/db.html"]);
  const Cookie = entered.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
  const settings = await (await service.fetch("/settings.json", { headers: { Cookie } })).json();
  assert.equal(settings.user, "anna");
  const stranger = await service.fetch("/portal/enter/eve", { headers: { Accept: "text/html" } });
  assert.equal(stranger.status, 403);
  assert.match(await stranger.text(), /<h1>Log in<\/h1>[^]*role="alert">The portal does not know you/);
  const program = await service.fetch("/portal/enter/eve");
  assert.equal(
    (await program.json()).description,
    "The portal does not know you: log in, or resend with a valid API key",
  );
  const metadata = await service.fetch("/portal/metadata.xml");
  assert.equal(metadata.headers.get("content-type"), "application/xml");
  assert.equal(await metadata.text(), "<portal/>");
});

Deno.test("routes that others or the service have, and one that is no path, stop the start", async () => {
  const source = (name: string, path: string) =>
    `export default { contract: 1, kind: "auth", name: "${name}", setup: () => ({
      authenticate: () => ({ outcome: "absent" }),
      routes: [{ method: "GET", path: "${path}", handle: () => ({ kind: "text", contentType: "text/plain", text: "" }) }],
    }) };`;
  using folder = pluginFolder({
    "auth/one/mod.ts": source("one", "/enter"),
    "auth/two/mod.ts": source("two", "/enter"),
    "auth/login/mod.ts": source("login", "/login"),
    "auth/all/mod.ts": source("all", "/*"),
    "auth/page/mod.ts": source("page", "/settings"),
    "auth/data/mod.ts": source("data", "/db/Demo"),
    "auth/any/mod.ts": source("any", "/{name}"),
    "auth/probe/mod.ts": source("probe", "/metrics"),
  });
  const names = ["one", "two", "login", "all", "page", "data", "any", "probe"];
  const blocks = names.map((name, index) => `  ${name}: {enabled: true, priority: ${index}}\n`).join("");
  await inHome({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
      "config/auth.cfg": `authentication_policies:\n${blocks}`,
    },
  }, async (home) => {
    const { code, stderr } = await runMain(["check", "--home", home]);
    assert.equal(code, 1);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      'The authentication method "two" has the route GET /enter, which method "one" has already',
      'The authentication method "login" has the route GET /login, which the service itself has already',
      'The authentication method "all" has a route that is no path: "/*"',
      'The authentication method "page" has the route GET /settings, where the service\'s own paths are',
      'The authentication method "data" has the route GET /db/Demo, where the service\'s own paths are',
      'The authentication method "any" has the route GET /{name}, where the service\'s own paths are',
      'The authentication method "probe" has the route GET /metrics, where the service\'s own paths are',
    ]);
  });
});

/** The built-in dialect under another name, as someone would wrap it. */
const WRAPPED = `import sqlite from ${
  JSON.stringify(new URL("../../../plugins/dialects/sqlite/mod.ts", import.meta.url).href)
};
export default {
  ...sqlite,
  name: "archive",
  async setup(section, host) {
    const dialect = await sqlite.setup(section, host);
    host.log.info("archive dialect is set up");
    return dialect;
  },
};
`;

Deno.test("a dialect from a folder outside the project connects a database", async () => {
  using folder = pluginFolder({ "plugins/dialects/archive/mod.ts": WRAPPED });
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\n`,
      "config/databases.cfg": "Demo: {db_type: archive, db_name: '${ROWHOUSE_STATE}/demo.db'}\n",
    },
  });
  const [database] = await (await service.fetch("/db.json")).json();
  assert.deepEqual([database.type, database.status], ["archive", "Connected"]);
  const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.json");
  assert.equal(await answer.text(), '"Bergen"');
  assert.match(await service.log(), /archive dialect is set up/);
});

/** Runs `serve` on a configuration that stops the start. */
async function serveWith(settings: string) {
  return await inHome({ files: { "config/service.ini": `[service]\n${settings}\n` } }, async (home) => {
    return await runMain(["serve", "--port", "0", "--home", home]);
  });
}

const BROKEN = (setup: string) =>
  `export default { contract: 1, kind: "auth", name: "odd", setup() { ${setup} } };\n`;

for (
  const [what, source, words] of [
    [
      "whose start() throws",
      BROKEN(
        'return { authenticate: () => ({ outcome: "absent" }), start() { throw new Error("no socket"); } };',
      ),
      /auth\.cfg: authentication_policies\.odd: The authentication method "odd" cannot start: no socket/,
    ],
    [
      "whose module never ends",
      `await new Promise(() => {});\n${BROKEN("")}`,
      /The plugin \S+\/auth\/odd\/mod\.ts cannot be loaded: its module has not ended after 1 seconds/,
    ],
    [
      "whose setup() never ends",
      BROKEN("return new Promise(() => {});"),
      /The authentication method "odd" cannot be set up: setup\(\) has not ended after 1 seconds/,
    ],
  ] as const
) {
  Deno.test(`a method ${what} stops the start with a sentence`, async () => {
    using folder = pluginFolder({ "auth/odd/mod.ts": source });
    await inHome({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${folder.path}\nserver.plugin_timeout = 1\n`,
        "config/auth.cfg": "authentication_policies:\n  odd: {enabled: true, priority: 1}\n",
      },
    }, async (home) => {
      const { code, stderr } = await runMain(["serve", "--home", home, "--port", "0"]);
      assert.notEqual(code, 0);
      assert.match(stderr, words);
      assert.doesNotMatch(stderr, /\n\s+at /);
    });
  });
}

const ODD_FORMAT = `export default { contract: 1, kind: "format", name: "odd", setup: () => ({
  contentTypes: ["text/odd"],
  writer: () => () => ({ begin: () => "", row: (row) => row[0] === 1 ? 7 : Promise.resolve("x"), end: () => "" }),
  document: () => undefined,
  problem: () => { throw new Error("nor this"); },
}) };
`;

Deno.test("a format that gives nothing, numbers or promises costs its own answers, which are 500, and is named", async () => {
  using folder = pluginFolder({ "formats/odd/mod.ts": ODD_FORMAT });
  await using service = await startService({
    files: { "config/service.ini": `[service]\nplugins_path = ${folder.path}\nformats = json,odd\n` },
  });
  for (const path of ["/db.odd", "/db/Demo/Vessel/VesselId/1/VesselId.odd", "/db/Demo/Vessel.odd?limit=2"]) {
    const answer = await service.fetch(path);
    assert.deepEqual(
      [answer.status, answer.headers.get("content-type")],
      [500, "text/plain; charset=utf-8"],
      path,
    );
    assert.match(await answer.text(), /^500 /);
    assert.equal(await (await service.fetch("/db/Demo/Vessel/VesselId/1/VesselId.json")).text(), "1");
  }
  const log = await service.log();
  assert.match(log, /The format "odd" gave undefined, which is neither text nor bytes/);
  assert.match(log, /The format "odd" gave number, which is neither text nor bytes/);
  assert.match(log, /The format "odd" cannot show an error/);
});

Deno.test("two formats with one content type are a complaint", async () => {
  using folder = pluginFolder({
    "formats/twin/mod.ts": ODD_FORMAT.replace("text/odd", "text/csv").replace('name: "odd"', 'name: "twin"'),
  });
  const { code, stderr } = await serveWith(`plugins_path = ${folder.path}\nformats = json,csv,twin`);
  assert.equal(code, 1);
  assert.match(stderr, /The formats "csv" and "twin" both have the content type text\/csv: leave one out/);
});
