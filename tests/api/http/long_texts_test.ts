import assert from "node:assert/strict";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { startService } from "@/tests/support/service.ts";

/** Its records are longer than a text of V8. */
const GIANT = `export default { contract: 2, kind: "format", name: "giant", setup: () => ({
  contentTypes: ["text/x-giant"],
  writer: () => () => ({ begin: () => "", row: () => "x".repeat(2 ** 29), end: () => "" }),
  document: () => "",
  problem: ({ status }) => String(status),
  schema: () => "",
}) };
`;

Deno.test("an answer whose text cannot be held is too large, and no failure of the service", async () => {
  using folder = pluginFolder({ "formats/giant/mod.ts": GIANT });
  await using service = await startService({
    files: { "config/service.ini": `[service]\nplugins_path = ${folder.path}\nformats = json,giant\n` },
  });
  const answer = await service.fetch("/db/Demo/Port.giant");
  assert.equal(answer.status, 400);
  assert.match(answer.headers.get("warning") ?? "", /The answer is too large to be built at once/);
  await answer.body?.cancel();
});
