/**
 * The label of a record: the columns whose text tells people which one it is. Pure.
 *
 * @module
 */

import type { TableDescription } from "@/core/catalog.ts";

/** First and last names, pairwise in the order in which they are shown. */
const PERSONS = [["firstname", "lastname"], ["givenname", "familyname"], ["forename", "surname"]] as const;

/** A column that may hold longer texts is no label. */
const LONGEST = 1000;

/** A text that may be NULL and is not unique is a label among so many first columns: behind them a remark. */
const FIRST = 4;

/**
 * The names of the columns that make the label: those of the definition, else the name, first and last name
 * together, the title, a text that is unique and never NULL, the first text that is either, a text among the
 * first columns. Empty: the key is the label.
 */
export function labelColumns(
  { name: table, columns, primaryKey, uniqueKeys, foreignKeys }: TableDescription,
  chosen: readonly string[],
): readonly string[] {
  if (chosen.length > 0) return chosen;
  const texts = columns.flatMap(({ name, type, maxLength = 0 }) =>
    type === "text" && maxLength <= LONGEST ? [name] : []
  );
  const named = (wanted: string) => texts.find((name) => plain(name) === wanted);
  const own = named("name") ?? named(`${plain(table)}name`);
  if (own !== undefined) return [own];
  for (const pair of PERSONS) {
    const person = pair.map(named).filter((name) => name !== undefined);
    if (person.length === pair.length) return person;
  }
  const title = named("title") ?? named(`${plain(table)}title`);
  if (title !== undefined) return [title];
  const isUnique = (wanted: string) => uniqueKeys.some((key) => key.length === 1 && key[0] === wanted);
  const isForeign = (wanted: string) => foreignKeys.some((key) => key.columns.includes(wanted));
  // Many records share the value of a state, which has a default or a list of values.
  const states = columns.filter(({ hasDefault, bounds }) => hasDefault || bounds?.members !== undefined);
  const candidates = texts.filter((name) =>
    isUnique(name) ||
    !(primaryKey.includes(name) || isForeign(name) || states.some((state) => state.name === name))
  );
  const isNullable = (wanted: string) => columns.some(({ name, nullable }) => name === wanted && nullable);
  const isEarly = (wanted: string) => columns.slice(0, FIRST).some(({ name }) => name === wanted);
  const found = candidates.find((name) => isUnique(name) && !isNullable(name)) ??
    candidates.find((name) => isUnique(name) || !isNullable(name)) ?? candidates.find(isEarly);
  return found === undefined ? [] : [found];
}

/** `First_Name` and `FirstName` are the same. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
