/**
 * Objects whose optional members are absent rather than undefined.
 *
 * @module
 */

/** The members that have a value. */
export function defined<T extends object>(
  members: T,
): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
