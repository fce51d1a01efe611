/**
 * The common rules for the beginning of logins at identity providers.
 *
 * @module
 */

/** The relevant part of a request. */
interface Beginning {
  readonly headers: Headers;
}

/** Finds the session of a request. */
interface SessionHost<Request> {
  readonly sessions: { resume(request: Request): Promise<{ readonly session?: unknown }> };
}

/** The parameter that asks the provider to let the user choose an account, because the last one did not match. */
export const CHOOSE = "choose";

/** Whether the user wants to choose an account. */
export function choosesAccount(query: URLSearchParams): boolean {
  return query.get(CHOOSE) === "true";
}

/**
 * True if the browser has a session and the request comes from a page of another site, such as a portal: other sites must
 * not end or replace a session.
 */
export async function isNeedless<Request extends Beginning>(
  request: Request,
  { sessions }: SessionHost<Request>,
): Promise<boolean> {
  const site = request.headers.get("sec-fetch-site");
  if (site !== "cross-site" && site !== "same-site") return false;
  return (await sessions.resume(request)).session !== undefined;
}
