/**
 * Changes parameters of a raw query string. Pure.
 *
 * @module
 */

import { parameterName } from "./parameters.ts";

/**
 * The query string with its question mark, with some parameters set or removed (undefined); credentials and the state of
 * the page are removed, other parameters stay as they are. Empty without parameters.
 */
export function changeQuery(
  query: string,
  changes: Readonly<Record<string, string | undefined>>,
  credentials: ReadonlySet<string>,
): string {
  const kept = query.split("&").filter((pair) => {
    const name = parameterName(pair);
    return pair !== "" && !Object.hasOwn(changes, name) && !credentials.has(name) && !name.startsWith("ui.");
  });
  const added = Object.entries(changes).flatMap(([name, value]) => {
    return value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`];
  });
  const all = [...kept, ...added].join("&");
  return all === "" ? "" : `?${all}`;
}
