/**
 * Stage 4 of `Prefer: return=representation`: reads new records by their keys, with what stage 3 has planned for it.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Row } from "@/core/model.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import type { StreamOptions } from "@/plugins/contract.ts";
import { executeRead, type ShownRows } from "./execute_read.ts";
import { findCompiled, type ReadPlan, walkInput } from "./plan_read.ts";
import type { InsertPlan } from "./plan_write.ts";

/** Above this number of new records the answer has their paths, whatever the client prefers. */
const MOST_SHOWN = 1000;

/**
 * Reads the records in the order of their paths. Undefined if the plan shows none, and if they cannot be shown: they exist
 * by then, so this is not a failure.
 */
export async function readCreated(
  plan: InsertPlan,
  paths: readonly (string | null)[],
  isList: boolean,
  options: StreamOptions,
): Promise<ShownRows | undefined> {
  if (!plan.shown || paths.length > MOST_SHOWN) return undefined;
  try {
    const rows: Row[] = [];
    let compiled: ReadPlan["compiled"] | undefined;
    for (const path of paths) {
      if (path === null) return undefined;
      const read = planRecord(plan, plan.shown, path, isList);
      const { result } = await executeRead(read, options);
      if (result.kind === "rows") rows.push(...result.rows);
      compiled ??= read.compiled;
    }
    return compiled && { kind: "rows", compiled, result: { kind: "rows", rows } };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The compiled read is found by the walk's key, which for keys without a type depends on the value. */
function planRecord(
  { managed, connection, place }: InsertPlan,
  shown: NonNullable<InsertPlan["shown"]>,
  path: string,
  isList: boolean,
): ReadPlan {
  const segments = path.slice(place.databasePath.length + 1).split("/");
  const request = isList ? { ...shown.request, parameters: { wantarray: true } } : shown.request;
  const input = { ...shown, segments, request };
  const walk = walkPath(segments, walkInput(input));
  return {
    kind: "read",
    managed,
    connection,
    database: input.view.database,
    compiled: findCompiled(input, walk, false),
    values: walk.values,
    limit: undefined,
    offset: 0,
    stream: false,
  };
}
