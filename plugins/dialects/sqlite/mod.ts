/**
 * SQLite, on better-sqlite3. Short statements run at once in the service's own thread, long ones in a worker that
 * can be stopped. What writes has a worker of its own: it waits for the disk, and nobody else does.
 *
 * Of the pool's settings, `max` is the number of workers for long reads; streams get two less of them, or one.
 * `acquireTimeout` is how long a read, a stream or a transaction waits for its turn, which is `unavailable` after that.
 * `statementTimeout` is how long a statement may take, or one chunk of a stream, or a transaction from its beginning until
 * its commit; and how long a stream waits until its reader takes the next chunk. After that it is a `timeout`.
 *
 * @module
 */

import type { DialectPlugin } from "@/plugins/contract.ts";
import { connect } from "./connect.ts";
import { requireInside, resolveFile } from "./file.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "sqlite",
  setup: (_section, host) => ({
    // A file has no users of its own: whoever may open it reads all of it.
    connect: (definition) => connect(definition, host),
    requireFileIn: async (name, directories) =>
      await requireInside(resolveFile(name, host.directory), directories),
  }),
} satisfies DialectPlugin;
