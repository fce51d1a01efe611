/**
 * SQL Server, on tedious. Each database login has a pool of its own, so that the database's grants decide what it may do.
 *
 * Of the pool's settings, `max` is the number of connections of one login, and `idleTimeout` how long one that is not used
 * is kept. `acquireTimeout` is how long a request waits for a connection, a new connection for the server, and a statement
 * for a lock that somebody else holds. `statementTimeout` is how long a statement may take, or one chunk of a stream, or a
 * transaction from its beginning until its commit; and how long a stream waits until its reader takes the next chunk.
 *
 * Where the database allows snapshots (ALLOW_SNAPSHOT_ISOLATION), readers use them: they wait for nobody who writes, and
 * the statements of one request see the same data. Where it does not, readers are READ COMMITTED.
 *
 * @module
 */

import type { DialectPlugin } from "@/plugins/contract.ts";
import { connect } from "./connect.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "mssql",
  setup: (_section, host) => ({
    hasLogins: true,
    connect: (definition, login) => connect(definition, login, host),
  }),
} satisfies DialectPlugin;
