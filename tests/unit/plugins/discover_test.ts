import assert from "node:assert/strict";
import { join } from "node:path";
import { BUILT_IN_ROOT, discoverPlugins, PluginError } from "@/plugins/discover.ts";
import { ROOT } from "@/tests/support/root.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";

/** A module that must never run: a scan imports nothing. */
const THROWS = "throw new Error('this module has been imported');\n";

Deno.test("the scan finds plugins of every kind by their folders and imports none", () => {
  using folder = pluginFolder({
    "formats/yaml/mod.ts": THROWS,
    "formats/ndjson/mod.ts": THROWS,
    "auth/token/mod.ts": THROWS,
    "plugins/dialects/duckdb/mod.ts": THROWS,
    "plugins/caches/etcd/mod.ts": THROWS,
  });
  const url = new URL(`file://${folder.path}/`).href;
  assert.deepEqual(
    discoverPlugins([folder.path]),
    [
      ["format", "ndjson", "formats/ndjson/mod.ts"],
      ["format", "yaml", "formats/yaml/mod.ts"],
      ["auth", "token", "auth/token/mod.ts"],
      ["dialect", "duckdb", "plugins/dialects/duckdb/mod.ts"],
      ["cache", "etcd", "plugins/caches/etcd/mod.ts"],
    ].map(([kind, name, path = ""]) => ({ kind, name, url: url + path, path: join(folder.path, path) })),
  );
});

Deno.test("files and folders without a module are no plugins", () => {
  using folder = pluginFolder({
    "formats/README.md": "",
    "formats/mod.ts": THROWS,
    "formats/half/writer.ts": THROWS,
    "formats/deep/er/mod.ts": THROWS,
    "formats/folder/mod.ts/x": "",
    "auth": "a file in the place of the folder",
    "dialects/duckdb/mod.ts": THROWS,
  });
  assert.deepEqual(discoverPlugins([folder.path]), []);
});

Deno.test("built-in plugins are found by the same scan", () => {
  assert.equal(join(BUILT_IN_ROOT), join(ROOT));
  const found = discoverPlugins([BUILT_IN_ROOT]).map(({ kind, name }) => `${kind} ${name}`);
  const expected = ["format csv", "format html", "format json", "format txt", "format xml", "auth apikey"];
  assert.deepEqual([...expected, "dialect sqlite"].filter((name) => !found.includes(name)), []);
});

Deno.test("the same name in two roots is found twice, first root first", () => {
  using mine = pluginFolder({ "formats/json/mod.ts": THROWS });
  const paths = discoverPlugins([BUILT_IN_ROOT, mine.path]).filter(({ name }) => name === "json").map((
    { path },
  ) => path);
  assert.deepEqual(paths, [join(ROOT, "formats/json/mod.ts"), join(mine.path, "formats/json/mod.ts")]);
});

Deno.test("a folder name that needs escaping is found under its name", () => {
  using folder = pluginFolder({ "formats/a b%20#c/mod.ts": THROWS });
  const [found] = discoverPlugins([folder.path]);
  assert.equal(found?.name, "a b%20#c");
  assert.equal(found?.url.endsWith("/formats/a%20b%2520%23c/mod.ts"), true);
});

Deno.test("roots that are not there are all named", () => {
  using folder = pluginFolder({ "file": "" });
  const roots = [`${folder.path}/nowhere`, folder.path, `${folder.path}/file`];
  assert.throws(() => discoverPlugins(roots), (error: unknown) => {
    assert.ok(error instanceof PluginError);
    assert.deepEqual(error.complaints, [
      `There is no folder "${folder.path}/nowhere", which plugins_path of service.ini names`,
      `There is no folder "${folder.path}/file", which plugins_path of service.ini names`,
    ]);
    return true;
  });
});
