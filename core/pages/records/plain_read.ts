/**
 * Reads that pages make beside their own: of values as they are stored, without what a format adds.
 *
 * @module
 */

import { NO_PARAMETERS } from "@/core/request/parameters.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import { type ReadPlan, readPlan, walkInput } from "@/core/tables/plan_read.ts";

/** {@link plainRead} of a path of the service's own, not in the spelling that the request asks for. */
export function ownRead(
  segments: readonly string[],
  input: DataRequest,
  parameters: DataRequest["request"]["parameters"],
): ReadPlan {
  const request = { ...input.request, grammar: input.service.grammar };
  return plainRead(segments, { ...input, request }, parameters);
}

/** A read of values as they are stored, in the order of the table's columns. */
export function plainRead(
  segments: readonly string[],
  input: DataRequest,
  parameters: DataRequest["request"]["parameters"] = NO_PARAMETERS,
): ReadPlan {
  return walkedRead(walkPath(segments, walkInput(input)), input, parameters);
}

/** {@link plainRead} of a walk. */
export function walkedRead(
  walk: Walk,
  input: DataRequest,
  parameters: DataRequest["request"]["parameters"],
): ReadPlan {
  const format = input.service.formats.fallback;
  const request = { ...input.request, method: "GET", format, parameters, query: "" };
  return readPlan({ ...input, request }, walk, false);
}
