/**
 * The service in the process of the tests, without a server, logs and methods of login.
 *
 * @module
 */

import type { Configuration } from "@/config/mod.ts";
import { createService, type RunningService } from "@/core/start/create_service.ts";
import { SILENT } from "@/core/storage/log.ts";
import { WorkerGroup } from "@/core/storage/worker_group.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";

/** Its parts beside the configuration, formats and dialects. */
export const QUIET = {
  environment: {},
  audit: NO_AUDIT,
  methods: [],
  caches: [],
  prefix: "",
  log: SILENT,
  firstRunToken: "first-run-token",
  stopping: new AbortController().signal,
  noteRequest: () => {},
  group: new WorkerGroup({ channel: "", workers: 1, isKeeper: true }),
  began: Date.now(),
};

/** Starts it with the formats and dialects that a test needs. */
export function startQuietly(
  configuration: Configuration,
  plugins: Pick<Parameters<typeof createService>[0], "formats" | "dialects">,
): Promise<RunningService> {
  return createService({ ...QUIET, ...plugins, configuration });
}
