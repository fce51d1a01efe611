/**
 * A parameter whose type is told to the server, instead of being guessed from what it is compared with.
 *
 * @module
 */

/** The text of a value, to be read by the server as a value of a type; or NULL of that type. */
export class Bound {
  readonly text: string | null;
  /** The type's identifier. */
  readonly oid: number;

  constructor(text: string | null, oid: number) {
    this.text = text;
    this.oid = oid;
  }

  toString(): string {
    return this.text ?? "";
  }
}
