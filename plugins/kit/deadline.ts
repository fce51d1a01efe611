/**
 * Waits for work, but not for ever. The service uses it as well as its plugins.
 *
 * @module
 */

/** Waits for work; false when the time is up first. Rejects as the work does. */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
