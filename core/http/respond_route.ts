/**
 * Converts the answers of routes to responses.
 *
 * @module
 */

import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { METERS } from "@/core/base/meters.ts";
import { recordDocument } from "@/core/documents/documents.ts";
import { forbidden, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { fragmentPage, sendingPage } from "@/core/login/bare_pages.ts";
import { areHeaders } from "@/core/login/method_answers.ts";
import { loginPage, loginProblemLink, sessionIfThere } from "@/core/login/login_page.ts";
import { pageFormat, problemPage } from "@/core/respond/page.ts";
import { respondText } from "@/core/respond/respond.ts";
import { plainOptions, respondChunk, respondPage } from "@/core/respond/respond_chunk.ts";
import { warningText } from "@/core/respond/respond_problem.ts";
import type { Service } from "@/core/service.ts";
import type { AuthSession, FormPage, Page, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";

type Refused = Extract<RouteAnswer, { kind: "refused" }>;

/** Throws the error of a refusal if the client is a program. */
export function respondRoute(
  answer: RouteAnswer,
  request: RouteRequest,
  exchange: Exchange,
): Response | Promise<Response> {
  const cookies: unknown = "cookies" in answer ? answer.cookies ?? [] : [];
  if (!areHeaders(cookies)) throw new TypeError("The cookies of the route are no list of texts for a header");
  exchange.cookies.push(...cookies);
  switch (answer.kind) {
    case "done":
      return respondDone(answer, request, exchange);
    case "redirect":
      return redirect(answer.to, answer.status);
    case "send":
      return asBarePage(sendingPage(answer), exchange);
    case "refused":
      return refuse(answer, request, exchange);
    case "page":
      return showPage(answer, request, exchange);
    case "fragment":
      return asBarePage(fragmentPage(answer.to), exchange);
    case "text":
      return respondText(answer.text, 200, answer.contentType);
    default:
      return answer satisfies never;
  }
}

/** A page with a token, or with a message to an identity provider, must not be cached. */
function asForm(response: Response, exchange: Exchange): Response {
  exchange.isForm = true;
  return response;
}

function asBarePage(response: Response, exchange: Exchange): Response {
  exchange.format = pageFormat(exchange.service) ?? exchange.format;
  return asForm(response, exchange);
}

function redirect(to: string, status: number, warning?: string): Response {
  const headers = { Location: to, ...(warning === undefined ? {} : { Warning: warning }) };
  return new Response(null, { status, headers });
}

function respondDone(
  { to, status, result }: Extract<RouteAnswer, { kind: "done" }>,
  { wantsPage }: RouteRequest,
  exchange: Exchange,
): Eventual<Response> {
  if (wantsPage) return redirect(to, status);
  const { service, format: asked } = exchange;
  // A format of schemas cannot show the result.
  const format = asked && asked.format.schemasOf === undefined ? asked : service.formats.fallback;
  const document = recordDocument("result", result);
  const page = framePage(undefined, service)(format.name);
  const chunk = format.format.document(document, plainOptions(format, service), page);
  return whenThere(chunk, (written) => respondChunk(written, format, exchange));
}

/** Without a redirect programs get an error in the specified form. */
async function refuse(answer: Refused, request: RouteRequest, exchange: Exchange): Promise<Response> {
  const { code, message } = answer;
  const error = code === "forbidden" ? forbidden(message) : new ServiceError(code, message);
  if (answer.redirect) {
    METERS.count("rowhouse_refusals_total", error.code);
    return redirect(loginProblemLink(answer, exchange.service), 303, warningText(error.message));
  }
  if (!request.wantsPage) throw error;
  return await showOnLoginPage(error, answer, request, exchange);
}

/** The login page with the error's message, status and headers. */
export async function showOnLoginPage(
  error: ServiceError,
  { message, values, next }: { readonly [Name in "message" | "values" | "next"]?: Refused[Name] | undefined },
  request: RouteRequest,
  exchange: Exchange,
): Promise<Response> {
  const { service } = exchange;
  METERS.count("rowhouse_refusals_total", error.code);
  const session = await sessionIfThere(request, service);
  const { token, cookies } = service.formTokens.issue(request);
  const page = loginPage({ next, problem: message ?? error.message, values, session, token }, service);
  const response = await respondPage(page, error.status, framePage(session, service), exchange);
  for (const [name, value] of Object.entries(error.headers)) response.headers.set(name, value);
  response.headers.set("Warning", warningText(error.message));
  exchange.cookies.push(...cookies);
  return asForm(response, exchange);
}

async function showPage(
  { page, status }: { readonly page: FormPage; readonly status: number },
  request: RouteRequest,
  exchange: Exchange,
): Promise<Response> {
  const { service } = exchange;
  const session = await sessionIfThere(request, service);
  const response = await respondPage(page, status, framePage(session, service), exchange);
  if (status >= 400 && page.problem !== undefined) {
    response.headers.set("Warning", warningText(page.problem));
  }
  return asForm(response, exchange);
}

/** Makes the page frame of a form in a format: it shows the user, but no login link. */
function framePage(session: AuthSession | undefined, service: Service): (format: string) => Page {
  const user = session && service.users.get(session.user.login);
  const caller = user && { user, session, anonymous: false };
  return (format) => {
    const { login: _, ...frame } = problemPage("/", caller, { format, service });
    return frame;
  };
}
