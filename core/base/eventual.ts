/**
 * Values that are available at once or later. Small reads are answered without a promise, because in a server
 * each `await` costs about as much as a small read (measured: one more async function took 4 µs of 40).
 *
 * @module
 */

/** A value, or a promise of it. */
export type Eventual<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is available, else when the promise resolves. */
export function whenThere<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `work`; `recover` handles its error, thrown or rejected. */
export function attempt<T>(work: () => Eventual<T>, recover: (error: unknown) => Eventual<T>): Eventual<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}
