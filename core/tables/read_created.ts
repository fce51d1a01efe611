/**
 * Stage 4 of `Prefer: return=representation`: runs the read that stage 3 has compiled, once for each new key.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Row } from "@/core/model.ts";
import { readKeyWalk } from "@/core/schema/key_walk.ts";
import type { StreamOptions } from "@/plugins/contract.ts";
import { readRows, type ShownRows } from "./execute_read.ts";
import type { CreatedRead } from "./plan_created.ts";
import { findCompiled, type ReadPlan } from "./plan_read.ts";
import type { InsertPlan } from "./plan_write.ts";

/** Above this number of new records the answer has their paths, whatever the client prefers. */
const MOST_SHOWN = 1000;

/**
 * Reads the records in the order of their paths. Undefined if the plan shows none, and if they cannot be
 * shown: they exist by then, so this is not a failure.
 */
export function readCreated(
  plan: InsertPlan,
  paths: readonly (string | null)[],
  isList: boolean,
  options: StreamOptions,
): Eventual<ShownRows | undefined> {
  if (!plan.shown || paths.length > MOST_SHOWN) return undefined;
  const { table, key, list, record } = plan.shown;
  const shown = { table, key, ...(isList ? list : record) };
  return readShown(paths, (path) => bindKey(plan, shown, path), options);
}

async function readShown(
  paths: readonly (string | null)[],
  bind: (path: string) => ReadPlan,
  options: StreamOptions,
): Promise<ShownRows | undefined> {
  try {
    const rows: Row[] = [];
    let compiled: ReadPlan["compiled"] | undefined;
    for (const path of paths) {
      if (path === null) return undefined;
      const read = bind(path);
      rows.push(...await readRows(read, options));
      compiled ??= read.compiled;
    }
    return compiled && { kind: "rows", compiled, result: { kind: "rows", rows } };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The planned read with the key of a new record. */
function bindKey(
  { managed, connection, place }: InsertPlan,
  { table, key, input, compiled }: Pick<CreatedRead, "table" | "key"> & CreatedRead["list"],
  path: string,
): ReadPlan {
  const segments = path.slice(place.databasePath.length + 1).split("/");
  const { request: { grammar }, view: { database } } = input;
  const walk = readKeyWalk(table, segments, { grammar, traits: connection.database.sql });
  return {
    kind: "read",
    managed,
    connection,
    database,
    // In a column with cells of several types, the shape of the read depends on the value.
    compiled: walk.key === key ? compiled : findCompiled(input, walk, false),
    values: walk.values,
    limit: undefined,
    offset: 0,
    stream: false,
  };
}
