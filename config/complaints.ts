/**
 * Mistakes in the configuration. They are collected, so that an operator sees all of them at once.
 *
 * @module
 */

/** One mistake in one file, without values of secrets. */
export interface Complaint {
  readonly file: string;
  /** The setting or the path of the member; empty for the whole file. */
  readonly key: string;
  /** The expected and the found value. */
  readonly message: string;
}

/** The configuration cannot be used; {@link ConfigurationError.complaints} lists the reasons. */
export class ConfigurationError extends Error {
  readonly complaints: readonly Complaint[];

  constructor(complaints: readonly Complaint[]) {
    super(complaints.map(formatComplaint).join("\n"));
    this.name = "ConfigurationError";
    this.complaints = complaints;
  }
}

/** One line for one complaint: `file: key: message`. */
export function formatComplaint({ file, key, message }: Complaint): string {
  return [file, key, message].filter((part) => part !== "").join(": ");
}

/** Most complaints that are shown outside a check: a file of another kind has thousands. */
const MOST = 20;

/** The first complaints, and the number of the others. */
export function firstOf(complaints: readonly string[]): readonly string[] {
  if (complaints.length <= MOST) return complaints;
  return [
    ...complaints.slice(0, MOST),
    `There are ${complaints.length - MOST} more: main.ts check tells all of them`,
  ];
}

/** The position of a value, and the list for complaints about it. */
export interface Place {
  readonly file: string;
  readonly key: string;
  readonly complaints: Complaint[];
}

/** The place of a member of the value at `place`. */
export function inside(place: Place, member: string | number): Place {
  return { ...place, key: place.key === "" ? `${member}` : `${place.key}.${member}` };
}

/** Adds a complaint. Returns undefined, the result of readers for an invalid value. */
export function complain(place: Place, message: string): undefined {
  place.complaints.push({ file: place.file, key: place.key, message });
}
