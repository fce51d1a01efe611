/**
 * PostgreSQL 12 and later, on postgres.js. Kysely's own compiler writes the SQL; the driver is used directly, not through a
 * Kysely dialect, because statements are prepared once and sent without waiting for each other, rows come as arrays, streams
 * use cursors, and what nobody waits for any more is cancelled.
 *
 * Of the pool's settings, `max` is the number of connections for each login; streams get two less of them, or one.
 * `acquireTimeout` is how long a caller waits for a connection (`unavailable` after that) and a statement for a lock
 * (`contention`). `statementTimeout` is how long a statement may take, or one chunk of a stream, or a transaction from its
 * beginning until its commit; and how long a stream waits until its reader takes the next chunk. After that it is a `timeout`.
 *
 * With `prepare: false` (PgBouncer in transaction mode) nothing is left on the server between transactions: statements are
 * not prepared, each read is a transaction of its own that says that it only reads, and the service alone watches the time.
 *
 * @module
 */

import type { DialectPlugin } from "@/plugins/contract.ts";
import { connect } from "./connect.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "postgresql",
  setup: (_section, host) => ({
    hasLogins: true,
    connect: (definition, login) => connect(definition, login, host),
  }),
} satisfies DialectPlugin;
