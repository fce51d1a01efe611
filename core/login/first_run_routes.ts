/**
 * `/first-run`: the page where the password of `admin` is set.
 *
 * @module
 */

import { browserSessions } from "@/core/identity/sessions/browser_sessions.ts";
import { ConfigurationError, FileFailure } from "@/config/mod.ts";
import { ServiceError } from "@/core/errors.ts";
import { FIRST_RUN } from "@/core/identity/first_run.ts";
import { LOGIN } from "./login_page.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import type { Service } from "@/core/service.ts";
import type { RouteAnswer, RouteRequest } from "@/plugins/contract.ts";

/** The page, or a redirect to the login page when the first run is over. */
export function showFirstRun(request: RouteRequest, service: Service): RouteAnswer {
  if (!service.firstRun.isPending()) return toLogin(302, service);
  const { token: formToken, cookies } = service.formTokens.issue(request);
  const page = service.firstRun.page({ formToken, token: request.query.get("token") ?? undefined });
  return { kind: "page", page, status: 200, cookies };
}

/** Processes the form; if it must be corrected, people get it back with the reason. */
export async function takeFirstRun(request: RouteRequest, service: Service): Promise<RouteAnswer> {
  const fields = await request.fields();
  try {
    await service.firstRun.complete(fields).catch((error: unknown) => notWritten(error, service));
  } catch (error) {
    const isShown = error instanceof ServiceError && error.code !== "conflict" && request.wantsPage;
    if (!isShown || !service.firstRun.isPending()) throw error;
    return showAgain(request, fields, error, service);
  }
  await service.files.refresh();
  service.audit.record({
    action: "password",
    outcome: "success",
    user: ADMIN,
    target: FIRST_RUN,
    address: request.client.address,
  });
  service.log.info(`The first run is over: ${request.client.address} has set the password of admin`);
  return {
    kind: "done",
    to: `${service.prefix}/`,
    status: 303,
    result: { user: ADMIN },
    cookies: await signIn(request, fields.get("password") ?? "", service),
  };
}

/** Errors of the system or of the existing file are for the log. */
function notWritten(error: unknown, { log }: Service): never {
  if (!(error instanceof FileFailure || error instanceof ConfigurationError)) throw error;
  log.warn(`Cannot set the password of "${ADMIN}": ${error.message}`);
  const message = `Cannot set the password of "${ADMIN}": users.cfg cannot be changed, and the log tells why`;
  throw new ServiceError("conflict", message, { cause: error });
}

/** The new password logs the administrator in at once. */
async function signIn(request: RouteRequest, password: string, service: Service): Promise<readonly string[]> {
  const admin = await service.passwords.check(ADMIN, password);
  return admin ? await browserSessions("login_form", service).open(admin, request) : [];
}

/** The page keeps the typed values except passwords. */
function showAgain(
  request: RouteRequest,
  fields: ReadonlyMap<string, string>,
  error: ServiceError,
  service: Service,
): RouteAnswer {
  const { token: formToken, cookies } = service.formTokens.issue(request);
  const values = error.code === "bad-request" ? fields : new Map<string, string>();
  const page = service.firstRun.page({
    formToken,
    token: fields.get("token"),
    problem: error.message,
    values,
  });
  return { kind: "page", page, status: error.code === "forbidden" ? 403 : 400, cookies };
}

function toLogin(status: 302 | 303, { prefix }: Service): RouteAnswer {
  return { kind: "redirect", status, to: `${prefix}${LOGIN}` };
}
