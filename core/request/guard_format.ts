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

const DATA = [
  "contentTypes",
  "accepts",
  "binary",
  "nested",
  "paged",
  "utcSuffix",
  "assets",
  "schemaContentType",
  "schemasOf",
  "parameters",
] as const;
const FUNCTIONS = [
  "escape",
  "writer",
  "document",
  "problem",
  "form",
  "view",
  "shows",
  "isAmbiguous",
  "schema",
  "documentSchema",
] as const;

/** The types that functions return. Another type would be taken as a yes, or be written as it is. */
const GIVEN: Readonly<Partial<Record<keyof Format, string>>> = {
  escape: "string",
  writer: "function",
  shows: "boolean",
  isAmbiguous: "boolean",
};

/** The format with guarded functions; `read`, whose caller guards it, is only bound. */
export function guardFormat(name: string, format: Format, seconds: number): Format {
  const title = `format ${quote(name)}`;
  const guard = (member: keyof Format, work: (...given: unknown[]) => unknown) => (...given: unknown[]) => {
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
  const data = DATA.map((member) => [member, format[member]] as const);
  const functions = FUNCTIONS.map((member) => {
    const work = format[member] as ((...given: unknown[]) => unknown) | undefined;
    return [member, work && guard(member, work)] as const;
  });
  const read = ["read", format.read?.bind(format)] as const;
  const present = [...data, ...functions, read].filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as unknown as Format;
}
