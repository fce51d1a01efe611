import assert from "node:assert/strict";
import { join } from "node:path";
import json from "@/formats/json/mod.ts";
import { CONTRACT } from "@/plugins/contract.ts";
import { ROOT } from "@/tests/support/root.ts";
import { startService } from "@/tests/support/service.ts";
import { send, START } from "./people.ts";

const SENTENCES = Object.values(json.settings).map(({ sentence }) => sentence);

Deno.test("the plugins are listed with their contract and place, and those that are not enabled are not loaded", async () => {
  await using service = await startService({
    ...START,
    files: { ...START.files, "config/service.ini": "[service]\njson_sdb.indent = 2\n" },
  });
  const plugins: readonly Readonly<Record<string, unknown>>[] = await JSON.parse(
    (await send(service, "admin", "GET /settings/plugins.json")).text,
  );
  const find = (kind: string, name: string) =>
    plugins.find((plugin) => plugin["kind"] === kind && plugin["name"] === name);
  assert.deepEqual(find("format", "json"), {
    kind: "format",
    name: "json",
    state: "loaded",
    version: null,
    contract: CONTRACT,
    place: join(ROOT, "formats/json/mod.ts"),
    settings: [
      { key: "indent", is_set: true, value: 2, type: "integer", default: 4, sentence: SENTENCES[0] },
      { key: "href", is_set: false, value: true, type: "boolean", default: true, sentence: SENTENCES[1] },
      {
        key: "utc_suffix",
        is_set: false,
        value: false,
        type: "boolean",
        default: false,
        sentence: SENTENCES[2],
      },
      {
        key: "single_as_array",
        is_set: false,
        value: false,
        type: "boolean",
        default: false,
        sentence: SENTENCES[3],
      },
    ],
  });
  assert.deepEqual([find("dialect", "mssql")?.["state"], find("dialect", "mssql")?.["contract"]], [
    "not enabled",
    null,
  ]);
  assert.ok(plugins.every(({ state }) => state !== "cannot be loaded"));
});

Deno.test("a folder of plugins that went away after the start is named", async () => {
  const folder = await Deno.makeTempDir();
  await using service = await startService({
    ...START,
    files: { ...START.files, "config/service.ini": `[service]\nplugins_path = ${folder}\n` },
  });
  await Deno.remove(folder);
  const { status, text } = await send(service, "admin", "GET /settings/plugins.json");
  assert.equal(status, 503);
  assert.match(text, /There is no folder .*, which plugins_path of service.ini names/);
});
