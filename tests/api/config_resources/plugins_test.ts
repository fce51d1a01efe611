import assert from "node:assert/strict";
import { join } from "node:path";
import { CONTRACT } from "@/plugins/contract.ts";
import { ROOT, startService } from "@/tests/support/service.ts";
import { send, START } from "./people.ts";

Deno.test("the plugins are listed with their contract and place, and those that are not enabled are not loaded", async () => {
  await using service = await startService(START);
  const plugins: readonly Readonly<Record<string, unknown>>[] = await JSON.parse(
    (await send(service, "admin", "GET /settings/plugins.json")).text,
  );
  const find = (kind: string, name: string) =>
    plugins.find((plugin) => plugin["kind"] === kind && plugin["name"] === name);
  assert.deepEqual(find("format", "json"), {
    kind: "format",
    name: "json",
    state: "loaded",
    contract: CONTRACT,
    place: join(ROOT, "formats/json/mod.ts"),
    settings: find("format", "json")?.["settings"],
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
  assert.match(text, /There is no folder of plugins/);
});
