/**
 * Times in messages, and the permitted difference between clocks.
 *
 * @module
 */

import { Expired, require } from "./rejection.ts";
import type { Element } from "./xml.ts";

/** The present time in milliseconds since 1970, and the permitted difference in milliseconds. */
export interface Clock {
  readonly now: number;
  readonly skew: number;
}

/** Rejects an element outside its stated period of validity. */
export function requireInTime(element: Element, what: string, { now, skew }: Clock): void {
  const from = timeIn(element, "NotBefore");
  const until = timeIn(element, "NotOnOrAfter");
  require(from === undefined || now + skew >= from, `${what} that is not valid yet`);
  if (until !== undefined && now - skew >= until) throw new Expired(`${what} that has expired`);
}

/** A time; UTC if it has no zone. */
export function timeIn({ attributes }: Element, name: string): number | undefined {
  const written = attributes.get(name)?.trim();
  if (written === undefined) return undefined;
  const time = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(written) ? written : `${written}Z`);
  require(Number.isFinite(time), `a ${name} that is no time`);
  return time;
}
