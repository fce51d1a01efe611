/**
 * Why a message of a provider is rejected.
 *
 * @module
 */

/** A message is invalid. The message of this error is for the log and contains nothing of it. */
export class Rejection extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Rejection";
  }
}

/** A message was valid but has expired. */
export class Expired extends Rejection {
  constructor(message: string) {
    super(message);
    this.name = "Expired";
  }
}

/** This service has not requested the message: the login began at the provider. */
export class Unasked extends Rejection {
  constructor() {
    super("a response that nobody asked for");
    this.name = "Unasked";
  }
}

/** The provider itself reports that there is no login. `code` is a status of the standard, without prefix. */
export class Refusal extends Error {
  constructor(readonly code: string) {
    super(`the provider answers with ${code}`);
    this.name = "Refusal";
  }
}

/** Throws {@link Rejection} unless `holds`; `what` describes the mistake. */
export function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Rejection(what);
}
