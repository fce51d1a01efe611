/**
 * Waits for work for a limited time.
 *
 * @module
 */

/** Settles with the work, or when the time is up, whichever comes first. */
export async function within(work: Promise<void>, milliseconds: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, milliseconds);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
