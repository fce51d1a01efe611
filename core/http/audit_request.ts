/**
 * Writes the audit log for requests that change something, and for those that were refused.
 *
 * @module
 */

import type { AuditEvent } from "@/core/storage/audit.ts";
import type { Client } from "@/core/identity/client_address.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { hasEffect, type Plan } from "@/core/resources.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";

/** An answered request with the results of the stages. */
export interface Audited {
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly client: Client;
  readonly requestId: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Absent if the request was refused before planning. */
  readonly plan?: Plan | undefined;
  /** The reason of a refusal. */
  readonly error?: unknown;
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const ACTIONS: ReadonlyMap<string, AuditEvent["action"]> = new Map([
  ["db", "write"],
  ["query", "write"],
  ["license", "licence"],
]);

/**
 * Records a request with an effect. Messages may quote the request, so only the kind of a refusal is recorded. Refusals
 * of `public`, which anyone can cause at will, have one line per minute and network.
 */
export function auditRequest(audited: Audited, { audit }: Service): void {
  const { request: { method, path, resource }, caller, client, requestId, status, plan, error } = audited;
  if (plan ? !hasEffect(plan) : SAFE.has(method)) return;
  const event: AuditEvent = {
    action: ACTIONS.get(resource) ?? "configure",
    outcome: status < 400 ? "success" : status < 500 ? "refused" : "failed",
    user: caller.user.login,
    method,
    target: path,
    status,
    address: client.address,
    requestId,
    ...(error instanceof ServiceError ? { reason: error.code } : {}),
  };
  if (caller.anonymous && status >= 400) audit.recordSeldom(event, `public ${client.network}`);
  else audit.record(event);
}
