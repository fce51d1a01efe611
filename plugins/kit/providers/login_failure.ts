/**
 * Why a login at an identity provider fails.
 *
 * @module
 */

/** The login opens no session. The message of the error is for the log and has no values of the provider. */
export abstract class LoginFailure extends Error {
  /** Whether the throttle counts it as a failed attempt. */
  readonly counts: boolean = true;

  /** The message for the person. Operators find the reason by the id of the request. */
  abstract messageFor(provider: string, requestId: string): string;
}

/** A message or a token of a provider is invalid. */
export class Rejection extends LoginFailure {
  override messageFor(provider: string, requestId: string): string {
    return `The answer of ${provider} is not valid (request ${requestId}): try again, or tell the administrator`;
  }
}

/** A message was valid but has expired. */
export class Expired extends Rejection {
  override messageFor(provider: string): string {
    return `The login at ${provider} has expired: try again`;
  }
}

const GIVEN_UP: readonly string[] = ["access_denied", "AuthnFailed", "RequestDenied"];

/** No key of the provider fits; it may have published another one since. */
export class OtherKey extends Rejection {}

/** The provider itself reports that there is no login. `code` is one of its standard. */
export class Refusal extends LoginFailure {
  constructor(readonly code: string) {
    super(`the provider answers with ${code}`);
  }

  override messageFor(provider: string): string {
    return GIVEN_UP.includes(this.code)
      ? `The login at ${provider} was refused or given up`
      : `The login at ${provider} failed: ${provider} answers with ${this.code}`;
  }
}

/** A document of the provider, or an answer of its server, is missing. */
export class Unreachable extends LoginFailure {
  override readonly counts = false;

  override messageFor(provider: string): string {
    return `${provider} cannot be reached at the moment: try again later`;
  }
}

/** The browser has not begun a login here, or the login has expired. */
export class LostLogin extends LoginFailure {
  override readonly message = "a login that this browser has not begun";

  override messageFor(provider: string): string {
    return `The login at ${provider} has expired, or was not begun in this browser: try again`;
  }
}

/**
 * The answer names another login than the last one of this browser, which continues: the browser has begun
 * that one later, in another tab or at another provider, or the answer is a wrong one.
 */
export class OvertakenLogin extends LoginFailure {
  override readonly message = "an answer to another login";

  override messageFor(provider: string): string {
    return `The answer of ${provider} is not for the login that this browser has begun last: ` +
      "go on with that one, or try again";
  }
}

/** Throws {@link Rejection} unless `holds`; `what` describes the mistake. */
export function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Rejection(what);
}
