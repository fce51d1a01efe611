/**
 * Labels behind the foreign keys of related records: only once these are read is it known which records to
 * ask for. Asking for them by key costs the same however many records are related.
 *
 * @module
 */

import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import type { Row } from "@/core/model.ts";
import type { Run } from "@/plugins/contract.ts";
import type { KeptExpansion } from "./kept_statement.ts";
import { MOST_RELATED } from "./related_part.ts";

/** The rows of each expansion. */
type Related = readonly (readonly Row[])[];

/** The rows of all expansions, those of the late ones at the end. `rows`: those of the others. */
export function readLate(
  expansions: readonly KeptExpansion[],
  late: readonly KeptExpansion[],
  rows: Related,
  read: (runs: readonly Run[]) => Eventual<Related>,
): Eventual<Related> {
  const asked = late.map((kept) => {
    const parent = expansions.findIndex(({ expansion }) => expansion.children.includes(kept.expansion));
    return runOf(kept, rows[parent] ?? []);
  });
  const runs = asked.filter((run) => run !== undefined);
  if (runs.length === 0) return [...rows, ...asked.map(() => [])];
  return whenThere(read(runs), (results) => {
    const rest = results.values();
    return [...rows, ...asked.map((run) => run ? rest.next().value ?? [] : [])];
  });
}

/** Undefined without a key to ask for. */
function runOf(
  { expansion: { local: [cell = -1] }, prepared, slots }: KeptExpansion,
  parents: readonly Row[],
): Run | undefined {
  const keys = parents.slice(0, MOST_RELATED).map((row) => row[cell] ?? null).filter((key) => key !== null);
  if (keys.length === 0) return undefined;
  // A key that is asked for twice stands for one that is missing.
  return { prepared, parameters: slots.map((slot) => keys[slot] ?? keys[0]) };
}
