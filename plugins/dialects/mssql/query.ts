/**
 * The dialect's own statements, which select no columns of user tables.
 *
 * @module
 */

import type { Limits } from "@/plugins/kit/bounded.ts";
import type { PoolSettings, Value } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { unicode } from "./bound.ts";
import { compileDecoder } from "./decode.ts";
import type { Session } from "./session.ts";

/** Runs SQL with text parameters, by the names that they are sent with; rows have their values in order. */
export type Query = (sql: string, ...parameters: string[]) => Promise<readonly (readonly Value[])[]>;

const decode = compileDecoder([]);

/** Parameters are sent as text, values come in the driver's form. */
export function queryOn(session: Session, limits: Limits): Query {
  return async (sql, ...parameters) => {
    const rows: Value[][] = [];
    const command = { sql, parameters: parameters.map(unicode) };
    await session.start(command, limits, (cells) => rows.push(decode(cells) as Value[])).finished;
    return rows;
  };
}

/** The limits of one statement. */
export function statementLimits({ statementTimeout }: PoolSettings): Limits {
  const expired = () =>
    new DatabaseFailure("timeout", `The statement took longer than ${statementTimeout} seconds`);
  return { seconds: statementTimeout, expired };
}

/** Seconds to wait for a connection without a caller: enough to distinguish an unreachable server from a busy one. */
export const PATIENCE = 20;

/** The limits of reading the catalog, independent of the limit of requests. */
export function catalogLimits(signal?: AbortSignal): Limits {
  const expired = () => new DatabaseFailure("timeout", "Reading the catalog took too long");
  return { signal, seconds: CATALOG_LIMIT, expired };
}

/** Seconds. */
const CATALOG_LIMIT = 60;
