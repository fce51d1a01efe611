/**
 * What the parts of a list's page are made from. Pure.
 *
 * @module
 */

import type { queryChanger } from "@/core/request/change_query.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { PathPart } from "./list_path.ts";

/** A request for a list, its walk, and its path as parts. */
export interface ListInput {
  readonly input: DataRequest;
  readonly walk: Walk;
  readonly parts: readonly PathPart[];
  /** The column list of the path: one segment or none. */
  readonly columns: readonly string[];
  readonly ui: ReadonlyMap<string, readonly string[]>;
  /** Changes the query of the request. */
  readonly change: ReturnType<typeof queryChanger>;
}

/** The address of a list with other segments, on its first page. */
export function addressOf(
  segments: readonly string[],
  { input: { request, service }, change }: ListInput,
): string {
  const path = [request.segments[0] ?? "", ...segments].join("/");
  return `${service.prefix}/db/${path}.${request.format.name}${change({ offset: undefined })}`;
}
