/**
 * Stage 4 of the step to the next record of a list: reads one row, and leads to the page of its record.
 *
 * @module
 */

import type { Redirect } from "@/core/plan.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { readRows } from "@/core/tables/execute_read.ts";
import type { StreamOptions } from "@/plugins/contract.ts";
import type { OpenPlan } from "./neighbours.ts";

/** The page of the row's record; behind the last row that of the list. */
export async function openRow({ row, place, list }: OpenPlan, options: StreamOptions): Promise<Redirect> {
  const [first] = await readRows(row, options);
  const path = first && row.compiled.shape.locate?.(first);
  const location = typeof path === "string" ? `${path}.html${place}` : list;
  return { kind: "redirect", status: 303, location: encodeUrl(location) };
}
