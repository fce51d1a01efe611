/**
 * Writes the audit log for requests that change something, and for those that were refused.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { AuditEvent } from "@/core/storage/audit.ts";

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const ACTIONS: ReadonlyMap<string, AuditEvent["action"]> = new Map([
  ["db", "write"],
  ["query", "write"],
  ["license", "licence"],
]);

/**
 * Records a request with an effect. Messages may quote the request, so only the kind of a refusal is
 * recorded. Refusals of `public`, which anyone can cause at will, have one line per minute and network.
 */
export function auditRequest(exchange: Exchange, status: number): void {
  const { request, caller, client, requestId, effect, error, created, service: { audit } } = exchange;
  if (!request || !caller || !(effect ?? !SAFE.has(request.method))) return;
  const { method, path, resource } = request;
  const event: AuditEvent = {
    action: ACTIONS.get(resource) ?? "configure",
    outcome: status < 400 ? "success" : status < 500 ? "refused" : "failed",
    user: caller.user.login,
    via: caller.via,
    method,
    target: created ?? path,
    status,
    address: client.address,
    requestId,
    ...(error instanceof ServiceError ? { reason: error.code } : {}),
  };
  if (caller.anonymous && status >= 400) audit.recordSeldom(event, `public ${client.network}`);
  else audit.record(event);
}
