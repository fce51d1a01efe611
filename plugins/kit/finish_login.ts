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

  /** What people are told of it. */
  messageFor(provider: string): string {
    return `The login at ${provider} has expired, or was not begun in this browser: try again`;
  }
}

/** What people are told of an answer that is wrong: operators find the reason by the request's id. */
export function invalidAnswer(provider: string, requestId: string): string {
  return `The answer of ${provider} is not valid (request ${requestId}): try again, or tell the administrator`;
}

/** The browser has begun another login since, in another tab or at another provider: that one goes on. */
export class OvertakenLogin extends Error {
  constructor() {
    super("an answer to another login");
    this.name = "OvertakenLogin";
  }

  /** What people are told of it. */
  messageFor(provider: string): string {
    return `The login at ${provider} was given up for one that was begun later`;
  }
}

/**
 * A link on another site must not be able to log anybody out: only answers to what this browser has begun do. Without TLS
 * browsers do not tell which site a link is on.
 */
export function mayEndSession(headers: Headers, hasBegun: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  return hasBegun || site === "same-origin" || site === "none";
}
