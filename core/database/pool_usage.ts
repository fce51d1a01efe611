/**
 * The connections of several pools together.
 *
 * @module
 */

import type { Database, DatabaseUsage } from "@/plugins/contract.ts";

/** Undefined if none of them tells its connections. What no pool tells is absent. */
export function usageOfAll(pools: readonly Pick<Database, "usage">[]): DatabaseUsage | undefined {
  const used = pools.flatMap((pool) => pool.usage?.() ?? []);
  if (used.length === 0) return undefined;
  const ends = used.flatMap(({ ends }) => ends ?? []);
  const walBytes = used.flatMap(({ walBytes }) => walBytes ?? []);
  return {
    open: total(used.map(({ open }) => open)),
    idle: total(used.map(({ idle }) => idle)),
    waiting: total(used.map(({ waiting }) => waiting)),
    ...ends.length > 0 && { ends: total(ends) },
    ...walBytes.length > 0 && { walBytes: Math.max(...walBytes) },
  };
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
