/**
 * The common rules for the end of logins at identity providers.
 *
 * @module
 */

/** The browser has not begun a login here, or the login has expired. */
export class LostLogin extends Error {
  constructor() {
    super("a login that this browser has not begun");
    this.name = "LostLogin";
  }

  /** The message for the user. */
  messageFor(provider: string): string {
    return `The login at ${provider} has expired, or was not begun in this browser: try again`;
  }
}

/** The message for the user about an invalid answer: operators find the reason by the request's id. */
export function invalidAnswer(provider: string, requestId: string): string {
  return `The answer of ${provider} is not valid (request ${requestId}): try again, or tell the administrator`;
}

/** The browser has begun another login since, in another tab or at another provider, and that one continues. */
export class OvertakenLogin extends Error {
  constructor() {
    super("an answer to another login");
    this.name = "OvertakenLogin";
  }

  /** The message for the user. */
  messageFor(provider: string): string {
    return `The login at ${provider} was given up for one that was begun later`;
  }
}

/**
 * A link on another site must not be able to log users out: only answers to logins that this browser has begun do.
 * Without TLS, browsers do not send the site of a link.
 */
export function mayEndSession(headers: Headers, hasBegun: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  return hasBegun || site === "same-origin" || site === "none";
}
