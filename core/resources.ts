/**
 * Stage 3: turns a request, a caller and the schema into a {@link Plan}. Pure.
 *
 * @module
 */

import { unknownName } from "@/core/base/nearest.ts";
import { narrowView, type ViewPurpose } from "@/core/database/connect.ts";
import { findDatabase } from "@/core/database/find_database.ts";
import { rootDocument } from "@/core/definitions/list_resources.ts";
import { planCheckConnection, planCheckQuery } from "@/core/definitions/plan_check.ts";
import { planOrder, planReflectStatus } from "@/core/definitions/plan_connections.ts";
import { pluginsDocument } from "@/core/definitions/plugin_list.ts";
import { activityOf, requestsDocument } from "@/core/definitions/request_status.ts";
import {
  databaseDocument,
  databasesDocument,
  settingsDocument,
  versionDocument,
} from "@/core/documents/documents.ts";
import { asksPage, isReading, planDocument } from "@/core/documents/plan_document.ts";
import { readableToken } from "@/core/identity/cross_site.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { FIRST_RUN, isFirstRunPending } from "@/core/login/first_run.ts";
import { refuseExtension } from "@/core/login/login_page.ts";
import type { DescriptionPlan } from "@/core/openapi/describe.ts";
import { planOpenApiPage } from "@/core/pages/api_page.ts";
import { databasesView, planTables, type TablesPlan } from "@/core/pages/databases.ts";
import { planDefinitions } from "@/core/pages/definitions/plan_definitions.ts";
import { homeView } from "@/core/pages/home.ts";
import type { KeyedPlan, ListPlan } from "@/core/pages/lists/plan_keyed.ts";
import { planPage } from "@/core/pages/lists/plan_list.ts";
import { planQueryPage } from "@/core/pages/queries/plan_query_page.ts";
import type { OpenPlan } from "@/core/pages/records/neighbours.ts";
import type { RecordFormPlan } from "@/core/pages/records/plan_record_form.ts";
import { planLicence, settingsView } from "@/core/pages/service_pages.ts";
import type { SummaryPagePlan } from "@/core/pages/summaries/plan_summary_page.ts";
import type { QueryPlan } from "@/core/queries/plan_query.ts";
import { wantsSchema } from "@/core/request/parameters.ts";
import { type ApiRequest, isEnd } from "@/core/request/parse_request.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import { allowedMethods } from "@/core/tables/allowed_methods.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import { planRead, planSchema, type ReadPlan, walkInput } from "@/core/tables/plan_read.ts";
import { planWrite, type WritePlan } from "@/core/tables/plan_write.ts";
import { badRequest, forbidden, notFound, quote, type ServiceError } from "./errors.ts";
import type { User } from "./model.ts";
import type { PlanInput, RequestsPlan, SimplePlan } from "./plan.ts";
import type { Service } from "./service.ts";

/** The work of a request. Names and rights are checked; a body has not been read yet. */
export type Plan =
  | SimplePlan
  | ReadPlan
  | WritePlan
  | QueryPlan
  | RecordFormPlan
  | OpenPlan
  | ListPlan
  | KeyedPlan
  | TablesPlan
  | RequestsPlan
  | SummaryPagePlan
  | DescriptionPlan;

/** Whether executing the plan changes anything; the method alone does not say so. */
export function hasEffect(plan: Plan): boolean {
  switch (plan.kind) {
    case "task":
      // Other tests connect to a server, which a page of another site must not make a browser do.
      return plan.task.does !== "licence" || !plan.task.isTrial;
    case "query":
      return plan.effect;
    case "summary":
      return "query" in plan.of && plan.of.query.effect;
    default:
      return EFFECTS[plan.kind];
  }
}

const EFFECTS: Readonly<Record<Exclude<Plan["kind"], "task" | "query" | "summary">, boolean>> = {
  redirect: false,
  document: false,
  text: false,
  bytes: false,
  options: false,
  schema: false,
  view: false,
  form: false,
  open: false,
  beside: false,
  keyed: false,
  tables: false,
  requests: false,
  description: false,
  read: false,
  insert: true,
  update: true,
  delete: true,
};

type PlanResource = (request: ApiRequest, caller: Caller, input: PlanInput) => Plan;

interface Resource {
  readonly path: string;
  readonly plan: PlanResource;
  /** The largest number of segments behind the first one. */
  readonly most: number;
  /** Resources by their second segment. */
  readonly below: Map<string, Resource>;
}

/** Where a path leads. A name in braces may be absent; `*` is any number of segments. */
const RESOURCES = resourcesOf([
  ["/", planRoot],
  ["/db/*", planData],
  ["/dbdef/{db_id}", planDefinitions("dbdef")],
  ["/license", planLicence],
  ["/load-model/{db_id}", planOrder("connect")],
  ["/openapi/{db_id}", planOpenApiPage],
  ["/query/*", planQueryPage],
  ["/querydef/{query_id}", planDefinitions("querydef")],
  ["/reqstatus", planRequests],
  ["/settings", planSettings],
  ["/settings/check-database-connection", planCheckConnection],
  ["/settings/check-query", planCheckQuery],
  ["/settings/plugins", planPlugins],
  ["/settings/reflect-status/{db_id}", planReflectStatus],
  ["/unload-model/{db_id}", planOrder("disconnect")],
  ["/userdef/{user_id}", planDefinitions("userdef")],
  ["/version", planVersion],
]);

function resourcesOf(table: readonly (readonly [string, PlanResource])[]): ReadonlyMap<string, Resource> {
  const resources = new Map<string, Resource>();
  for (const [path, plan] of table) {
    const [first = "", ...others] = path.split("/").slice(1);
    const [second = "*"] = others;
    const most = second === "*" && others.length > 0 ? Infinity : others.length;
    const isBelow = /^\w/.test(second);
    const siblings = isBelow ? resources.get(first)?.below : resources;
    siblings?.set(isBelow ? second : first, { path, plan, most, below: new Map() });
  }
  return resources;
}

/** Whether paths with this first segment lead to a resource. */
export function isResource(segment: string): boolean {
  return RESOURCES.has(segment);
}

/** Throws 403, 404, 405 and the errors of the resource's planner. */
export function planRequest(request: ApiRequest, caller: Caller, input: PlanInput): Plan {
  const found = RESOURCES.get(request.resource);
  if (!found) throw unknownResource(request, input.service);
  if (request.parameters["only-validate"] !== undefined && request.resource !== "license") {
    throw badRequest('Cannot use parameter "only-validate": it is for /license');
  }
  const resource = found.below.get(request.segments[0] ?? "") ?? found;
  requireEnd(request, resource);
  return resource.plan(request, caller, input);
}

const DATA = ["/db", "/db/{db_id}", "/db/{db_id}/{table}", "/db/{db_id}/{table}/*"] as const;

/** The path of a request without names and values, for metrics. Few different ones. */
export function routeOf(request: ApiRequest | undefined): string {
  const found = request && RESOURCES.get(request.resource);
  if (!found) return "other";
  if (request.resource === "db") return DATA[Math.min(request.segments.length, DATA.length - 1)] ?? "other";
  return (found.below.get(request.segments[0] ?? "") ?? found).path;
}

/** Throws 404 for a path that goes on after its resource. A slash at the end is allowed. */
function requireEnd({ path, segments }: ApiRequest, { most, path: last, below }: Resource): void {
  const { length } = segments;
  if (length <= most || (length === most + 1 && segments.at(-1) === "")) return;
  const message = `Cannot find ${quote(path)}`;
  if (below.size === 0) throw notFound(`${message}: nothing is below ${last}`);
  const names = [...below.keys()];
  const otherwise = `: below ${last} are ${names.map(quote).join(", ")}`;
  throw unknownName(message, segments[0] ?? "", names, { otherwise });
}

function planRoot(request: ApiRequest, caller: Caller, { service }: PlanInput): Plan {
  if (leadsToFirstRun(request, service)) {
    return { kind: "redirect", status: 302, location: `${service.prefix}${FIRST_RUN}` };
  }
  return planDocument(request, service, () => rootDocument(caller, service), {
    view: () => homeView(request, caller, service),
  });
}

/** Pages redirect to the first run; programs can read as `public`. */
function leadsToFirstRun(request: ApiRequest, service: Service): boolean {
  return isReading(request) && request.format.format.paged === true && isFirstRunPending(service);
}

function planSettings(request: ApiRequest, caller: Caller, input: PlanInput): Plan {
  const { service } = input;
  return planDocument(
    request,
    service,
    () => settingsDocument(caller, service, readableToken(caller, input)),
    { view: () => settingsView(caller, service) },
  );
}

/** The running and the last requests; for admin. */
function planRequests(request: ApiRequest, { user }: Caller, { service }: PlanInput): Plan {
  requireAdmin(user, "requests of others");
  // Stage 4 asks all workers; only the kind of the answer is known here.
  const plan = planDocument(request, service, () => requestsDocument(activityOf(service)));
  return plan.kind === "document" ? { kind: "requests", as: asksPage(request) ? "view" : "document" } : plan;
}

/** Every plugin that is there; for admin. */
function planPlugins(request: ApiRequest, { user }: Caller, { service }: PlanInput): Plan {
  requireAdmin(user, "the plugins");
  return planDocument(request, service, () => pluginsDocument(service.configuration));
}

function requireAdmin(user: User, what: string): void {
  if (mayDo(user, "view", { kind: "requests" })) return;
  throw forbidden(`User ${quote(user.login)} may not see ${what}`);
}

/** `/version.txt` is the plain version number. */
function planVersion(request: ApiRequest, _caller: Caller, { service }: PlanInput): Plan {
  const plan = planDocument(request, service, () => versionDocument(service));
  const isText = plan.kind === "document" && request.format.name === "txt";
  return isText ? { kind: "text", text: `${service.version}\n` } : plan;
}

function planData(
  request: ApiRequest,
  caller: Caller,
  { service, headers, typed, isNarrow }: PlanInput,
): Plan {
  if (isEnd(request.segments)) {
    return planDocument(request, service, () => databasesDocument(caller, service), {
      view: () => databasesView(caller, service),
    });
  }
  const [id = ""] = request.segments;
  const segments = request.segments.slice(1);
  const { mapping, managed } = findDatabase(id, { request, caller, service });
  const { connection } = managed;
  const view = connection.views.find(mapping, purposeOf(request, segments));
  const input = { request, segments, managed, connection, view, service, mapping, headers };
  if (isEnd(segments)) return planDatabase(input, caller);
  if (request.method === "OPTIONS") return planOptions(input);
  if (!isReading(request)) return planWrite(input);
  if (wantsSchema(request)) return planSchema(input);
  if (!request.format.format.paged) return planRead(input);
  if (!isNarrow) return planPage(input, typed);
  const named = walkPath(segments, walkInput(input)).steps.map(({ table }) => table.name);
  return planPage({ ...input, view: narrowView(view, new Set(named)) }, typed);
}

function planDatabase(input: DataRequest, caller: Caller): Plan {
  const { request, managed: { definition: { id } }, view: { schema }, service } = input;
  if (asksPage(request)) return planTables(input, caller);
  return planDocument(request, service, () => databaseDocument(id, schema, service));
}

/** Callers who may only create need the table itself; any other path reads the tables on its way. */
function purposeOf(request: ApiRequest, segments: readonly string[]): ViewPurpose {
  if (segments.length > 1 || isReading(request)) return "read";
  if (request.method === "POST") return "create";
  return request.method === "OPTIONS" ? "any" : "read";
}

/** The methods that this caller may use on the path. */
function planOptions(input: DataRequest): Plan {
  const walk = walkPath(input.segments, walkInput(input));
  return { kind: "options", allow: allowedMethods(input.view.may, walk) };
}

/** 404 for a path that leads to no resource. */
export function unknownResource(request: ApiRequest, service: Service): ServiceError {
  const names = [...RESOURCES.keys()].filter((name) => name !== "");
  const hint = { otherwise: "; data is below /db" };
  return refuseExtension(request, service) ??
    unknownName(`Cannot find ${quote(request.path)}`, request.resource, names, hint);
}
