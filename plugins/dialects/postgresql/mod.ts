/**
 * PostgreSQL 12 and later, on postgres.js. Kysely's compiler writes the SQL; the driver is used directly,
 * without a Kysely dialect, because statements are prepared once and sent without waiting for each other,
 * rows come as arrays, streams use cursors, and statements without a waiting caller are cancelled.
 *
 * Of the pool's settings, `max` is the number of connections for each login; streams use two less, at least
 * one. `acquireTimeout` limits the wait of a caller for a connection (then `unavailable`) and of a
 * statement for a lock (`contention`). `statementTimeout` limits a statement, one chunk of a stream, and a
 * transaction from its beginning to its commit; also the time in which a stream's reader must take the next
 * chunk. Exceeding it is a `timeout`.
 *
 * With `prepare: false` (PgBouncer in transaction mode) nothing is kept on the server between
 * transactions: statements are not prepared, each read is an explicit read-only transaction, and only the
 * service enforces the time limits.
 *
 * @module
 */

import type { Dialect, DialectHost, DialectParts, DialectPlugin } from "@/plugins/contract.ts";
import { connect } from "./database.ts";

export default {
  contract: 2,
  kind: "dialect",
  name: "postgresql",
  setup: (_section, host) => dialectOf(host, {}),
} satisfies DialectPlugin;

function dialectOf(host: DialectHost, parts: DialectParts): Dialect {
  return {
    hasLogins: true,
    connect: (definition, login, options) => connect({ definition, host, parts }, login, options),
    variant: (others) => dialectOf(host, { ...parts, ...others }),
  };
}
