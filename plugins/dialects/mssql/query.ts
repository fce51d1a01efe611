/**
 * Statements of the dialect's own, which ask for no column of a table.
 *
 * @module
 */

import type { PoolSettings, Value } from "@/plugins/contract.ts";
import { unicode } from "./bound.ts";
import { compileDecoder } from "./decode.ts";
import { MssqlFailure } from "./failures.ts";
import type { Bounds } from "./running.ts";
import type { Session } from "./session.ts";

/** Runs SQL whose parameters are text, by the names that they are sent with; rows have their values in order. */
export type Query = (sql: string, ...parameters: string[]) => Promise<readonly (readonly Value[])[]>;

const decode = compileDecoder([]);

/** Parameters are sent as text, values come as the driver gives them. */
export function queryOn(session: Session, bounds: Bounds): Query {
  return async (sql, ...parameters) => {
    const rows: Value[][] = [];
    const command = { sql, parameters: parameters.map(unicode) };
    await session.start(command, bounds, (cells) => rows.push(decode(cells) as Value[])).finished;
    return rows;
  };
}

/** What one statement may take. */
export function statementBounds({ statementTimeout }: PoolSettings, signal: AbortSignal): Bounds {
  const overdue = () =>
    new MssqlFailure("timeout", `The statement took longer than ${statementTimeout} seconds`);
  return { signal, limit: Math.max(0, statementTimeout * 1000), overdue };
}

/** Milliseconds. */
const CATALOG_LIMIT = 60_000;

/** Milliseconds to wait for a connection that is not a caller's: enough to tell a server that is away from one that is busy. */
export const PATIENCE = 20_000;

/** What reading the catalog may take, however short the limit of requests is. */
export function catalogBounds(signal: AbortSignal): Bounds {
  const overdue = () => new MssqlFailure("timeout", "Reading the catalog took too long");
  return { signal, limit: CATALOG_LIMIT, overdue };
}
