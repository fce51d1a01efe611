/**
 * What a database's failure means to the caller. The engine's own words stay in the log, but for what its integrity
 * rules say.
 *
 * @module
 */

import type { Connection, ManagedDatabase } from "./databases.ts";
import { ServiceError } from "./errors.ts";
import type { Schema, Table } from "./schema.ts";
import type { Failure } from "@/plugins/contract.ts";

/** Seconds after which a caller may try again. */
const RETRY_AFTER = "2";

type Explain = (cause: unknown) => ServiceError;

const EXPLANATIONS: { readonly [Kind in Exclude<Failure, "integrity">]: Explain } = {
  permission: (cause) =>
    new ServiceError("forbidden", "The database login lacks the rights for this", { cause }),
  timeout: (cause) => {
    const message = "The database took too long: narrow the request with filters or a limit";
    return new ServiceError("timeout", message, { cause });
  },
  unavailable: (cause) => unavailable("The database is busy or cannot be reached: try again later", cause),
  changed: (cause) =>
    unavailable("The database's tables have changed and are being read again: try again", cause),
  "too-complex": (cause) => {
    const message = "The request is too complex for the database: use fewer or shorter filters";
    return new ServiceError("bad-request", message, { cause });
  },
};

/** What failed, and what its caller may be told of. */
export interface FailedPlan {
  readonly kind: "read" | "insert" | "update" | "delete";
  readonly connection: Connection;
  readonly managed: ManagedDatabase;
  readonly table?: Table;
  readonly visible?: Schema;
}

/** An error of a database as the caller gets it; what no dialect knows is passed on and becomes 500. */
export function explainFailure(
  error: unknown,
  failed: FailedPlan,
): unknown {
  const { connection, managed } = failed;
  if (error instanceof ServiceError) return error;
  const failure = connection.database.classify(error);
  if (failure === undefined) return error;
  if (failure === "changed") void managed.connect();
  if (failure !== "integrity") return EXPLANATIONS[failure](error);
  const words = wordsFor(connection.database.explain(error), failed);
  if (failed.kind !== "update") {
    return new ServiceError("conflict", `The database refuses this: ${words}`, { cause: error });
  }
  return new ServiceError("update-conflict", `Commit failed during update: ${words}`, { cause: error });
}

/** Of the database's own words only what names nothing that the caller may not see. */
function wordsFor(words: string, { managed: { definition }, visible, table }: FailedPlan): string {
  const excluded = [...definition.excludedColumns.values()].flat();
  const isHidden = excluded.some((name) => words.includes(name)) ||
    qualifiedNames(words).some(([owner, column]) => {
      const known = owner === table?.name ? table : visible?.tables.exact(owner);
      return known?.columnNames.exact(column) === undefined;
    });
  return isHidden ? "a rule of the database does not allow it" : words;
}

/** What looks like `table.column`. */
function qualifiedNames(words: string): readonly (readonly [string, string])[] {
  return [...words.matchAll(/([^\s,:.]+)\.([^\s,:.]+)/g)].map((
    [, owner = "", column = ""],
  ) => [owner, column]);
}

function unavailable(message: string, cause: unknown): ServiceError {
  return new ServiceError("unavailable", message, { cause, headers: { "Retry-After": RETRY_AFTER } });
}
