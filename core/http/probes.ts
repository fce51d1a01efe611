/**
 * `/healthz`, `/readyz` and `/metrics`: plain-text answers outside the stages.
 *
 * @module
 */

import type { Exchange } from "@/core/exchange.ts";
import { respondText } from "@/core/respond/respond.ts";
import { isLocal, isReady, metricsText } from "./metrics.ts";

/** The handler of each path. */
export const PROBES: Readonly<Record<string, (exchange: Exchange) => Response>> = {
  "/healthz": () => respondText("ok\n"),
  "/readyz": ({ service }) => isReady(service) ? respondText("ready\n") : respondText("not ready\n", 503),
  "/metrics": showMetrics,
};

/** Metrics contain names of databases: they are for this machine only, unless configured otherwise. */
function showMetrics({ service, client: { address }, headers }: Exchange): Response {
  const may = service.settings["metrics.public"] || isLocal(address, headers, service.origin);
  return may
    ? respondText(metricsText(service))
    : respondText("Only from this machine, or with metrics.public\n", 403);
}
