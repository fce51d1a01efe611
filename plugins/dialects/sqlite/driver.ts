/**
 * The only module that imports better-sqlite3.
 *
 * @module
 */

// @ts-types="./better_sqlite3.d.ts"
import Handle from "better-sqlite3";

export { Handle };
export type { SqliteValue, Statement } from "./better_sqlite3.d.ts";

/** Runs catalog SQL; rows are objects. */
export type Query = <T>(sql: string, ...parameters: string[]) => T[];
