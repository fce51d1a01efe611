import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess } from "@/tests/support/process.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { until } from "@/tests/support/until.ts";
import { pluginFolder, pluginSource } from "@/tests/unit/plugins/plugin_folder.ts";

/** Ends the thread of its worker as soon as the file is there, which it removes. */
const ENDING = `() => {
  if ("WorkerGlobalScope" in globalThis) setInterval(() => {
    try { Deno.removeSync(new URL("../../end", import.meta.url)); } catch { return; }
    globalThis.close();
  }, 10);
  return { contentTypes: ["text/x-ending"], writer() {}, document() {}, problem() {} };
}`;

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`a worker thread that ends itself is logged and replaced (${adapter})`, async () => {
    using folder = pluginFolder({ "formats/ending/mod.ts": pluginSource("format", "ending", ENDING) });
    const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,ending\n`;
    await using service = await startProcess({
      files: { "config/service.ini": settings },
      args: ["--workers", "2", "--adapter", adapter],
    });
    await Deno.writeTextFile(join(folder.path, "end"), "");
    await until(async () => /INFO Another worker thread has taken its place/.test(await service.log()));
    assert.match(await service.log(), /ERROR A worker thread is dead: it has ended itself\n/);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendRaw(service.port, { target: "/db/Demo/Port/PortId/1/Name.json" })),
    );
    assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['"Bergen"']));
    assert.equal((await service.stop()).code, 0);
  });
}
