/**
 * SQLite, on better-sqlite3. Short statements run at once in the service's own thread, long ones in a worker that
 * can be stopped.
 *
 * @module
 */

import type { DialectPlugin } from "@/plugins/contract.ts";
import { connect } from "./connect.ts";
import { traits } from "./traits.ts";

export default {
  contract: 1,
  kind: "dialect",
  name: "sqlite",
  setup: (_section, host) => ({
    sql: traits,
    // A file has no users of its own: whoever may open it reads all of it.
    connect: (definition) => connect(definition, host),
  }),
} satisfies DialectPlugin;
