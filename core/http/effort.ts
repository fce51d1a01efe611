/**
 * How much work the answer of a plan is, so that small requests pass long ones. Pure.
 *
 * @module
 */

import type { Plan } from "@/core/resources.ts";

/** Cells of a flat list that are read and written in half a millisecond. */
const FEW = 2500;
/** Cells of a flat list that are read and written in two milliseconds. */
const SHORT = 10_000;

/** A page takes as long as an answer with so many times its cells. */
const PAGE = 2;

/** Plans other than reads whose answers are much work. */
const LONG: ReadonlySet<Plan["kind"]> = new Set(["query", "summary", "beside", "description"]);

/** How long an answer may keep the event loop busy. */
type Effort = "little" | "short" | "long";

/** Related records, columns, queries and long lists are much work. */
export function effortOf(plan: Plan): Effort {
  if (plan.kind !== "read") return LONG.has(plan.kind) ? "long" : "little";
  const { compiled: { isFlat, isPage, single, shape }, limit = Infinity } = plan;
  if (!isFlat) return "long";
  const cells = (single ? 1 : limit) * shape.columns.length * (isPage ? PAGE : 1);
  return cells <= FEW ? "little" : cells <= SHORT ? "short" : "long";
}
