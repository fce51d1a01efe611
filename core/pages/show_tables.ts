/**
 * Stage 4 of the page of a database: counts the rows of its tables.
 *
 * @module
 */

import { startDeadline } from "@/core/base/in_time.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { ViewPlan } from "@/core/plan.ts";
import type { TablesPlan } from "./databases.ts";

/** Milliseconds. A page without numbers is better than a late one. */
const TIME = 1000;
/** Tables that are counted together. */
const TOGETHER = 60;

/** The page, with the numbers that are there in time. A table that cannot be read ends the counting. */
export async function showTables(
  { managed, database, counts, most, show }: TablesPlan,
  { signal, requestId, turn, log }: Pick<Exchange, "signal" | "requestId" | "turn" | "log">,
): Promise<ViewPlan> {
  if (counts.length === 0) return { kind: "view", view: show(new Map()) };
  using _lease = managed.lease(database);
  using deadline = startDeadline(signal, "The tables are not counted in time", TIME);
  const rows = new Map<string, string>();
  try {
    for (let start = 0; start < counts.length; start += TOGETHER) {
      const part = counts.slice(start, start + TOGETHER);
      const results = await database.read(part, { signal: deadline.signal, requestId, turn });
      for (const [index, { table }] of part.entries()) {
        rows.set(table, inWords(Number(results[index]?.[0]?.[0]), most));
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    log.info(`Tables of ${managed.definition.id} are not counted: ${String(error)}`);
  }
  return { kind: "view", view: show(rows) };
}

function inWords(count: number, most: number): string {
  const shown = (number: number) => number.toLocaleString("en");
  return count > most ? `more than ${shown(most)}` : shown(count);
}
