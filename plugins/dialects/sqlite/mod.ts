/**
 * SQLite, on better-sqlite3. Short statements run in the service's thread, long ones in a worker that can be
 * stopped. Writing has its own worker, because it waits for the disk.
 *
 * Of the pool's settings, `max` is the number of workers for long reads; streams use two less, at least one.
 * `acquireTimeout` limits the wait of a read, a stream or a transaction for its turn, which then
 * fails as `unavailable`. `statementTimeout` limits a statement, one chunk of a stream, and a
 * transaction from its beginning to its commit; also the time in which a stream's reader must take
 * the next chunk. Exceeding it is a `timeout`.
 *
 * @module
 */

import type { DialectHost, DialectPlugin, PluginSettings, SettingValues } from "@/plugins/contract.ts";
import { connect } from "./connect.ts";
import { copyDatabase } from "./copy.ts";
import { requireInside, resolveFile } from "./file.ts";

const SETTINGS = {
  directories: {
    type: "paths",
    sentence:
      "Directories that SQLite files must be in. Unset: anywhere for definitions written by hand, `{state_dir}` for those written over HTTP.",
  },
} as const satisfies PluginSettings;

export default {
  contract: 2,
  kind: "dialect",
  name: "sqlite",
  settings: SETTINGS,
  setup: ({ directories }: SettingValues<typeof SETTINGS>, host: DialectHost) => ({
    ...(directories ? { directories } : {}),
    // A file has no logins: every mapping to it reads all of it.
    connect: (definition) => connect(definition, host, directories),
    requireFileIn: async (name, allowed) => await requireInside(resolveFile(name, host.directory), allowed),
    files: {
      pathOf: (name) => resolveFile(name, host.directory),
      copy: copyDatabase,
      beside: ["-wal", "-shm", "-journal"],
    },
  }),
} satisfies DialectPlugin;
