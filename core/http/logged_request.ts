/**
 * What the logs have of a request: the audit log those that change something and those that were refused, the
 * log those that `log.requests` asks for.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { shownTarget } from "@/core/definitions/request_status.ts";
import { CLIENT_LEFT, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { readName } from "@/core/request/path_grammar.ts";
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
    outcome: status < 400 ? "success" : status < CLIENT_LEFT ? "refused" : "failed",
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

/** Milliseconds of a slow request, unless `log.slow_statement` says others. */
const SLOW = 1000;

/** Logs an answered request. Probes are not logged, because they would be most of the log. */
export function logRequest(exchange: Exchange, status: number): void {
  const { service, logged, requestId, client, caller } = exchange;
  const which = service.settings["log.requests"];
  if (which === "none" || !logged?.isListed) return;
  const { method, target, milliseconds = 0 } = logged;
  const isSlow = milliseconds >= (service.settings["log.slow_statement"] ?? SLOW);
  if (!(which === "all" || (which === "errors" && status >= 400) || (which === "slow" && isSlow))) return;
  const note = (bytes: number | undefined) =>
    service.noteRequest({
      id: requestId,
      user: caller?.user.login,
      address: client.address,
      method,
      target: shownTarget(target, service.prefix),
      status,
      ms: Math.round(milliseconds * 10) / 10,
      bytes,
      rows: exchange.rows,
      database: databaseOf(exchange),
    });
  if (exchange.sent) void exchange.sent.then(note);
  else note(method === "HEAD" ? undefined : sizeOf(exchange.written));
}

/** Undefined for an answer without a body, or with a file as its body. */
function sizeOf(written: Exchange["written"]): number | undefined {
  if (written === undefined) return undefined;
  if (typeof written === "string") return Buffer.byteLength(written);
  const slices = written instanceof Uint8Array ? [written] : written.slices;
  return slices.reduce((sum, { length }) => sum + length, 0);
}

function databaseOf({ request, service: { queries } }: Exchange): string | undefined {
  const [first] = request?.segments ?? [];
  if (!request || first === undefined) return undefined;
  if (request.resource !== "db" && request.resource !== "query") return undefined;
  const { literal } = readName(first, request.grammar);
  return request.resource === "db" ? literal : queries.get(literal)?.database;
}
