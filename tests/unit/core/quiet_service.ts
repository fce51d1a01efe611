/**
 * The service in the process of the tests, without a server, logs and methods of login.
 *
 * @module
 */

import type { Configuration } from "@/config/mod.ts";
import { createService, type RunningService } from "@/core/start/create_service.ts";
import { NO_AUDIT } from "@/tests/support/no_audit.ts";
import { SILENT } from "@/core/storage/log.ts";

/** Starts it with the formats and dialects that a test needs. */
export function startQuietly(
  configuration: Configuration,
  plugins: Pick<Parameters<typeof createService>[0], "formats" | "dialects">,
): Promise<RunningService> {
  return createService({
    ...plugins,
    configuration,
    environment: {},
    audit: NO_AUDIT,
    methods: [],
    caches: [],
    prefix: "",
    log: SILENT,
  });
}
