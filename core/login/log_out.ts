/**
 * The logout of a browser.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { isObject } from "@/core/base/plugin_answers.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import { quote } from "@/core/errors.ts";
import { browserSessions, type SessionPlace } from "@/core/identity/sessions/browser_sessions.ts";
import { isRedirect, isWebAddress } from "@/core/login/method_answers.ts";
import type { NamedMethod, Service } from "@/core/service.ts";
import type { AuthSession, LoggedOut, Onward, RouteRequest } from "@/plugins/contract.ts";

/** The parts of the service that a logout uses. */
type Place = SessionPlace & Pick<Service, "methods" | "log"> & {
  readonly settings: Pick<Service["settings"], "server.plugin_timeout">;
};

/**
 * Ends the session of a browser, then asks the method that opened it: a
 * provider may have a session of its own.
 */
export async function logOut(request: RouteRequest, service: Place): Promise<LoggedOut> {
  const sessions = browserSessions("logout", service);
  const { session } = await sessions.resume(request);
  const cookies = await sessions.close(request);
  if (!session) return { cookies };
  const opener = service.methods.find(({ name }) => name === session.method);
  const onward = opener && await leadOn(opener, session, request, service);
  return { session, cookies, ...(onward ? { onward } : {}) };
}

/**
 * A method that fails leads nowhere: the logout itself has succeeded, and the browser must lose its cookie.
 */
async function leadOn(
  { name, method }: NamedMethod,
  session: AuthSession,
  request: RouteRequest,
  { settings, log }: Place,
): Promise<Onward | undefined> {
  const title = `authentication method ${quote(name)}`;
  try {
    // Half of the time, so that the route of the logout can still answer.
    const seconds = settings["server.plugin_timeout"] / 2;
    const asked = Promise.resolve(method.afterLogout?.(session, request));
    const onward: unknown = await inTime(asked, seconds, () => new LatePlugin(title));
    if (onward === undefined || isOnward(onward)) return onward;
    throw new TypeError("it gave something else than the next address of the browser");
  } catch (error) {
    if (error instanceof LatePlugin) log.error(`${error.reason} in afterLogout()`);
    else log.error(`The ${title} failed in afterLogout()`, error);
    return undefined;
  }
}

function isOnward(value: unknown): value is Onward {
  if (!isObject(value) || !isWebAddress(value["to"])) return false;
  const { kind, fields, status } = value;
  return (kind === "redirect" && isRedirect(status)) ||
    (kind === "send" && isObject(fields) && Object.values(fields).every((text) => typeof text === "string"));
}
