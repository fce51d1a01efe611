/**
 * Values that are there at once or later. Small reads are answered without waiting for anything, and in a server each
 * `await` costs about as much as a small read: measured, an async function more on the way took 4 µs of 40.
 *
 * @module
 */

/** A value, or a promise of it. */
export type Eventual<T> = T | Promise<T>;

/** Goes on with a value: at once if it is there, else when it comes. */
export function whenThere<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `work`; `recover` gets what it throws, now or later. */
export function attempt<T>(work: () => Eventual<T>, recover: (error: unknown) => Eventual<T>): Eventual<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}
