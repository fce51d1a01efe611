/**
 * The parameters `ui.*` of a query string: the state of a page that the API has no word for. Pure.
 *
 * @module
 */

/**
 * The values of `ui.*` by their names without `ui.`, in their order. Broken percent-encoding stays as it is.
 */
export function uiValues(query: string): ReadonlyMap<string, readonly string[]> {
  if (!query.includes("ui.")) return NONE;
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!name.startsWith("ui.")) continue;
    values.getOrInsertComputed(name.slice(3), () => []).push(value);
  }
  return values;
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map();
