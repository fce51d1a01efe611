/**
 * Converts the answers of routes to responses.
 *
 * @module
 */

import { forbidden, ServiceError } from "@/core/errors.ts";
import { finish } from "@/core/respond/response_headers.ts";
import { FRAGMENT_POLICY, fragmentPage, sendingPage } from "@/core/login/bare_pages.ts";
import { loginPage, loginProblemLink, sessionIfThere } from "@/core/login/login_page.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { problemPage, respondProblem, warningText } from "@/core/respond/respond_problem.ts";
import { pageFormat, respondDocument, respondPage } from "@/core/respond/respond_document.ts";
import type { Service } from "@/core/service.ts";
import type { AuthSession, FormPage, Page, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";

/** The answered request. */
export interface Answering {
  readonly request: RouteRequest;
  readonly target: string;
  readonly requestId: string;
  readonly format: Negotiated;
  readonly service: Service;
}

/** A response with its cookies. */
interface Made {
  readonly response: Response;
  readonly cookies?: readonly string[] | undefined;
  readonly isForm?: boolean;
  /** A content security policy for this answer only. */
  readonly policy?: string;
}

type Refused = Extract<RouteAnswer, { kind: "refused" }>;

/** The response with all its headers. */
export async function respondAnswer(answer: RouteAnswer, answering: Answering): Promise<Response> {
  const made = await make(answer, answering);
  const { request: sender, requestId, service } = answering;
  const isPage = made.isForm === true;
  const format = isPage ? pageFormat(service) ?? answering.format : answering.format;
  const response = finish(made.response, {
    sender,
    service,
    requestId,
    format,
    isForm: isPage,
    cookies: made.cookies ?? [],
  });
  if (made.policy !== undefined) response.headers.set("Content-Security-Policy", made.policy);
  return response;
}

/** The answer to an exception of a route; a person's failed login gets the login page again. */
export async function respondThrown(
  error: unknown,
  answering: Answering & { readonly onLoginPage: boolean },
): Promise<Response> {
  const { request, requestId, format, service, target } = answering;
  if (error instanceof ServiceError && answering.onLoginPage) {
    const made = await showOnLoginPage(error, {}, answering);
    return finish(made.response, {
      sender: request,
      service,
      requestId,
      format,
      isForm: true,
      cookies: made.cookies ?? [],
    });
  }
  const page = problemPage(target, undefined, service);
  const response = respondProblem(error, { format, requestId, service, page });
  return finish(response, { sender: request, service, requestId, format });
}

function make(answer: RouteAnswer, answering: Answering): Made | Promise<Made> {
  switch (answer.kind) {
    case "done":
      return { response: respondDone(answer, answering), cookies: answer.cookies };
    case "redirect":
      return { response: redirect(answer.to, answer.status), cookies: answer.cookies };
    case "send": {
      const { response, policy } = sendingPage(answer);
      return { response, policy, isForm: true, cookies: answer.cookies };
    }
    case "refused":
      return refuse(answer, answering);
    case "page":
      return showPage(answer, answering);
    case "fragment":
      return { response: fragmentPage(answer.to), isForm: true, policy: FRAGMENT_POLICY };
    case "text":
      return { response: new Response(answer.text, { headers: { "Content-Type": answer.contentType } }) };
    default:
      return answer satisfies never;
  }
}

function redirect(to: string, status: number, warning?: string): Response {
  const headers = { Location: to, ...(warning === undefined ? {} : { Warning: warning }) };
  return new Response(null, { status, headers });
}

function respondDone(
  { to, status, result }: Extract<RouteAnswer, { kind: "done" }>,
  { request, format, service }: Answering,
): Response {
  if (request.wantsPage) return redirect(to, status);
  const columns = Object.keys(result);
  const values = Object.values(result).map((value) =>
    typeof value === "object" ? JSON.stringify(value) : value
  );
  const document = { name: "result", tree: result, columns, rows: [values] };
  const options = {
    contentType: format.contentType,
    charset: service.encoder.charset,
    nullMarker: "<null>",
    stream: false,
  };
  return respondDocument(document, options, { format, service, page: framePage(undefined, service) });
}

/** Programs get an error in the specified form. */
async function refuse(answer: Refused, answering: Answering): Promise<Made> {
  const { code, message, cookies = [] } = answer;
  const error = code === "forbidden" ? forbidden(message) : new ServiceError(code, message);
  if (answering.request.wantsPage && answer.redirect) {
    const to = loginProblemLink(answer, answering.service);
    return { response: redirect(to, 303, warningText(error.message)), cookies };
  }
  if (answering.request.wantsPage) {
    const made = await showOnLoginPage(error, answer, answering);
    return { ...made, cookies: [...cookies, ...made.cookies ?? []] };
  }
  const { format, requestId, service, target } = answering;
  const page = problemPage(target, undefined, service);
  return { response: respondProblem(error, { format, requestId, service, page }), cookies };
}

/** The login page with the error's message, status and headers. */
async function showOnLoginPage(
  error: ServiceError,
  { message, values, next }: Partial<Refused>,
  { request, service }: Answering,
): Promise<Made> {
  const session = await sessionIfThere(request, service);
  const { token, cookies } = service.formTokens.issue(request);
  const page = loginPage({ next, problem: message ?? error.message, values, session, token }, service);
  const response = respondPage(page, { status: error.status, page: framePage(session, service), service });
  for (const [name, value] of Object.entries(error.headers)) response.headers.set(name, value);
  response.headers.set("Warning", warningText(error.message));
  return { response, cookies, isForm: true };
}

async function showPage(
  { page, status, cookies }: { page: FormPage; status: number; cookies?: readonly string[] },
  { request, service }: Answering,
): Promise<Made> {
  const session = await sessionIfThere(request, service);
  const response = respondPage(page, { status, page: framePage(session, service), service });
  if (status >= 400 && page.problem !== undefined) {
    response.headers.set("Warning", warningText(page.problem));
  }
  return { response, cookies, isForm: true };
}

/** The page frame of a form: shows the user, but no login link. */
function framePage(session: AuthSession | undefined, service: Service): Page {
  const { login: _, ...frame } = problemPage("/", session && { user: session.user, session }, service);
  return frame;
}
