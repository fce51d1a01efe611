/**
 * The memory of the process, which tells when small amounts that clients hold must be counted, too.
 *
 * @module
 */

/** Bytes for each worker. */
const USUAL = 3 * 2 ** 27;

/** Whether the process has more than its usual memory. Measured: 2 µs. */
export function isLargeProcess({ workers }: { readonly workers: number }): boolean {
  return Deno.memoryUsage().rss > USUAL * workers;
}
