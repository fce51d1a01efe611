/**
 * Changes parameters of a raw query string. Pure.
 *
 * @module
 */

import { parameterName } from "./parameters.ts";

/** Parameters to set, or to remove (undefined). */
type QueryChanges = Readonly<Record<string, string | undefined>>;

type QueryChanger = (changes: QueryChanges) => string;

/**
 * The query string with its question mark, with some parameters set or removed; credentials and the state of
 * the page are removed, other parameters stay as they are. Empty without parameters.
 */
export function changeQuery(query: string, changes: QueryChanges, credentials: ReadonlySet<string>): string {
  return queryChanger(query, credentials)(changes);
}

/**
 * {@link changeQuery} for many changes of one query string, which is read only
 * once: a list has a hundred links.
 */
export function queryChanger(query: string, credentials: ReadonlySet<string>): QueryChanger {
  const known = CHANGERS.get(credentials);
  if (known?.query === query) return known.change;
  const change = readQuery(query, credentials);
  CHANGERS.set(credentials, { query, change });
  return change;
}

/** The changer of the last query string: the planner and the writer of a page ask for the same one. */
const CHANGERS = new WeakMap<
  ReadonlySet<string>,
  { readonly query: string; readonly change: QueryChanger }
>();

function readQuery(query: string, credentials: ReadonlySet<string>): QueryChanger {
  const pairs = query.split("&").filter((pair) => pair !== "").map((pair) => {
    return { pair, name: parameterName(pair) };
  });
  const kept = pairs.filter(({ name }) => !credentials.has(name) && !name.startsWith("ui."));
  return (changes) => {
    let text = "";
    for (const { pair, name } of kept) {
      if (!Object.hasOwn(changes, name)) text += (text === "" ? "?" : "&") + pair;
    }
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) continue;
      text += `${text === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    }
    return text;
  };
}
