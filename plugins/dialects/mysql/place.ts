/**
 * The address of a database, and how connections to it are made: the same for all logins.
 *
 * @module
 */

import type { Log, Login, PoolSettings } from "@/plugins/contract.ts";
import type { Server } from "./server.ts";
import type { Session } from "./session.ts";

/** Read with the first connection, and valid until the database is connected again. */
export interface Place {
  readonly server: Server;
  readonly settings: PoolSettings;
  /** The served databases; tables of the first one have plain names. */
  readonly schemas: readonly string[];
  /** The step between counted keys. */
  readonly identityStep: number;
  readonly log: Log;
  /** Log the SQL that reads the catalog. */
  readonly echo: boolean;
  /** Opens a connection that is ready for statements; fails as `login` or `unavailable`. */
  open(login: Login): Promise<Session>;
}
