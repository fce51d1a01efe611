import assert from "node:assert/strict";
import { startProcess } from "@/tests/support/process.ts";

const STARTS: readonly (readonly [what: string, args: readonly string[], warnings: number])[] = [
  ["on every address, of two workers", ["--adapter", "deno", "--host", "0.0.0.0", "--workers", "2"], 1],
  ["on loopback", ["--adapter", "deno"], 0],
  ["of the node adapter on every address", ["--adapter", "node", "--host", "0.0.0.0"], 0],
];

for (const [what, args, warnings] of STARTS) {
  Deno.test(`a start ${what} has ${warnings} warnings about what Deno.serve lacks`, async () => {
    await using service = await startProcess({ args });
    const found =
      (await service.log()).match(/WARN The deno adapter closes neither .* use --adapter node/g) ?? [];
    assert.equal(found.length, warnings);
  });
}
