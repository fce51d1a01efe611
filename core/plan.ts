/**
 * Stage 3: what will be done. Pure: a request, a caller and the schema to one {@link Plan}.
 *
 * @module
 */

import { forbidden } from "./authenticate.ts";
import { databaseDocument, databasesDocument, rootDocument, settingsDocument } from "./documents.ts";
import { quote, ServiceError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import { readName } from "./path.ts";
import type { Caller } from "./permissions.ts";
import { planRead, type ReadPlan } from "./plan_read.ts";
import type { ApiRequest } from "./request.ts";
import type { Service } from "./service.ts";
import type { Document } from "./model.ts";

export type Plan =
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "document"; readonly document: Document }
  | { readonly kind: "text"; readonly text: string }
  | ReadPlan;

type PlanResource = (request: ApiRequest, caller: Caller, service: Service) => Plan;

const RESOURCES: ReadonlyMap<string, PlanResource> = new Map([
  ["", planRoot],
  ["db", planData],
  ["settings", planSettings],
  ["version", planVersion],
]);

/** Methods that every resource has so far; writing comes with its own. */
export const ALLOWED_METHODS = "GET, HEAD, OPTIONS";

/** Throws 403, 404, 405 and what the resource's own planner throws. */
export function planRequest(request: ApiRequest, caller: Caller, service: Service): Plan {
  const plan = RESOURCES.get(request.resource);
  if (!plan) throw unknownResource(request);
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new ServiceError(
      "method-not-allowed",
      `Cannot ${request.method} this resource: use ${ALLOWED_METHODS}`,
      {
        headers: { Allow: ALLOWED_METHODS },
      },
    );
  }
  return plan(request, caller, service);
}

function planRoot(request: ApiRequest, caller: Caller, service: Service): Plan {
  requireEnd(request);
  return { kind: "document", document: rootDocument(caller, service) };
}

function planSettings(request: ApiRequest, caller: Caller, service: Service): Plan {
  requireEnd(request);
  return { kind: "document", document: settingsDocument(caller, service) };
}

function planVersion(request: ApiRequest, _caller: Caller, service: Service): Plan {
  requireEnd(request);
  return { kind: "text", text: `${service.version}\n` };
}

function planData(request: ApiRequest, caller: Caller, service: Service): Plan {
  const [id, ...segments] = request.segments;
  if (id === undefined || (id === "" && segments.length === 0)) {
    return { kind: "document", document: databasesDocument(caller, service) };
  }
  const { definition, mapping, managed } = findDatabase(id, { request, caller, service });
  const connection = managed.connection;
  const view = managed.view(connection, mapping);
  if (segments.length === 0 || (segments.length === 1 && segments[0] === "")) {
    return { kind: "document", document: databaseDocument(definition.id, view.schema, service) };
  }
  return planRead({ request, segments, managed, connection, view, service, caller });
}

function findDatabase(
  raw: string,
  { request, caller, service }: { request: ApiRequest; caller: Caller; service: Service },
) {
  const name = readName(raw, request.grammar);
  const managed = service.databases.get(name.literal) ?? service.databases.get(name.substituted);
  const mapping = managed && caller.user.databases.get(managed.definition.id);
  if (managed && mapping) return { definition: managed.definition, mapping, managed };
  if (managed) {
    throw forbidden(`User ${quote(caller.user.login)} has no login for database ${quote(name.literal)}`);
  }
  const visible = [...caller.user.databases.keys()].filter((id) => service.databases.has(id));
  const found = nearest(name.literal, visible);
  const hint = found.length > 0 ? `; the nearest are ${found.map(quote).join(", ")}` : "";
  throw new ServiceError("not-found", `Cannot find database ${quote(name.literal)}${hint}`);
}

function requireEnd(request: ApiRequest): void {
  const [first, ...others] = request.segments;
  if (first === undefined || (first === "" && others.length === 0)) return;
  throw new ServiceError(
    "not-found",
    `Cannot find ${quote(request.path)}: nothing is below /${request.resource}`,
  );
}

function unknownResource(request: ApiRequest): ServiceError {
  const found = nearest(request.resource, [...RESOURCES.keys()].filter((name) => name !== ""));
  const hint = found.length > 0 ? `; the nearest are ${found.map(quote).join(", ")}` : "; data is below /db";
  return new ServiceError("not-found", `Cannot find ${quote(request.path)}${hint}`);
}
