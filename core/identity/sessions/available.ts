/**
 * Failures of the file system as answers.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import { LockedOut } from "@/core/storage/shared_file.ts";
import type { Log } from "@/plugins/contract.ts";

/** What work with session files gives. Throws 503 where the system does not do it: that may be over in a moment. */
export async function whereAvailable<T>(work: Promise<T>, log: Log): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof LockedOut) && !isOfSystem(error)) throw error;
    log.error("A session cannot be kept or changed", error);
    throw new ServiceError("unavailable", "Sessions are not available at the moment: try again later", {
      cause: error,
      headers: { "Retry-After": "5" },
    });
  }
}

/** Errors of the file system have the system's name for them: `ENOSPC`. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ServiceError) && "code" in error &&
    typeof error.code === "string";
}
