/**
 * @module Memory that malloc keeps between pieces in use goes back to the system.
 */

import assert from "node:assert/strict";
import { canReturnMemory, returnMemory } from "@/core/base/process_memory.ts";
import { until } from "@/tests/support/until.ts";

const PIECE = 65_536;
const PIECES = 4096;
const MEBIBYTE = 2 ** 20;

Deno.test({
  name: "free memory between pieces in use goes back to the system",
  ignore: Deno.build.env !== "gnu",
  async fn() {
    assert.ok(canReturnMemory());
    const library = Deno.dlopen("libc.so.6", {
      malloc: { parameters: ["usize"], result: "pointer" },
      memset: { parameters: ["pointer", "i32", "usize"], result: "pointer" },
      free: { parameters: ["pointer"], result: "void" },
    });
    const { malloc, memset, free } = library.symbols;
    const pieces = Array.from({ length: PIECES }, () => memset(malloc(BigInt(PIECE)), 1, BigInt(PIECE)));
    try {
      for (let index = 0; index < PIECES; index += 2) free(pieces[index] ?? null);
      const before = Deno.memoryUsage().rss;
      await using _memory = returnMemory({ workers: 1 }, 20);
      await until(() => Deno.memoryUsage().rss < before - 100 * MEBIBYTE);
    } finally {
      for (let index = 1; index < PIECES; index += 2) free(pieces[index] ?? null);
      library.close();
    }
  },
});
