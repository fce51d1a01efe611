/**
 * Stage 4 of the page of a database: counts the rows of its tables.
 *
 * @module
 */

import { startDeadline } from "@/core/base/request_deadline.ts";
import type { ViewPlan } from "@/core/plan.ts";
import type { TablesPlan } from "./databases.ts";
import type { Log, ReadOptions } from "@/plugins/contract.ts";

/** Milliseconds. A page without numbers is better than a late one. */
const TIME = 1000;

/** The page; without numbers if they cannot be had in time, or one of the tables cannot be read. */
export async function countTables(
  { managed, database, counts, most, show }: TablesPlan,
  { signal }: ReadOptions,
  log: Log,
): Promise<ViewPlan> {
  if (counts.length === 0) return { kind: "view", view: show(new Map()) };
  using _lease = managed.lease(database);
  using deadline = startDeadline(signal, "The tables are not counted in time", TIME);
  try {
    const results = await database.read(counts, { signal: deadline.signal });
    const rows = results.map(([row], index) =>
      [counts[index]?.table ?? "", inWords(Number(row?.[0]), most)] as const
    );
    return { kind: "view", view: show(new Map(rows)) };
  } catch (error) {
    if (signal.aborted) throw error;
    log.info(`The tables of ${managed.definition.id} are not counted: ${String(error)}`);
    return { kind: "view", view: show(new Map()) };
  }
}

function inWords(count: number, most: number): string {
  const shown = (number: number) => number.toLocaleString("en");
  return count > most ? `more than ${shown(most)}` : shown(count);
}
