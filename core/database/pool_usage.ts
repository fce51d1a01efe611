/**
 * The connections of several pools together.
 *
 * @module
 */

import type { Database, DatabaseUsage } from "@/plugins/contract.ts";

/** Undefined if none of them tells its connections. */
export function usageOfAll(pools: readonly Pick<Database, "usage">[]): DatabaseUsage | undefined {
  const used = pools.flatMap((pool) => pool.usage?.() ?? []);
  if (used.length === 0) return undefined;
  return used.reduce((sum, each) => ({
    open: sum.open + each.open,
    idle: sum.idle + each.idle,
    waiting: sum.waiting + each.waiting,
    ends: (sum.ends ?? 0) + (each.ends ?? 0),
    walBytes: Math.max(sum.walBytes ?? 0, each.walBytes ?? 0),
  }), { open: 0, idle: 0, waiting: 0 });
}
