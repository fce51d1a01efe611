import assert from "node:assert/strict";
import { BUILT_IN_ROOT, discoverPlugins, type PluginKind } from "@/plugins/discover.ts";
import { enablePlugins, type PluginName } from "@/plugins/load.ts";
import { pluginFolder, pluginSource } from "@/tests/support/plugin_folder.ts";
import { until } from "@/tests/support/until.ts";

function named(kind: PluginKind, ...names: readonly string[]): readonly PluginName[] {
  return names.map((name) => ({ kind, name }));
}

async function complaintsOf(loading: ReturnType<typeof enablePlugins>): Promise<readonly string[]> {
  return (await loading).refused.map(({ complaint }) => complaint);
}

Deno.test("plugins are enabled in the order of the configuration", async () => {
  using folder = pluginFolder({
    "formats/a/mod.ts": pluginSource("format", "a"),
    "formats/b/mod.ts": pluginSource("format", "b"),
  });
  const { plugins } = await enablePlugins(named("format", "b", "a"), discoverPlugins([folder.path]));
  assert.deepEqual(plugins.map(({ name }) => name), ["b", "a"]);
});

Deno.test("what is not enabled is not imported", async () => {
  const trace = "globalThis.imported = [...(globalThis.imported ?? []), import.meta.url];\n";
  using folder = pluginFolder({
    "formats/used/mod.ts": trace + pluginSource("format", "used"),
    "formats/unused/mod.ts": trace + pluginSource("format", "unused"),
    "auth/used/mod.ts": trace + pluginSource("auth", "used"),
  });
  await enablePlugins(named("format", "used"), discoverPlugins([folder.path]));
  const imported: unknown = Reflect.get(globalThis, "imported");
  Reflect.deleteProperty(globalThis, "imported");
  assert.deepEqual(imported, [new URL(`file://${folder.path}/formats/used/mod.ts`).href]);
});

/** Broken plugins and their complaints. `PATH` stands for the path of the plugin's mod.ts. */
const BROKEN: readonly (readonly [name: string, source: string, complaint: string | RegExp])[] = [
  [
    "no default export",
    "export const format = {};",
    "The plugin PATH has no default export: export an object with contract, kind, name and setup",
  ],
  [
    "a default export that is no object",
    "export default () => ({});",
    "The plugin PATH has a default export that is no object: export an object with contract, kind, name and setup",
  ],
  [
    "a mistake in its code",
    'const section = {};\nsection.a.b;\nexport default { contract: 2, kind: "format", name: "broken" };',
    /^The plugin PATH cannot be loaded: Cannot read .* \(file:\/\/PATH:2:\d+\)$/,
  ],
  [
    "a later contract",
    'export default { contract: 3, kind: "format", name: "broken", setup: () => ({}) };',
    "The plugin PATH is made for contract 3: this service has contract 2 and loads 1, too",
  ],
  [
    "no contract",
    'export default { kind: "format", name: "broken", setup: () => ({}) };',
    "The plugin PATH is made for contract undefined: this service has contract 2 and loads 1, too",
  ],
  [
    "another kind",
    pluginSource("auth", "broken"),
    'The plugin PATH says it is of kind "auth": in this folder it must be "format"',
  ],
  [
    "another name",
    pluginSource("format", "brocken"),
    'The plugin PATH calls itself "brocken": it must have the name of its folder, "broken"',
  ],
  [
    "no setup",
    'export default { contract: 1, kind: "format", name: "broken" };',
    "The plugin PATH has no function setup(section, host)",
  ],
  [
    "a module that throws",
    'throw new Error("the library is missing");',
    "The plugin PATH cannot be loaded: the library is missing",
  ],
  ["a module that is no TypeScript", "export default {", /^The plugin PATH cannot be loaded: .+/],
  ["an import that is not there", 'import "./gone.ts";', /^The plugin PATH cannot be loaded: .*gone\.ts/],
];

for (const [name, source, complaint] of BROKEN) {
  Deno.test(`a plugin with ${name} is refused`, async () => {
    using folder = pluginFolder({ "formats/broken/mod.ts": source });
    const found = discoverPlugins([folder.path]);
    const complaints = await complaintsOf(enablePlugins(named("format", "broken"), found));
    const [shown = "", ...more] = complaints.map((text) =>
      text.replaceAll(`${folder.path}/formats/broken/mod.ts`, "PATH")
    );
    if (typeof complaint === "string") assert.equal(shown, complaint);
    else assert.match(shown, complaint);
    assert.deepEqual(more, []);
  });
}

Deno.test("a plugin that is not there is refused with the nearest name", async () => {
  using folder = pluginFolder({ "auth/apikey/mod.ts": "", "auth/basic/mod.ts": "" });
  const found = discoverPlugins([folder.path]);
  const complaintAbout = (name: string) => complaintsOf(enablePlugins(named("auth", name), found));
  assert.deepEqual(await complaintAbout("basci"), [
    'There is no authentication method "basci" (no folder auth/basci with a mod.ts or mod.js below this program ' +
    'or plugins_path): did you mean "basic"?',
  ]);
  assert.deepEqual(await complaintAbout("kerberos"), [
    'There is no authentication method "kerberos" (no folder auth/kerberos with a mod.ts or mod.js below this ' +
    "program or plugins_path): there are apikey, basic",
  ]);
});

Deno.test("a plugin that is there twice is refused with both paths, even if both are the same", async () => {
  using one = pluginFolder({ "formats/yaml/mod.ts": pluginSource("format", "yaml") });
  using two = pluginFolder({ "formats/yaml/mod.ts": pluginSource("format", "yaml") });
  const found = discoverPlugins([one.path, two.path]);
  assert.deepEqual(await complaintsOf(enablePlugins(named("format", "yaml"), found)), [
    `The format "yaml" is there more than once: remove or rename one of ` +
    `${one.path}/formats/yaml/mod.ts and ${two.path}/formats/yaml/mod.ts`,
  ]);
});

Deno.test("a plugin in a folder beside or inside that of the service must end in time, too", async () => {
  for (const root of [`${BUILT_IN_ROOT}-plugins`, `${BUILT_IN_ROOT}/own`]) {
    const url =
      `data:text/javascript,await new Promise((end) => setTimeout(end, 50)); globalThis["${root}"] = "ended";`;
    const path = `${root}/formats/late/mod.js`;
    const found = [{ kind: "format", name: "late", path, url }] as const;
    assert.deepEqual(await complaintsOf(enablePlugins(named("format", "late"), found, 0.01)), [
      `The plugin ${path} cannot be loaded: its module has not ended after 0.01 seconds (server.plugin_timeout)`,
    ]);
    // The timer of the module may not outlive the test.
    await until(() => Reflect.get(globalThis, root) === "ended");
  }
});

Deno.test("everything that is wrong is told at once", async () => {
  using folder = pluginFolder({
    "formats/bad/mod.ts": "export default 1;",
    "formats/good/mod.ts": pluginSource("format", "good"),
    "formats/worse/mod.ts": "throw new Error('no');",
  });
  const wanted = named("format", "bad", "good", "gone", "worse");
  const complaints = await complaintsOf(enablePlugins(wanted, discoverPlugins([folder.path])));
  assert.deepEqual(complaints.map((text) => /formats\/(\w+)/.exec(text)?.[1]), ["bad", "gone", "worse"]);
});

Deno.test("the program file tells what to do with a plugin of TypeScript, which it cannot load", async () => {
  using folder = pluginFolder({ "formats/typed/mod.ts": "export default (;" });
  const { build } = Deno;
  Object.assign(Deno, { build: { ...build, standalone: true } });
  try {
    const [complaint] = await complaintsOf(
      enablePlugins(named("format", "typed"), discoverPlugins([folder.path])),
    );
    assert.match(
      complaint ?? "",
      /\n {2}The program file loads JavaScript only: pack it and install its mod\.js$/,
    );
  } finally {
    Object.assign(Deno, { build });
  }
});
