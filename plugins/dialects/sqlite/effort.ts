/**
 * The effort of a statement, which tells whether the service's thread may run it the next time.
 *
 * @module
 */

import process from "node:process";

/**
 * Starts to measure; the result gives milliseconds. It counts the time of the processor: on a busy machine
 * every statement takes long, and in a process it costs even more. If the disk was read, it counts the time
 * of the clock, because the service's thread would wait for the disk.
 */
export function measureEffort(): () => number {
  const began = performance.now();
  const before = process.resourceUsage();
  return () => {
    const after = process.resourceUsage();
    const passed = performance.now() - began;
    if (after.fsRead > before.fsRead) return passed;
    const used = after.userCPUTime - before.userCPUTime + after.systemCPUTime - before.systemCPUTime;
    // Other threads of the process may have worked, too.
    return Math.min(passed, used / 1000);
  };
}
