/**
 * What is wrong with the configuration. Complaints are collected, so that an operator sees all of them at once.
 *
 * @module
 */

/** One problem in one file. Never holds the value of a secret. */
export interface Complaint {
  readonly file: string;
  /** The setting or the path of the member; empty for the file as a whole. */
  readonly key: string;
  /** What was expected and what was found. */
  readonly message: string;
}

/** The configuration cannot be used; {@link ConfigurationError.complaints} has every reason. */
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

/** The most complaints that are told outside of a check: a file that is something else altogether has thousands. */
const MOST = 20;

/** The first of many complaints, and how many more there are. */
export function firstOf(complaints: readonly string[]): readonly string[] {
  if (complaints.length <= MOST) return complaints;
  return [
    ...complaints.slice(0, MOST),
    `There are ${complaints.length - MOST} more: main.ts check tells all of them`,
  ];
}

/** Where a value stands, and where complaints about it go. */
export interface Place {
  readonly file: string;
  readonly key: string;
  readonly complaints: Complaint[];
}

/** The place of a member of what stands at `place`. */
export function inside(place: Place, member: string | number): Place {
  return { ...place, key: place.key === "" ? `${member}` : `${place.key}.${member}` };
}

/** Adds a complaint. Gives undefined, which is what readers give for a value that cannot be used. */
export function complain(place: Place, message: string): undefined {
  place.complaints.push({ file: place.file, key: place.key, message });
}
