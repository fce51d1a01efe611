/**
 * Why an answer or a token of a provider is not accepted.
 *
 * @module
 */

/** A token or an answer is not what it has to be. The text is for the log, and has nothing of the token in it. */
export class Rejection extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Rejection";
  }
}

/** The provider itself says no: `access_denied`. */
export class Refusal extends Error {
  constructor(readonly code: string) {
    super(`The provider answers with ${code}`);
    this.name = "Refusal";
  }
}
