/**
 * The kit for dialects, as their host lends it.
 *
 * @module
 */

import type { DialectKit, Engine, EnginePlace, Log } from "@/plugins/contract.ts";
import { EngineDatabase } from "./engine_database.ts";

/** The kit of a host whose log tells what could not be ended. */
export function dialectKit(log: Log): DialectKit {
  return {
    async connect(engine, { pool: settings, login, signal }: EnginePlace) {
      requireFunctions(engine);
      const database = new EngineDatabase(engine, { settings, login, log });
      try {
        await database.reach(signal);
        return database;
      } catch (error) {
        await database[Symbol.asyncDispose]();
        throw error;
      }
    },
  };
}

const FUNCTIONS = ["open", "close", "query", "cursor", "catalog", "describe", "classify"] as const;
const OF_TRANSACTIONS = ["begin", "commit", "rollback"] as const;

/**
 * Throws a TypeError that names the functions that are not there: without them
 * the first statement or the first saved query would fail.
 */
function requireFunctions<Connection>(engine: Engine<Connection>): void {
  const { transactions } = engine;
  const absent = [
    ...FUNCTIONS.filter((name) => typeof engine[name] !== "function"),
    ...OF_TRANSACTIONS.filter((name) => transactions && typeof transactions[name] !== "function")
      .map((name) => `transactions.${name}`),
  ];
  if (absent.length > 0) throw new TypeError(`The engine of kit.connect() lacks ${absent.join(", ")}`);
}
