/**
 * `GET /login`: the page where people log in.
 *
 * @module
 */

import { resumeSession } from "@/core/identity/sessions/browser_sessions.ts";
import { ServiceError } from "@/core/errors.ts";
import { localPath } from "@/core/base/local_path.ts";
import { loginPage } from "./login_page.ts";
import { loginProblemIn } from "./login_problem.ts";
import type { Service } from "@/core/service.ts";
import type { AuthSession, RouteAnswer, RouteRequest, Sender } from "@/plugins/contract.ts";

/** The login page; `next` in the query, or else the page that led here, is where the login leads. */
export async function showLogin(request: RouteRequest, service: Service): Promise<RouteAnswer> {
  const session = await sessionIfThere(request, service);
  const { token, cookies } = service.formTokens.issue(request);
  const problem = loginProblemIn(request.query, service);
  const page = loginPage({ next: nextOf(request, service), problem, session, token }, service);
  return { kind: "page", page, status: 200, cookies };
}

/** The session of a request, for showing it: a page that is for logging in is there even while no session can be. */
export async function sessionIfThere(sender: Sender, service: Service): Promise<AuthSession | undefined> {
  try {
    return (await resumeSession(sender, service)).session;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unavailable") return undefined;
    throw error;
  }
}

function nextOf({ query, headers, baseUrl }: RouteRequest, { prefix }: Service): string | undefined {
  const asked = query.get("next");
  if (asked !== null) return localPath(asked, prefix);
  const referrer = URL.parse(headers.get("referer") ?? "");
  if (!referrer || referrer.origin !== URL.parse(baseUrl)?.origin) return undefined;
  return localPath(referrer.pathname + referrer.search, prefix);
}
