/**
 * The year before year 1: 0 in ISO 8601 and for other engines, 1 BC for PostgreSQL.
 *
 * @module
 */

import type { Column } from "@/plugins/contract.ts";

/** A date or time for comparing, in the server's form: `0000-02-29` is `0001-02-29 BC`. */
export function withEra(text: string, { type }: Column): string {
  const isMoment = type === "date" || type === "datetime";
  return isMoment && text.startsWith("0000-") ? `0001${text.slice(4)} BC` : text;
}
