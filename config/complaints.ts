/**
 * Mistakes in the configuration. They are collected, so that an operator sees all of them at once.
 *
 * @module
 */

import type { Complaint } from "@/plugins/kit/members.ts";

export { complain, type Complaint, inside, type Place } from "@/plugins/kit/members.ts";

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
