/**
 * Keeps a restore away from processes that serve. The system releases the lock when its holder ends.
 *
 * @module
 */

import { join } from "node:path";
import { ServiceError } from "@/core/errors.ts";

/**
 * Marks the state directory as in use until disposed of. Several processes may serve
 * from it. Throws during a restore.
 */
export function holdState(state: string): Disposable {
  return lock(state, { alone: false, refusal: "a restore is under way" });
}

/** Has the state directory alone until disposed of. Throws while a process serves from it. */
export function takeState(state: string): Disposable {
  return lock(state, { alone: true, refusal: "the service is running; stop it first" });
}

function lock(state: string, { alone, refusal }: { readonly alone: boolean; readonly refusal: string }) {
  const file = Deno.openSync(join(state, "serving.lock"), { write: true, create: true, mode: 0o600 });
  if (file.tryLockSync(alone)) return file;
  file.close();
  throw new ServiceError("internal", `Cannot use "${state}": ${refusal}`);
}
