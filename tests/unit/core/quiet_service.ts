/**
 * The service in the process of the tests, without a server, logs and methods of login.
 *
 * @module
 */

import type { Configuration } from "@/config/mod.ts";
import { createService, type RunningService } from "@/core/start/create_service.ts";
import { SILENT } from "@/core/storage/log.ts";
import { WorkerGroup } from "@/core/storage/worker_group.ts";
import type { AnyPlugin } from "@/plugins/contract.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";

/** Its parts beside the configuration and plugins. */
export const QUIET = {
  environment: {},
  audit: NO_AUDIT,
  prefix: "",
  log: SILENT,
  firstRunToken: "first-run-token",
  stopping: new AbortController().signal,
  noteRequest: () => {},
  group: new WorkerGroup({ channel: "", workers: 1, isKeeper: true }),
  began: Date.now(),
};

/** Starts it with the plugins that a test needs. */
export function startQuietly(
  configuration: Configuration,
  plugins: readonly AnyPlugin[],
): Promise<RunningService> {
  return createService({ ...QUIET, plugins, configuration });
}
