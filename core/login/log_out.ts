/**
 * Ends the session of a browser, and finds the next address: a provider may have a session of its own to end.
 *
 * @module
 */

import { browserSessions, type SessionPlace } from "@/core/identity/sessions/browser_sessions.ts";
import type { NamedMethod } from "@/core/service.ts";
import type { LoggedOut, RouteRequest } from "@/plugins/contract.ts";

/** The services for logging out. */
export interface LogOutSurroundings {
  readonly place: SessionPlace;
  readonly methods: readonly NamedMethod[];
}

/** The session ends before the method that opened it is called. */
export async function logOut(
  request: RouteRequest,
  { place, methods }: LogOutSurroundings,
): Promise<LoggedOut> {
  const sessions = browserSessions("logout", place);
  const { session } = await sessions.resume(request);
  const cookies = await sessions.close(request);
  if (!session) return { cookies };
  const opener = methods.find(({ name }) => name === session.method)?.method;
  const onward = await opener?.afterLogout?.(session, request);
  return { session, cookies, ...(onward ? { onward } : {}) };
}
