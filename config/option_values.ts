/**
 * Reads the values of options on the command line. Every function throws a {@link UsageError} for a value
 * that the option cannot have, and returns undefined for an absent option.
 *
 * @module
 */

import type { Option } from "./command_options.ts";

/** The options as they were given. */
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The arguments are invalid; the message says how to correct them. */
export class UsageError extends Error {}

/** A text, which is not empty. */
export function readText(values: Values, name: Option): string | undefined {
  const value = values[name];
  if (value === "") throw new UsageError(`--${name} must not be empty`);
  return typeof value === "string" ? value : undefined;
}

/** A whole number within the bounds. */
export function readWhole(
  values: Values,
  name: Option,
  { least, greatest }: Readonly<Record<"least" | "greatest", number>>,
): number | undefined {
  const written = readText(values, name);
  if (written === undefined) return undefined;
  const value = /^\d{1,9}$/.test(written) ? Number(written) : NaN;
  if (value >= least && value <= greatest) return value;
  throw new UsageError(`--${name} is a whole number from ${least} to ${greatest}, not "${written}"`);
}

/**
 * An http or https address without query and fragment, as it was written. A path that begins with two slashes
 * would be a host in links.
 */
export function readUrl(values: Values, name: Option): string | undefined {
  const written = readText(values, name);
  if (written === undefined) return undefined;
  const { protocol = "", pathname = "", search = "", hash = "" } = URL.parse(written) ?? {};
  if (/^https?:$/.test(protocol) && search + hash === "" && !/^[/]{2,}[^/]/.test(pathname)) return written;
  throw new UsageError(
    `--${name} is an http or https address without query, as in https://example.com/api, not "${written}"`,
  );
}
