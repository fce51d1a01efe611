/**
 * @module What the parts of the dialect suite share: tests that do not apply,
 * and statements of another program.
 */

import assert from "node:assert/strict";
import type { DialectSuite, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";

/** A register of tests that a suite ignores as a whole if there is a reason. */
export function ignoring(register: Register, ignored: string | undefined): Register {
  return (title, run, pool, own) => register(title, run, pool, own ?? ignored);
}

/** A register of tests that end a statement in the midst of its work, and that statement. */
export function ending(
  register: Register,
  { endless }: Pick<DialectSuite, "endless">,
): { readonly endingOne: Register; readonly endless: string } {
  const reason = endless === undefined ? "nothing can end a statement" : undefined;
  return { endingOne: ignoring(register, reason), endless: endless ?? "" };
}

/** Runs statements as another program would. */
export async function beside({ beside }: OpenedDialect, script: string): Promise<void> {
  assert.ok(beside, "A dialect that is not in this process has `beside`");
  await beside(script);
}
