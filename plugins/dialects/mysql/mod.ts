/**
 * MySQL 8 and MariaDB 10.6 or later, on mysql2.
 *
 * Every login has its own pool; a read, a stream or a transaction has a connection for itself. Of the pool's settings,
 * `max` is the number of connections of one login, beside one control connection. `acquireTimeout` limits the wait for a
 * connection, for the server to accept it, and for a lock. `statementTimeout` limits a statement, one chunk of a stream,
 * and a transaction from its beginning to its commit; also the time in which a stream's reader must take the next chunk.
 * Statements that take longer, or whose caller has gone, are ended on the server.
 *
 * @module
 */

import type { DialectPlugin } from "@/plugins/contract.ts";
import { connect } from "./connect.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "mysql",
  setup: (_section, host) => ({
    hasLogins: true,
    connect: (definition, login) => connect(definition, login, host),
  }),
} satisfies DialectPlugin;
