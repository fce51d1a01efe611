/**
 * Makes a configuration immutable at run time.
 *
 * @module
 */

/** Freezes a value deeply, including maps and sets. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map || value instanceof Set) sealCollection(value);
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
  return value;
}

function sealCollection(collection: Map<unknown, unknown> | Set<unknown>): void {
  for (const item of collection.values()) deepFreeze(item);
  // Own methods hide the mutating ones; they are not enumerable, so that comparing and cloning ignore them.
  for (const method of ["set", "add", "delete", "clear"]) {
    if (method in collection) Object.defineProperty(collection, method, { value: refuse });
  }
}

function refuse(): never {
  throw new TypeError("Cannot change a frozen configuration");
}
