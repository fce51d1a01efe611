/**
 * The kit for dialects, as their host lends it.
 *
 * @module
 */

import type { DialectKit, EnginePlace, Log } from "@/plugins/contract.ts";
import { EngineDatabase } from "./engine_database.ts";

/** The kit of a host whose log tells what could not be ended. */
export function dialectKit(log: Log): DialectKit {
  return {
    async connect(engine, { pool: settings, login, signal }: EnginePlace) {
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
