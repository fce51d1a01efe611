/**
 * Forms of pages: `POST /ui/{path of the resource}`. The fields become the POST, PUT or DELETE that a program
 * would send, which walks the same stages: validation, rights, conditions, audit log. Then the browser is
 * sent to a page, or sees the form again with what was typed and each mistake at its field.
 *
 * @module
 */

import { attempt } from "@/core/base/eventual.ts";
import { localPath } from "@/core/base/local_path.ts";
import { badRequest, notFound, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { answer } from "@/core/http/envelope.ts";
import { serve } from "@/core/http/serve.ts";
import { requirePageToken, siteOf, TOKEN_FIELD } from "@/core/identity/cross_site.ts";
import { randomToken } from "@/core/identity/sessions/secret.ts";
import { newPasswordLink } from "@/core/login/login_page.ts";
import { MAKE_KEY, outdatedKey } from "@/core/pages/definitions/api_key.ts";
import { outdatedDefinition } from "@/core/pages/definitions/definition_version.ts";
import { formMembers } from "@/core/pages/form_members.ts";
import { formState } from "@/core/pages/form_state.ts";
import { keptForm } from "@/core/pages/kept_form.ts";
import { KEPT } from "@/core/pages/records/kept_text.ts";
import { placeOf } from "@/core/pages/records/place.ts";
import { withBody } from "@/core/request/body.ts";
import { readForm, UNREAD } from "@/core/request/form_fields.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import { cutExtension } from "@/core/request/path_grammar.ts";
import { encodeUrl, type LinkStyle, printName, printValue } from "@/core/request/print_path.ts";
import { pageFormat } from "@/core/respond/page.ts";
import { respond } from "@/core/respond/respond.ts";
import { warningText } from "@/core/respond/respond_problem.ts";
import { READING, refuseMethod } from "@/core/tables/allowed_methods.ts";
import { definitionAt, readable, requestOf, type SentForm } from "./form_request.ts";
import { grantDatabase } from "./grant_database.ts";
import { innerRequest } from "./inner_request.ts";
import { handOver, runAnswer } from "./run_query.ts";
import { serveRaw } from "./serve_raw.ts";

/** Path of the forms below the prefix. */
export const FORMS = "/ui";

/** Bytes of a new API key. */
const KEY_BYTES = 30;

/** Bytes of a form without files. Its JSON is parsed in one step, before the caller is known. */
const LARGEST = 1_048_576;

/**
 * Answers `/ui/…`. A GET leads to the page that the form belongs to: the
 * browser has loaded the address again.
 */
export async function serveForm(exchange: Exchange): Promise<Response> {
  const { method, target, service } = exchange;
  const { path: full } = splitTarget(target, service.prefix);
  const { path } = cutExtension(full.slice(FORMS.length), service.formats);
  exchange.format = pageFormat(service) ?? exchange.format;
  const isRaw = path.startsWith("/raw/");
  const allow = isRaw ? READING : "GET, HEAD, POST, OPTIONS";
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allow } });
  if (isRaw) return await serveRaw(exchange, path.slice("/raw".length));
  // Browsers would take a path with two slashes for another host.
  if (!/^\/[^/\\]/.test(path)) throw notFound("Cannot find this form");
  if (method === "GET" || method === "HEAD") return redirect(`${service.prefix}${path}.html`);
  if (method !== "POST") throw refuseMethod(method, allow);
  const largest = service.settings.max_body_size;
  const limit = path.startsWith("/db/") ? largest : Math.min(LARGEST, largest);
  const values = new Map(await withBody(exchange, (source) => readForm(source, limit)));
  // Only the service itself says these.
  for (const name of OWN) values.delete(name);
  const file = values.get("ui.file");
  if (file) values.set("ui.csv", file);
  const sent = { path, values, about: definitionAt(path, service) };
  // Another site must not even fill in what somebody would send next.
  if (siteOf(exchange, service) !== "own") {
    await requirePageToken(values.get(TOKEN_FIELD)?.[0], exchange, service);
  }
  if (["ui.search", "ui.look", UNREAD].some((name) => values.has(name))) {
    const [unread] = values.get(UNREAD) ?? [];
    return await showAgain(sent, unread === undefined ? undefined : badRequest(unread), exchange);
  }
  if (values.has("ui.check")) return await check(sent, exchange);
  return await (path.startsWith("/query/") ? run(sent, exchange) : submit(sent, exchange));
}

/** The result of a test, as JSON, and a new API key. */
const OWN = ["ui.result", "ui.key"];

/** Where definitions are tested without being stored, and a licence. */
const CHECKS: ReadonlyMap<string, string> = new Map([
  ["dbdef", "/settings/check-database-connection.json"],
  ["querydef", "/settings/check-query.json"],
  ["license", "/license.json?only-validate"],
]);

/**
 * Tests what was typed, and shows the form again with the result; the editor
 * of SQL asks for the result alone.
 */
async function check(sent: SentForm, exchange: Exchange): Promise<Response> {
  const [, resource = ""] = sent.path.split("/");
  const target = CHECKS.get(resource);
  if (target === undefined) throw badRequest("Cannot test this form");
  const make = () => requestOf(sent, exchange, { method: "POST", target });
  if (sent.values.get("ui.check")?.[0] === "json") {
    const { body, status } = await answer(make(), serve);
    return new Response(body, { status, headers: { "Content-Type": "application/json" } });
  }
  const done = await send(make, exchange);
  if (done instanceof ServiceError) return await showAgain(sent, done, exchange);
  sent.values.set("ui.result", [await done.response.text()]);
  return await showAgain(sent, undefined, exchange);
}

async function submit(sent: SentForm, exchange: Exchange): Promise<Response> {
  const outdated = outdatedForm(sent, exchange);
  if (outdated) return await showAgain(sent, outdated, exchange);
  if (changesNothing(sent)) return redirect(destination(sent, null, exchange.service));
  const key = sent.values.has(MAKE_KEY) ? randomToken(KEY_BYTES) : undefined;
  // A page that comes back without success must not show a key that is not stored.
  const values = key === undefined ? sent.values : new Map(sent.values).set("s.apikey", [key]);
  const done = await send(() => requestOf({ ...sent, values }, exchange), exchange);
  if (done instanceof ServiceError) return await showAgain(sent, done, exchange);
  await done.response.body?.cancel();
  if (key !== undefined) {
    // The page of the account, not that of the question, shows the new key once.
    sent.values.delete("ui.page");
    sent.values.set("ui.key", [key]);
    return await showAgain(sent, undefined, exchange);
  }
  if (sent.about?.kind === "dbdef" && sent.about.id === undefined) {
    await grantDatabase(sent.values, exchange);
  }
  const to = destination(sent, done.response.headers.get("location"), exchange.service);
  return redirect(hasEndedSession(sent, done.inner) ? newPasswordLink(to, exchange.service) : to);
}

/** Sends the request that a form stands for. Gives the refusal with which the form is shown again. */
async function send(
  make: () => Exchange,
  exchange: Exchange,
): Promise<{ readonly inner: Exchange; readonly response: Response } | ServiceError> {
  const inner = readable(make);
  if (inner instanceof ServiceError) return inner;
  const response = await answer(inner, serve);
  exchange.caller = inner.caller;
  if (inner.error === undefined) return { inner, response };
  await response.body?.cancel();
  if (inner.error instanceof ServiceError) return inner.error;
  throw inner.error;
}

/** Whether the form has set the password of its sender, which ends all sessions of that account. */
function hasEndedSession({ about, values }: SentForm, { caller }: Exchange): boolean {
  const [password = ""] = values.get("p.password") ?? [];
  const isOwn = about?.kind === "userdef" && about.id === caller?.user.login;
  return isOwn && password !== "" && caller?.session !== undefined;
}

/** The refusal of a form about a definition that has changed since the form was opened. */
function outdatedForm({ about, values }: SentForm, { service }: Exchange): ServiceError | undefined {
  if (about?.id === undefined) return undefined;
  const outdated = outdatedDefinition(about.kind, about.id, values, service);
  return outdated ?? (about.kind === "userdef" ? outdatedKey(about.id, values, service) : undefined);
}

/** Runs a query once: the answer has its rows, its chart, or a file. */
async function run(sent: SentForm, exchange: Exchange): Promise<Response> {
  const asked = runAnswer(sent, exchange.service);
  const done = await send(() => {
    const inner = requestOf(sent, exchange, asked);
    inner.typed = formState(sent.values, undefined);
    return inner;
  }, exchange);
  if (done instanceof ServiceError) return await showAgain(sent, done, exchange);
  // Its rows cannot be shown.
  const told = done.response.status === 204 ? done.response.headers.get("warning") : null;
  if (told !== null) return await showAgain(sent, new ServiceError("conflict", told), exchange);
  return handOver(done.response, done.inner, asked, exchange);
}

/** Whether the form of a record has only values that it keeps, such as texts with other line breaks. */
function changesNothing({ path, values }: SentForm): boolean {
  const isChange = path.startsWith("/db/") && values.get("ui.method")?.[0] === "PUT";
  const keepsSome = isChange && values.keys().some((name) => name.startsWith(KEPT));
  return keepsSome && Object.keys(formMembers(path, values)).length === 0;
}

/** A word in an address: the purpose of a form, what has been done. */
const WORD = /^\w{1,40}$/;

/** The page after a change: the one that the form names, that of the record, or that of the resource. */
function destination(
  { path, values }: SentForm,
  location: string | null,
  { prefix, links }: Exchange["service"],
): string {
  const method = values.get("ui.method")?.[0] ?? "POST";
  const said = values.get("ui.done")?.[0] ?? "";
  const done = WORD.test(said) ? said : DONE.get(method) ?? "changed";
  const next = values.get("ui.next")?.[0];
  const wanted = next === undefined ? undefined : localPath(next, prefix);
  const made = location === null ? undefined : new URL(location).pathname.replace(/\.json$/, "");
  const own = method === "PUT" ? changedPath(path, values, links) : path;
  const to = wanted ?? `${made ?? `${prefix}${own}`}.html`;
  const place = method === "PUT" ? placeOf(values, "ui.") : "";
  return `${to}${to.includes("?") ? "&" : "?"}ui.done=${done}${place}`;
}

const DONE: ReadonlyMap<string, string> = new Map([
  ["POST", "created"],
  ["PUT", "changed"],
  ["DELETE", "deleted"],
]);

/** The form again, with what was typed. */
async function showAgain(
  { path, values }: SentForm,
  error: ServiceError | undefined,
  exchange: Exchange,
): Promise<Response> {
  const { service } = exchange;
  const page = values.get("ui.page")?.[0] ?? "";
  const query = WORD.test(page) ? `?ui.${page}${placeOf(values, "ui.")}` : "";
  const target = `${service.prefix}${path}.html${query}`;
  const shown = innerRequest(exchange, { method: "GET", target, isHandedOver: true });
  shown.typed = formState(values, error);
  const response = await attempt(() => serve(shown), (refusal) => {
    const { request, caller } = shown;
    exchange.caller = caller;
    const kept = caller && keptForm({ path, values, error, refusal, caller }, service);
    if (!request || !kept) throw refusal;
    // The page itself says that the session has ended.
    const { sessionEnded: _, ...known } = caller;
    return respond(kept, { request, caller: known, exchange: shown });
  });
  exchange.caller = shown.caller;
  exchange.cookies.push(...shown.cookies);
  exchange.isForm = true;
  exchange.request = shown.request;
  const status = error?.status ?? 200;
  // A session's page is shown with the failure's status only if it is the form; a redirect stays one.
  if (response.status !== 200) return response;
  const { body, headers } = response;
  if (error) headers.set("Warning", warningText(error.message));
  return new Response(body, { status, headers });
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { Location: encodeUrl(location) } });
}

/** The path of a record after a change: its key may be another one. Paths of definitions stay as they are. */
function changedPath(path: string, values: ReadonlyMap<string, readonly string[]>, links: LinkStyle): string {
  const [, section = "", database = "", table = "", ...key] = path.split("/");
  if (section !== "db") return path;
  const changed = new Map(
    Object.entries(formMembers(path, values)).map(([name, value]) => [printName(name, links), value]),
  );
  const own = key.map((segment, index) => {
    const value = index % 2 === 1 ? changed.get(key[index - 1] ?? "") : undefined;
    return typeof value === "string" ? printValue(value, links) : segment;
  });
  return ["", section, database, table, ...own].join("/");
}
