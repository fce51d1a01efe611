/**
 * What holds wherever a browser comes back from an identity provider.
 *
 * @module
 */

/** The browser has not begun a login here, or it has taken too long. */
export class LostLogin extends Error {
  constructor() {
    super("a login that this browser has not begun");
    this.name = "LostLogin";
  }
}

/** What people are told of it. */
export function lostLoginMessage(provider: string): string {
  return `The login at ${provider} was not begun in this browser, or it took too long: begin again`;
}

/** A link on another site must not be able to log anybody out: only answers to what this browser has begun do. */
export function mayEndSession(headers: Headers, hasBegun: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  return hasBegun || (site !== "cross-site" && site !== "same-site");
}
