/**
 * What holds wherever a login at an identity provider begins.
 *
 * @module
 */

/** The parts of a request and a host that are looked at. */
interface Beginning {
  readonly headers: Headers;
}

/** Finds the session of a request. */
interface SessionHost<Request> {
  readonly sessions: { resume(request: Request): Promise<{ readonly session?: unknown }> };
}

/** Asks the provider to let people choose an account, because the last one was not right. */
export const CHOOSE = "choose";

/** Whether people want to choose an account. */
export function choosesAccount(query: URLSearchParams): boolean {
  return query.get(CHOOSE) === "true";
}

/**
 * A page of another site, such as a portal, leads to a login only where there is no session: no site can end or replace
 * one.
 */
export async function isNeedless<Request extends Beginning>(
  request: Request,
  { sessions }: SessionHost<Request>,
): Promise<boolean> {
  const site = request.headers.get("sec-fetch-site");
  if (site !== "cross-site" && site !== "same-site") return false;
  return (await sessions.resume(request)).session !== undefined;
}
