/**
 * The SQL that reads catalogs, in the log.
 *
 * @module
 */

import type { DialectHost } from "@/plugins/contract.ts";

/** Called with each statement before it runs. */
export type Echo = (sql: string, parameters?: readonly unknown[]) => void;

/** Logs statements with their parameters, where `orm_sdb.engine_echo` is on. */
export function echoOf({ echo, log }: Pick<DialectHost, "echo" | "log">): Echo {
  return (sql, parameters = []) => {
    if (echo) log.info(parameters.length === 0 ? sql : `${sql} -- ${JSON.stringify(parameters)}`);
  };
}
