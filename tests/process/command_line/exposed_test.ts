import assert from "node:assert/strict";
import { startProcess } from "@/tests/support/process.ts";

const PROXY = "trusted_proxies = 127.0.0.1";
const STARTS:
  readonly (readonly [what: string, args: readonly string[], setting: string, warnings: number])[] = [
    ["without a proxy, of two workers", ["--adapter", "deno", "--workers", "2"], "", 1],
    ["on every address", ["--adapter", "deno", "--host", "0.0.0.0"], PROXY, 1],
    ["on loopback behind a proxy", ["--adapter", "deno"], PROXY, 0],
    ["of the node adapter on every address", ["--adapter", "node", "--host", "0.0.0.0"], "", 0],
  ];

for (const [what, args, setting, warnings] of STARTS) {
  Deno.test(`a start ${what} has ${warnings} warnings about what Deno.serve lacks`, async () => {
    await using service = await startProcess({
      args,
      files: { "config/service.ini": `[service]\n${setting}\n` },
    });
    const found =
      (await service.log()).match(/WARN The deno adapter closes neither .* use --adapter node/g) ?? [];
    assert.equal(found.length, warnings);
  });
}
