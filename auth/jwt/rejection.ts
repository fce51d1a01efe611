/**
 * Why an answer or a token of a provider is rejected.
 *
 * @module
 */

/** A token or an answer is invalid. The message is for the log and contains nothing of the token. */
export class Rejection extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Rejection";
  }
}

/** The provider itself refuses: `access_denied`. */
export class Refusal extends Error {
  constructor(readonly code: string) {
    super(`The provider answers with ${code}`);
    this.name = "Refusal";
  }
}
