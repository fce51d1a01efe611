/**
 * A clock that stands still.
 *
 * @module
 */

/** Does work during which `performance.now()` stands still: a slow machine cannot come in between. */
export function inOneMoment<T>(work: () => T): T {
  const moment = performance.now();
  performance.now = () => moment;
  try {
    return work();
  } finally {
    Reflect.deleteProperty(performance, "now");
  }
}
