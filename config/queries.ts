/**
 * Reads querydefs.cfg.
 *
 * @module
 */

import type { QueryDefinition } from "@/core/model.ts";
import { inside, type Place } from "./complaints.ts";
import type { Loading } from "./configuration.ts";
import { readEntries } from "./entries.ts";
import {
  type Block,
  block,
  complainAboutUnknown,
  filledText,
  flag,
  listOf,
  oneOf,
  present,
  readMembers,
  text,
} from "./members.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
const TYPES = ["text", "integer", "decimal", "boolean", "date", "datetime"] as const;

type ParameterType = (typeof TYPES)[number];

const names = listOf(filledText);
const QUERY = {
  database: filledText,
  desc: text,
  sqlstr: filledText,
  parameters,
  http_methods: methods,
  read_only: flag,
  creator: text,
  read: names,
  write: names,
  execute: names,
};

/** Every saved query by its id. */
export function readQueries(file: string, loading: Loading): ReadonlyMap<string, QueryDefinition> {
  return readEntries(file, loading, { idMember: "query_id", read: readQuery });
}

/** One saved query. */
export function readQuery(id: string, members: Block, place: Place): QueryDefinition {
  const read = readMembers(members, place, QUERY, ["database", "sqlstr"]);
  return {
    id,
    database: read.database ?? "",
    description: read.desc ?? "",
    sql: read.sqlstr ?? "",
    parameters: read.parameters ?? new Map(),
    methods: read.http_methods ?? ["GET"],
    ...present({ readOnly: read.read_only }),
    creator: read.creator ?? "admin",
    read: read.read ?? [],
    write: read.write ?? [],
    execute: read.execute ?? [],
  };
}

/** Types are optional: a parameter without one is text. */
function parameters(value: unknown, place: Place): ReadonlyMap<string, ParameterType> | undefined {
  const members = block(value, place);
  if (!members) return undefined;
  return new Map(
    Object.entries(members).map(([name, type]) => [
      name,
      type === null ? "text" : oneOf(TYPES)(type, inside(place, name)) ?? "text",
    ]),
  );
}

function methods(value: unknown, place: Place): readonly string[] | undefined {
  const members = block(value, place);
  if (!members) return undefined;
  const known: readonly string[] = METHODS;
  return Object.entries(members).flatMap(([name, allowed]) => {
    if (!known.includes(name)) complainAboutUnknown(name, METHODS, place);
    return flag(allowed, inside(place, name)) ? [name] : [];
  });
}
