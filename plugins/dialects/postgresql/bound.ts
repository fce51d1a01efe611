/**
 * A parameter with an explicit type, which the server need not infer.
 *
 * @module
 */

/** The text of a value that the server reads as a type; or NULL of that type. */
export class Bound {
  readonly text: string | null;
  /** The type's OID. */
  readonly oid: number;

  constructor(text: string | null, oid: number) {
    this.text = text;
    this.oid = oid;
  }

  toString(): string {
    return this.text ?? "";
  }
}
