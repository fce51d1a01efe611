import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import project from "@/deno.json" with { type: "json" };
import { ROOT } from "@/tests/support/root.ts";
import { startService } from "@/tests/support/service.ts";
import { pluginFolder, pluginSource } from "@/tests/support/plugin_folder.ts";

const MADE = [["format", "lines", "formats"], ["auth", "token", "auth"], [
  "dialect",
  "file",
  "plugins/dialects",
], ["cache", "files", "plugins/caches"]] as const;

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the program in a directory. */
async function run(cwd: string, ...args: readonly string[]): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", join(ROOT, "main.ts"), ...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs test files with the packages of the service, as the command that checks a plugin runs its own. */
async function runTests(files: readonly string[]): Promise<Pick<Ran, "code" | "stderr">> {
  const options = ["--allow-all", "--no-check", "--quiet", "--config", join(ROOT, "deno.json")];
  const args = ["test", ...options, "--lock", join(ROOT, "tests/deno.lock"), ...files];
  const command = new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } });
  const { code, stderr } = await command.output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

/** The complaints of `deno check` with the configuration that the guide tells, and Deno's own options. */
async function checkTypes(folder: string, files: readonly string[]): Promise<string> {
  const [config] = /^\{ "importMap": .*$/m.exec(await Deno.readTextFile(join(ROOT, "docs/plugins.md"))) ?? [];
  await Deno.writeTextFile(join(folder, "deno.json"), config?.replace("/path/to/rowhouse", ROOT) ?? "");
  const args = ["check", "--quiet", "--frozen", "--lock", join(ROOT, "tests/deno.lock"), ...files];
  const command = new Deno.Command(Deno.execPath(), { args, cwd: folder, env: { NO_COLOR: "1" } });
  return new TextDecoder().decode((await command.output()).stderr);
}

Deno.test("new plugins of each kind pass their own tests without a change, and serve", async () => {
  using folder = pluginFolder({});
  for (const [kind, name, place] of MADE) {
    const made = await run(folder.path, "plugin", "new", kind, name);
    const files = [
      "mod.ts",
      `${name}_test.ts`,
      "contract.d.ts",
      "README.md",
      ...(kind === "dialect" ? ["dialect.json"] : []),
    ];
    const expected = files.map((file) => `${join(place, name, file)}\n`).join("");
    assert.deepEqual(made, { code: 0, stdout: expected, stderr: "" });
  }
  const checked = await run(folder.path, "plugin", "check", "auth/token");
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.match(checked.stdout, /mod\.ts can be loaded and set up\n[^]*ok \| \d+ passed \| 0 failed/);
  const tests = MADE.map(([, name, place]) => join(folder.path, place, name, `${name}_test.ts`));
  assert.deepEqual(await runTests(tests), { code: 0, stderr: "" });
  assert.equal(await checkTypes(folder.path, tests), "");
  const again = await run(folder.path, "plugin", "new", "auth", "token");
  assert.deepEqual([again.code, again.stderr], [
    1,
    "There is something at auth/token already: nothing was written\n",
  ]);
  const taken = await Promise.all([
    run(folder.path, "plugin", "new", "auth", "basic"),
    run(folder.path, "plugin", "new", "dialect", "session"),
  ]);
  assert.deepEqual(taken.map(({ code, stderr }) => [code, stderr]), [
    [1, 'The authentication method "basic" comes with the service: a plugin needs another name\n'],
    [
      1,
      'The dialect "session" needs another name: keys that begin with "session." are settings of the service\n',
    ],
  ]);
  const wrong = await Promise.all([
    run(folder.path, "plugin", "new", "foo", "x"),
    run(folder.path, "plugin", "new", "auth", "X"),
  ]);
  assert.deepEqual(wrong.map(({ code, stderr }) => [code, stderr]), [
    [2, 'A plugin is a format, an auth, a dialect or a cache, not "foo"\n'],
    [2, 'A plugin\'s name has small letters, digits and _, and begins with a letter: not "X"\n'],
  ]);
  const shared = join(folder.path, "shared");
  await Deno.mkdir(shared);
  using file = new DatabaseSync(join(folder.path, "shop.db"));
  file.exec(
    "CREATE TABLE Port (Id INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT, IsOpen BOOLEAN); " +
      "INSERT INTO Port VALUES (1, 'Bergen', 1), (2, 'Oslo', 0)",
  );
  const key = "0123456789abcdef0123456789abcdef";
  await using service = await startService({
    files: {
      "config/service.ini": `[service]
plugins_path = ${folder.path}
formats = json,lines
session.type = ext:files
session.url = ${shared}
session.secret = 0123456789abcdef0123456789abcdef
`,
      "config/auth.cfg": "authentication_policies:\n  token: {enabled: true, priority: 1, header: X-Token}\n",
      "config/users.cfg": `public: {}\nanna: {apikey: ${key}, databases: {Shop: {}}}\n`,
      "config/databases.cfg": `Shop: {db_type: file, db_name: ${folder.path}/shop.db}\n`,
      "config/querydefs.cfg":
        "open: {database: Shop, sqlstr: SELECT Name FROM Port WHERE IsOpen = :is, parameters: {is: boolean}, execute: [anna]}\n",
    },
  });
  const read = async (path: string) =>
    await (await service.fetch(path, { headers: { "X-Token": key } })).text();
  const port = '{"__href":"/db/Shop/Port/Id/1.lines","Id":1,"Name":"Bergen","IsOpen":true}\n';
  assert.equal(await read("/db/Shop/Port/IsOpen/true.lines"), port);
  assert.equal(await read("/query/open/is/false.lines"), '{"Name":"Oslo"}\n');
  assert.deepEqual(Object.keys(JSON.parse(await read("/db/Shop.json")).Shop), ["__href", "Port"]);
  const documents = await service.fetch("/db.lines", { headers: { "X-Token": key } });
  assert.match(await documents.text(), /"__href":"\/db\/Shop\.lines"/);
  const refused = await service.fetch("/db.json", { headers: { "X-Token": "wrong" } });
  await refused.body?.cancel();
  const kept = [...Deno.readDirSync(shared)].map(({ name }) => name).filter((name) => name !== "lock");
  assert.deepEqual([refused.status, kept.length], [403, 1], "the cache counts wrong keys");
  const backup = join(folder.path, "backup");
  assert.equal((await run(folder.path, "backup", backup, "--home", service.home)).code, 0);
  const manifest = JSON.parse(await Deno.readTextFile(join(backup, "backup.json")));
  const saved = manifest.files.find(({ target }: { target?: string }) => target === `${folder.path}/shop.db`);
  using copy = new DatabaseSync(join(backup, saved.name), { readOnly: true });
  assert.equal(copy.prepare("SELECT Name FROM Port").get()?.["Name"], "Bergen");
});

Deno.test("the README of a new method enables it beside the methods of the sample", async () => {
  using folder = pluginFolder({});
  await run(folder.path, "plugin", "new", "auth", "token");
  await run(folder.path, "init", "home/config");
  const append = (file: string, line: string) =>
    Deno.writeTextFile(join(folder.path, "home/config", file), `${line}\n`, { append: true });
  const readme = await Deno.readTextFile(join(folder.path, "auth/token/README.md"));
  await append("auth.cfg", `  ${/token: \{.*$/m.exec(readme)?.[0]}`);
  await append("service.ini", `plugins_path = ${folder.path}`);
  const { code, stderr } = await run(folder.path, "check", "--home", "home");
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

Deno.test("a check tells mistakes of a plugin that is not enabled", async () => {
  using folder = pluginFolder({
    "formats/half/mod.ts": pluginSource("format", "half"),
    "formats/other/mod.ts": pluginSource("format", "another"),
    "formats/wrong/mod.ts": pluginSource(
      "format",
      "wrong",
      '() => ({ contentTypes: ["text/x"], writer() {}, document() {}, problem() {} })',
    ),
    "formats/csv/mod.ts": pluginSource("format", "csv"),
    "formats/typed/mod.ts":
      'export default { contract: 2, kind: "format", name: "typed", settings: { a: { type: "int" } }, setup() {} };',
    "plugins/dialects/untitled/mod.ts": pluginSource("dialect", "untitled", "() => ({ connect() {} })"),
    "plugins/dialects/untitled/dialect.json": "{}",
    "formats/stuck/mod.ts": "await new Promise(() => {});",
    "home/config/service.ini":
      "[service]\nserver.plugin_timeout = 1\nformats = json,stuck\nplugins_path = .\n",
    "formats/wrong/wrong_test.ts": 'Deno.test("it works", () => { throw new Error("it does not"); });\n',
  });
  const untitled = await run(folder.path, "plugin", "check", "plugins/dialects/untitled");
  const at = join(folder.path, "plugins/dialects/untitled/dialect.json");
  assert.deepEqual([untitled.code, untitled.stderr], [1, `${at}: title must be a text\n`]);
  const check = (name: string) => run(folder.path, "plugin", "check", `formats/${name}`);
  const [half, other, wrong, none] = await Promise.all(["half", "other", "wrong", "none"].map(check));
  const late = "its module has not ended after 1 seconds (server.plugin_timeout)";
  const stuck = await run(folder.path, "plugin", "check", "formats/stuck", "--home", "home");
  assert.ok(stuck.stderr.endsWith(`stuck/mod.ts cannot be loaded: ${late}\n`), stuck.stderr);
  const nowhere = await run(folder.path, "plugin", "check", "nowhere/formats/lines");
  assert.match(nowhere.stderr, /^nowhere\/formats\/lines is no plugin: expected formats\/NAME/);
  const [csv, typed] = await Promise.all(["csv", "typed"].map(check));
  assert.deepEqual([csv?.code, csv?.stderr], [
    1,
    `${folder.path}/formats/csv/mod.ts: The format "csv" comes with the service: a plugin needs another name\n`,
  ]);
  assert.match(
    typed?.stderr ?? "",
    /^\/\S*\/formats\/typed\/mod\.ts: The plugin "typed" declares a setting "a" that has no type of text/,
  );
  assert.match(
    half?.stderr ?? "",
    /^\/.*\/formats\/half\/mod\.ts: The format "half" cannot be set up: of what its setup gives contentTypes must be a list/,
  );
  assert.match(other?.stderr ?? "", /calls itself "another": it must have the name of its folder, "other"/);
  assert.match(wrong?.stdout ?? "", /can be loaded and set up[^]*it does not/);
  assert.match(
    none?.stderr ?? "",
    /^formats\/none is no plugin: expected formats\/NAME, auth\/NAME, plugins/,
  );
  assert.deepEqual([half, other, wrong, none].map((each) => each?.code), [1, 1, 1, 1]);
});

Deno.test("a check tells that a plugin has no test", async () => {
  const setup = "() => ({ authenticate() {} })";
  using folder = pluginFolder({
    "auth/mine/mod.ts": pluginSource("auth", "mine", setup),
    "auth/mine/mine.test.ts": "",
  });
  const { code, stdout } = await run(folder.path, "plugin", "check", "auth/mine");
  const place = join(folder.path, "auth/mine");
  assert.deepEqual([code, stdout.split("\n")], [0, [
    `${place}/mod.ts can be loaded and set up`,
    `${place}/*_test.ts: there is no test, so neither types nor behaviour were checked`,
    "",
  ]]);
});

Deno.test("tests of a plugin import packages that the lock file of the service does not have", async () => {
  using folder = pluginFolder({
    "auth/mine/mod.ts": pluginSource("auth", "mine", "() => ({ authenticate() {} })"),
    "auth/mine/mine_test.ts":
      'import { parse } from "npm:yaml@^2.9.0";\nDeno.test("reads", () => void parse("a: 1"));\n',
  });
  const lock = await Deno.readTextFile(join(ROOT, "tests/deno.lock"));
  const { code, stdout, stderr } = await run(folder.path, "plugin", "check", "auth/mine");
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /1 passed/);
  assert.equal(await Deno.readTextFile(join(ROOT, "tests/deno.lock")), lock);
});

Deno.test("the list of plugins shows what is enabled, and the values of declared settings alone", async () => {
  using folder = pluginFolder({
    "formats/lines/mod.ts": pluginSource("format", "lines"),
    "formats/idle/mod.ts": 'throw new Error("it must not run");',
    "home/config/service.ini": "",
    "home/config/auth.cfg":
      "authentication_policies:\n  apikey: {enabled: true, priority: 1, appid_name: X-App}\n",
  });
  const settings =
    `[service]\nplugins_path = ${folder.path}\nformats = json,lines\nlines_sdb.secret = hush\n`;
  await Deno.writeTextFile(join(folder.path, "home/config/service.ini"), settings);
  const { code, stdout } = await run(folder.path, "plugin", "list", "--home", "home");
  const rows = stdout.split("\n").map((line) => line.split("\t"));
  assert.equal(code, 0);
  const row = (kind: string, name: string) =>
    rows.find((each) => each[0] === kind && each[1] === name)?.slice(2);
  assert.deepEqual(row("format", "lines"), [
    "",
    "contract 2",
    `${folder.path}/formats/lines/mod.ts`,
    "secret",
  ]);
  assert.deepEqual(row("format", "idle"), ["", "not enabled", `${folder.path}/formats/idle/mod.ts`]);
  assert.deepEqual(row("auth", "apikey"), [
    "",
    "contract 2",
    join(ROOT, "auth/apikey/mod.ts"),
    'appid_name="X-App"',
  ]);
  assert.equal(row("dialect", "mssql")?.[1], "not enabled");
  assert.equal(stdout.includes("hush"), false);
});

/** Runs a command of authors as the program file does: with its permissions, and without the source. */
const AS_PROGRAM_FILE = `
Object.assign(Deno, { build: { ...Deno.build, standalone: true } });
const { packPlugin } = await import(${JSON.stringify(join(ROOT, "core/start/plugin_commands.ts"))});
Deno.exit(await packPlugin(...Deno.args));
`;

Deno.test("the program file tells the command that packs a plugin, because it may not start Deno", async () => {
  using folder = pluginFolder({
    "formats/lines/mod.ts": pluginSource("format", "lines"),
    "program.ts": AS_PROGRAM_FILE,
  });
  const permissions = project.tasks.compile.command.match(/--allow-\S+/g) ?? [];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--config",
      join(ROOT, "deno.json"),
      ...permissions,
      "program.ts",
      "formats/lines",
    ],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const place = `${folder.path}/formats/lines`;
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [
    1,
    "The program file does not start Deno. This command packs the plugin:\n" +
    `  deno bundle --quiet --no-config --no-lock --platform deno --output ${place}/packed/mod.js ${place}/mod.ts\n`,
  ]);
});

/** Whether `deno bundle` has its bundler, which it fetches once; tests fetch nothing. */
async function canPack(): Promise<boolean> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir }: { readonly denoDir: string } = JSON.parse(new TextDecoder().decode(stdout));
  const downloads = join(denoDir, "dl");
  return existsSync(downloads) &&
    [...Deno.readDirSync(downloads)].some(({ name }) => name.startsWith("esbuild-"));
}

Deno.test({
  name: "a plugin with a package is packed into one file, which serves under the frozen lock file",
  ignore: !await canPack(),
  async fn() {
    const parser = 'import { parse } from "npm:csv-parse@7.0.3/sync";\n';
    const setup = `() => ({
      contentTypes: ["text/x-split"],
      writer: () => () => ({ begin: () => "", row: (row) => JSON.stringify(parse(row.join())) + "\\n", end: () => "" }),
      document: () => "", problem: () => "",
    })`;
    using folder = pluginFolder({ "formats/split/mod.ts": parser + pluginSource("format", "split", setup) });
    const packed = await run(folder.path, "plugin", "pack", "formats/split");
    const file = join(folder.path, "formats/split/packed/mod.js");
    assert.deepEqual({ ...packed, stderr: "" }, { code: 0, stdout: `${file}\n`, stderr: "" });
    await Deno.remove(join(folder.path, "formats/split/mod.ts"));
    await Deno.rename(file, join(folder.path, "formats/split/mod.js"));
    await using service = await startService({
      files: { "config/service.ini": `[service]\nplugins_path = ${folder.path}\nformats = json,split\n` },
    });
    const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.split");
    assert.equal(await answer.text(), '[["Bergen"]]\n');
  },
});
