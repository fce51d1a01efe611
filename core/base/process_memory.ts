/**
 * The memory of the process: when small amounts that clients hold must be counted, too, and what malloc keeps
 * though nobody uses it.
 *
 * @module
 */

/**
 * Bytes outside of the heap, for each worker. Measured under 50 callers of lists and pages: at most 281 MB.
 */
const USUAL = 320 * 2 ** 20;
/** Bytes outside of the heap, for each worker, of which some may be free. */
const MUCH = 160 * 2 ** 20;
/** Milliseconds. */
const LOOK = 5000;
/** Milliseconds for which a figure is good enough: a worker writes some ten megabytes meanwhile. */
const FRESH = 10;

/** The number of threads that share the process. */
interface Workers {
  readonly workers: number;
}

/**
 * Whether the process holds more than usual for its clients. The heap does not count: under load it has 100
 * to 200 MB of garbage.
 */
export function isLargeProcess({ workers }: Workers): boolean {
  const now = performance.now();
  if (now - lookedAt > FRESH) [lookedAt, isLarge] = [now, outsideHeap(workers) > USUAL];
  return isLarge;
}

// Asking the system costs as much as writing ten records.
let lookedAt = -Infinity;
let isLarge = false;

/**
 * Gives free memory back to the system again and again, until disposed of. Malloc keeps what lies between
 * pieces in use: 270 MB after 1,000 clients that took nothing. `look`: milliseconds between two looks.
 */
export function returnMemory({ workers }: Workers, look: number = LOOK): AsyncDisposable {
  const library = Deno.dlopen(LIBRARY, {
    malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
  });
  let trimmed: Promise<unknown> = Promise.resolve();
  // Takes some milliseconds of another thread.
  const trim = () => library.symbols.malloc_trim(0n);
  const timer = setInterval(() => {
    if (outsideHeap(workers) > MUCH) trimmed = trimmed.then(trim);
  }, look);
  Deno.unrefTimer(timer);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await trimmed;
      library.close();
    },
  };
}

/** Whether {@link returnMemory} works here: only GNU's malloc can be told to. */
export function canReturnMemory(): boolean {
  const permission = { name: "ffi", path: LIBRARY } as const;
  return Deno.build.env === "gnu" && Deno.permissions.querySync(permission).state === "granted";
}

const LIBRARY = "libc.so.6";

/** Bytes for each worker. */
function outsideHeap(workers: number): number {
  const { rss, heapTotal } = Deno.memoryUsage();
  return rss / workers - heapTotal;
}
