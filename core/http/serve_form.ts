/**
 * Forms of pages: `POST /ui/{path of the resource}`. The fields become the POST, PUT or DELETE that a program would send,
 * which walks the same stages: validation, rights, conditions, audit log. Then the browser is sent to a page, or sees the
 * form again with what was typed and each mistake at its field.
 *
 * @module
 */

import { badRequest, notFound, ServiceError } from "@/core/errors.ts";
import { localPath } from "@/core/base/local_path.ts";
import { Exchange } from "@/core/exchange.ts";
import { crossSite, siteOf, TOKEN_FIELD, TOKEN_HEADER } from "@/core/identity/cross_site.ts";
import { resumeSession } from "@/core/identity/sessions/browser_sessions.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import { formMembers } from "@/core/pages/form_members.ts";
import { withBody } from "@/core/request/body.ts";
import { type FormState, readForm } from "@/core/request/form_fields.ts";
import { cutExtension } from "@/core/request/path_grammar.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import { pageFormat } from "@/core/respond/page.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { answer } from "./envelope.ts";
import { serveRaw } from "./serve_raw.ts";
import { serve } from "./serve.ts";

/** Path of the forms below the prefix. */
export const FORMS = "/ui";

const METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "DELETE"]);

/** A form as it was sent. */
interface Sent {
  /** The path of the resource below the prefix, without extension. */
  readonly path: string;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Answers `/ui/…`. A GET leads to the page that the form belongs to: the browser has loaded the address again. */
export async function serveForm(exchange: Exchange): Promise<Response> {
  const { method, target, service } = exchange;
  const { path: full } = splitTarget(target, service.prefix);
  const { path } = cutExtension(full.slice(FORMS.length), service.formats);
  exchange.format = pageFormat(service) ?? exchange.format;
  if (path.startsWith("/raw/")) return await serveRaw(exchange, path.slice("/raw".length));
  if (!path.startsWith("/") || path === "/") throw notFound("Cannot find this form");
  if (method === "GET" || method === "HEAD") return redirect(`${service.prefix}${path}.html`);
  if (method !== "POST") throw refuseMethod(method, "GET, HEAD, POST");
  const limit = service.settings.max_body_size;
  const sent = { path, values: await withBody(exchange, (source) => readForm(source, limit)) };
  const isDraft = sent.values.has("ui.search") || sent.values.has("ui.draft");
  return isDraft ? await showAgain(sent, undefined, exchange) : await submit(sent, exchange);
}

async function submit(sent: Sent, exchange: Exchange): Promise<Response> {
  const { service } = exchange;
  await requireOwnForm(sent, exchange);
  const inner = requestOf(sent, exchange);
  const response = await answer(inner, serve);
  exchange.caller = inner.caller;
  const location = response.headers.get("location");
  if (response.status < 300 && inner.error === undefined) {
    await response.body?.cancel();
    return redirect(destination(sent, location, service.prefix));
  }
  await response.body?.cancel();
  if (!(inner.error instanceof ServiceError)) throw inner.error;
  return await showAgain(sent, inner.error, exchange);
}

/** A form has to come from a page of this service, or bring the token of its session or of this browser. */
async function requireOwnForm({ values }: Sent, exchange: Exchange): Promise<void> {
  const { service } = exchange;
  const site = siteOf(exchange, service);
  if (site === "own") return;
  const token = values.get(TOKEN_FIELD)?.[0];
  if (token !== undefined && site === "unknown" && service.formTokens.fits(token, exchange)) return;
  const { session } = token === undefined ? {} : await resumeSession(exchange, service);
  if (session && token !== undefined && isSame(token, session.csrfToken)) return;
  throw crossSite();
}

/** The request of a program that does the same. */
function requestOf({ path, values }: Sent, exchange: Exchange): Exchange {
  const { raw, client, service, requestId } = exchange;
  const method = values.get("ui.method")?.[0] ?? "POST";
  if (!METHODS.has(method)) throw badRequest("The form has no method that changes something");
  const headers = new Headers(raw.headers);
  for (
    const name of ["content-length", "content-type", "transfer-encoding", "if-match", "accept", "prefer"]
  ) {
    headers.delete(name);
  }
  headers.set("X-Request-Id", requestId);
  const token = values.get(TOKEN_FIELD)?.[0];
  if (token !== undefined) headers.set(TOKEN_HEADER, token);
  const match = values.get("ui.match")?.[0];
  if (match !== undefined && method !== "POST") headers.set("If-Match", `"${match}"`);
  const body = method === "DELETE" ? null : JSON.stringify(formMembers(path, values));
  if (body !== null) {
    headers.set("Content-Type", "application/json");
    headers.set("Content-Length", String(new TextEncoder().encode(body).length));
  }
  const target = `${service.prefix}${path}.json`;
  const url = new URL(raw.url);
  const inner = new Request(`${url.origin}/`, { method, headers, body, signal: raw.signal });
  return new Exchange(inner, target, client, service);
}

/** The page after a change: the one that the form names, that of the new record, or that of the resource. */
function destination({ path, values }: Sent, location: string | null, prefix: string): string {
  const method = values.get("ui.method")?.[0] ?? "POST";
  const done = DONE.get(method) ?? "changed";
  const next = values.get("ui.next")?.[0];
  const wanted = next === undefined ? undefined : localPath(next, prefix);
  const made = location === null ? undefined : new URL(location).pathname.replace(/\.json$/, "");
  const to = wanted ?? `${made ?? `${prefix}${path}`}.html`;
  return `${to}${to.includes("?") ? "&" : "?"}ui.done=${done}`;
}

const DONE: ReadonlyMap<string, string> = new Map([
  ["POST", "created"],
  ["PUT", "changed"],
  ["DELETE", "deleted"],
]);

/** The form again, with what was typed. */
async function showAgain(
  { path, values }: Sent,
  error: ServiceError | undefined,
  exchange: Exchange,
): Promise<Response> {
  const { raw, client, service } = exchange;
  const page = values.get("ui.page")?.[0] ?? "";
  const query = /^\w+$/.test(page) ? `?ui.${page}` : "";
  const headers = new Headers(raw.headers);
  for (const name of ["content-length", "content-type", "transfer-encoding"]) headers.delete(name);
  const target = `${service.prefix}${path}.html${query}`;
  const request = new Request(new URL(raw.url).origin, { headers, signal: raw.signal });
  const shown = new Exchange(request, target, client, service);
  shown.typed = stateOf(values, error);
  const response = await serve(shown);
  exchange.caller = shown.caller;
  exchange.cookies.push(...shown.cookies);
  exchange.isForm = true;
  exchange.request = shown.request;
  const status = error?.status ?? 200;
  // A session's page is shown with the failure's status only if it is the form; a redirect stays one.
  return response.status === 200
    ? new Response(response.body, { status, headers: response.headers })
    : response;
}

function stateOf(values: FormState["values"], error: ServiceError | undefined): FormState {
  if (!error) return { values, complaints: new Map() };
  const complaints = complaintsOf(error);
  const isOutdated = error.code === "precondition-failed";
  return {
    values,
    complaints,
    ...(complaints.size > 0 || isOutdated ? {} : { problem: error.message }),
    ...(isOutdated ? { isOutdated } : {}),
  };
}

/** The mistakes by field: those about columns, and those about members, `"db_port": expected …`. */
function complaintsOf({ complaints, errors = [] }: ServiceError): ReadonlyMap<string, string> {
  if (complaints.length > 0) return new Map(complaints.map(({ column, sentence }) => [column, sentence]));
  return new Map(errors.flatMap((error) => {
    const [, member, sentence] = /^"?([\w]+)(?:"|[.\w]*)?: (.*)$/s.exec(error) ?? [];
    return member === undefined || sentence === undefined ? [] : [[member, sentence] as const];
  }));
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { Location: location } });
}
