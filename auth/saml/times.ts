/**
 * Times in messages, and how far the clocks of two machines may differ.
 *
 * @module
 */

import { Expired, require } from "./rejection.ts";
import type { Element } from "./xml.ts";

/** The moment, in milliseconds since 1970, and how many of them clocks may differ. */
export interface Clock {
  readonly now: number;
  readonly skew: number;
}

/** Rejects an element that is for later or for earlier, as far as it says so. */
export function requireInTime(element: Element, what: string, { now, skew }: Clock): void {
  const from = timeIn(element, "NotBefore");
  const until = timeIn(element, "NotOnOrAfter");
  require(from === undefined || now + skew >= from, `${what} that is not valid yet`);
  if (until !== undefined && now - skew >= until) throw new Expired(`${what} that has expired`);
}

/** A time, which is UTC if it does not say otherwise. */
export function timeIn({ attributes }: Element, name: string): number | undefined {
  const written = attributes.get(name)?.trim();
  if (written === undefined) return undefined;
  const time = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(written) ? written : `${written}Z`);
  require(Number.isFinite(time), `a ${name} that is no time`);
  return time;
}
