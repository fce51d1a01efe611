/**
 * Where a database is and how connections to it are made: the same for every login.
 *
 * @module
 */

import type { Log, Login, PoolSettings } from "@/plugins/contract.ts";
import type { Server } from "./server.ts";
import type { Session } from "./session.ts";

/** Found out with the first connection; it holds until the database is connected anew. */
export interface Place {
  readonly server: Server;
  readonly settings: PoolSettings;
  /** Databases whose tables are served; the first is the one whose tables have plain names. */
  readonly schemas: readonly string[];
  /** The distance of keys that are counted up. */
  readonly identityStep: number;
  readonly log: Log;
  /** Log the SQL that reads the catalog. */
  readonly echo: boolean;
  /** Opens a connection that is ready for statements; fails as `login` or `unavailable`. */
  open(login: Login): Promise<Session>;
}
