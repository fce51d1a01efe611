/**
 * The memory of the process, which tells when small amounts that clients hold must be counted, too.
 *
 * @module
 */

/**
 * Bytes outside of the heap, for each worker. Measured under 50 callers of lists and pages: at most 281 MB.
 */
const USUAL = 320 * 2 ** 20;

/**
 * Whether the process holds more than usual for its clients. The heap does not count: under load it has 100
 * to 200 MB of garbage.
 */
export function isLargeProcess({ workers }: { readonly workers: number }): boolean {
  const { rss, heapTotal } = Deno.memoryUsage();
  return rss - heapTotal * workers > USUAL * workers;
}
