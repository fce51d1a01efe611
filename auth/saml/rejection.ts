/**
 * Why a message of a provider is not accepted.
 *
 * @module
 */

/** A message is not what it has to be. The text is for the log, and has nothing of the message in it. */
export class Rejection extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "Rejection";
  }
}

/** A message was right, and its time is over. */
export class Expired extends Rejection {
  constructor(message: string) {
    super(message);
    this.name = "Expired";
  }
}

/** Nobody here has asked for the message: a login that began at the provider. */
export class Unasked extends Rejection {
  constructor() {
    super("a response that nobody asked for");
    this.name = "Unasked";
  }
}

/** The provider says itself that there is no login. `code` is the last part of a status that the standard names. */
export class Refusal extends Error {
  constructor(readonly code: string) {
    super(`the provider answers with ${code}`);
    this.name = "Refusal";
  }
}

/** Rejects unless something holds; `what` names what was sent. */
export function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Rejection(what);
}
