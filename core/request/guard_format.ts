/**
 * Guards the service against formats with mistakes: names the format in its errors, and gives up promises
 * that come late. Rows do not pass here.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { blame, LatePlugin } from "@/core/base/plugin_failures.ts";
import { quote } from "@/core/errors.ts";
import type { Format } from "@/plugins/contract.ts";

/** All members of formats, with what each has to be. */
export const FORMAT_MEMBERS = {
  contentTypes: "list",
  accepts: "list of texts",
  binary: "boolean",
  nested: "boolean",
  paged: "boolean",
  parameters: "plain object",
  utcSuffix: "boolean",
  escape: "function",
  writer: "function",
  document: "function",
  problem: "function",
  form: "function",
  view: "function",
  assets: "Map of files with contentType and bytes",
  read: "function",
  shows: "function",
  isAmbiguous: "function",
  schema: "function",
  documentSchema: "function",
  schemaContentType: "text",
  schemasOf: "text",
} as const satisfies Readonly<Record<keyof Format, string>>;

/** The types that functions return. Another type would be taken as a yes, or be written as it is. */
const GIVEN: Readonly<Record<string, string>> = {
  escape: "string",
  writer: "function",
  shows: "boolean",
  isAmbiguous: "boolean",
};

/** The format with guarded functions; `read`, whose caller guards it, is only bound. */
export function guardFormat(name: string, format: Format, seconds: number): Format {
  const title = `format ${quote(name)}`;
  const guard = (member: string, work: (...given: unknown[]) => unknown) => (...given: unknown[]) => {
    const where = `${title} failed in ${member}()`;
    try {
      const result = work.apply(format, given);
      const [found, wanted]: readonly (string | undefined)[] = [typeof result, GIVEN[member]];
      if (wanted !== undefined && found !== wanted) throw new TypeError(`it gave no ${wanted}`);
      if (!(result instanceof Promise)) return result;
      const named = result.catch((error: unknown) => Promise.reject(blame(error, where)));
      return inTime(named, seconds, () => new LatePlugin(`${title} in ${member}()`));
    } catch (error) {
      throw blame(error, where);
    }
  };
  const given = format as unknown as Readonly<Record<string, unknown>>;
  const members = Object.keys(FORMAT_MEMBERS).filter((member) => given[member] !== undefined).map(
    (member) => {
      const value = given[member];
      if (typeof value !== "function") return [member, value];
      return [member, member === "read" ? value.bind(format) : guard(member, value as () => unknown)];
    },
  );
  return Object.fromEntries(members);
}
