/**
 * MySQL 8 and MariaDB 10.6 or later, on mysql2.
 *
 * Every login has a pool of its own; a read, a stream or a transaction has one of its connections for itself. Of the pool's
 * settings `max` is the number of connections of one login, beside one that looks after them. `acquireTimeout` is how long
 * one waits for a connection, for the server to accept it, or for a lock that another holds. `statementTimeout` is how long
 * a statement may take, or one chunk of a stream, or a transaction from its beginning until its commit; and how long a
 * stream waits until its reader takes the next chunk. What takes longer, and what nobody waits for any more, is ended on
 * the server.
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
