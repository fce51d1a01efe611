/**
 * @module What the parts of the dialect suite share: tests that do not apply,
 * and statements of another program.
 */

import assert from "node:assert/strict";
import type { OpenedDialect, Register } from "@/tests/conformance/dialect.ts";

/** A register of tests that a suite ignores as a whole if there is a reason. */
export function ignoring(register: Register, ignored: string | undefined): Register {
  return (title, run, pool, own) => register(title, run, pool, own ?? ignored);
}

/** Runs statements as another program would. */
export async function beside({ beside }: OpenedDialect, script: string): Promise<void> {
  assert.ok(beside, "A dialect that is not in this process has `beside`");
  await beside(script);
}
