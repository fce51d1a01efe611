/**
 * Stage 3 of `Prefer: return=representation`: compiles the read of new records
 * before their keys are known. Pure.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import { NO_PARAMETERS } from "@/core/request/parameters.ts";
import { keyWalk } from "@/core/schema/key_walk.ts";
import type { Table } from "@/core/schema/table.ts";
import type { CompiledRead, DataRequest } from "./compile_read.ts";
import { findCompiled } from "./plan_read.ts";

/** The read of a record by its key, and the input that a key of another shape is compiled from. */
interface ReadByKey {
  readonly compiled: CompiledRead;
  readonly input: DataRequest;
}

/** How the new records are read. Stage 4 binds their keys. */
export interface CreatedRead {
  /** The table as the caller may read it. */
  readonly table: Table;
  /** The key of the walk that both reads are compiled for. */
  readonly key: string;
  /** For a body with one record. */
  readonly record: ReadByKey;
  /** For a body with a list: each of its records is read as a list of one. */
  readonly list: ReadByKey;
}

/**
 * Reads like GET of each new path. Undefined if the client does not prefer records, or cannot be shown them.
 */
export function planCreated(input: DataRequest, { name }: Table): CreatedRead | undefined {
  const { request, headers, connection, mapping, service } = input;
  if (!PREFERS_RECORDS.test(headers.get("prefer") ?? "")) return undefined;
  if (request.format.format.schemasOf !== undefined) return undefined;
  const view = connection.views.find(mapping);
  const table = view.schema.tables.exact(name);
  if (!table || table.primaryKey.length === 0) return undefined;
  const walk = keyWalk(table);
  const readWith = (parameters: DataRequest["request"]["parameters"]): ReadByKey => {
    const read = { ...request, method: "GET", parameters, query: "", grammar: service.grammar };
    const own = { ...input, view, request: read };
    return { input: own, compiled: findCompiled(own, walk, false) };
  };
  try {
    return { table, key: walk.key, record: readWith(NO_PARAMETERS), list: readWith({ wantarray: true }) };
  } catch (error) {
    // The records can be created even if this format cannot show them: the answer has their paths.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

const PREFERS_RECORDS = /(?:^|,)\s*return\s*=\s*"?representation"?\s*(?:[,;]|$)/i;
