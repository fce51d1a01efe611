/**
 * The columns of a result from the protocol.
 *
 * @module
 */

import type { ResultColumn } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { resultColumn } from "./describe.ts";
import type { DriverColumn } from "./running.ts";
import type { Session } from "./session.ts";

/** The driver's names of types that differ from declarations. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["intn", "int"],
  ["bitn", "bit"],
  ["decimaln", "decimal"],
  ["numericn", "numeric"],
  ["floatn", "float"],
  ["moneyn", "money"],
  ["datetimen", "datetime"],
]);

/** Types have the catalog's names, not the protocol's. */
export function resultColumnOf({ colName, type, precision, scale }: DriverColumn): ResultColumn {
  const known = type.name.toLowerCase();
  const name = NAMES.get(known) ?? known;
  const size = name === "decimal" || name === "numeric" ? `(${precision ?? 38},${scale ?? 0})` : "";
  return resultColumn(colName, `${name}${size}`);
}

/** Begins to run a read-only statement, and cancels it when its columns are known. */
export async function columnsByRunning(
  session: Session,
  sql: string,
  limits: Limits,
): Promise<readonly ResultColumn[]> {
  const enough = new Error("The columns are known");
  const running = session.start(
    { sql, parameters: [], isWritten: true },
    limits,
    () => running.cancel(enough),
  );
  await running.finished.catch((error: unknown) => {
    if (error !== enough) throw error;
  });
  return running.columns.map(resultColumnOf);
}
