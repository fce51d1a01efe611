/**
 * The members of a saved query's definition, and the reader of querydefs.cfg.
 *
 * @module
 */

import type { QueryDefinition } from "@/core/model.ts";
import { type Block, block, complainAboutUnknown, flag, oneOf } from "@/plugins/kit/members.ts";
import { inside, type Loading, type Place } from "./configuration.ts";
import {
  FILLED,
  FLAG,
  mapOf,
  type Member,
  type MemberTable,
  type MemberType,
  named,
  plain,
  readByTable,
  rightsMembers,
  TEXT,
} from "./definition_members.ts";
import { readEntries } from "./entries.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
const TYPES = ["text", "integer", "decimal", "boolean", "date", "datetime"] as const;

/** Null declares no type. */
const PARAMETERS: MemberType<QueryDefinition["parameters"]> = mapOf({
  ...plain(oneOf(TYPES), { enum: [...TYPES, null] }),
  read: (value, place) => value === null ? undefined : oneOf(TYPES)(value, place),
});

/** In the order of the schema, because the order of elements matters in XML Schema. */
const HTTP_METHODS: MemberType<readonly string[]> = {
  read: readMethods,
  schema: {
    type: "object",
    properties: Object.fromEntries(METHODS.map((method) => [method, FLAG.schema])),
    additionalProperties: false,
  },
  show: (methods) =>
    Object.fromEntries(METHODS.filter((method) => methods.includes(method)).map((method) => [method, true])),
};

/** The members of querydefs.cfg and of answers, in the order of answers. */
export const QUERY_MEMBERS = named<
  MemberTable<Omit<QueryDefinition, "id">> & {
    readonly urlTemplate: Member<string> & { readonly only: "answered" };
  }
>({
  database: { type: FILLED, initial: "", required: true, doc: "id of the database" },
  description: { wire: "desc", type: TEXT, initial: "", doc: "a description" },
  sql: {
    wire: "sqlstr",
    type: FILLED,
    initial: "",
    required: true,
    description: "SQL with parameters like :year.",
    doc: "the [statement](api.md#statements)",
  },
  parameters: {
    type: PARAMETERS,
    initial: new Map(),
    doc: "types of the [parameters](api.md#parameters-of-a-query): a map by name",
  },
  methods: {
    wire: "http_methods",
    type: HTTP_METHODS,
    initial: ["GET"],
    doc: "methods that the query has: `{ GET: true }` (default), POST, PUT, DELETE",
  },
  readOnly: { type: FLAG, doc: "see [statements](api.md#statements)" },
  ...rightsMembers("Users who may run it.", "users who may see, change, run the query"),
  urlTemplate: {
    type: TEXT,
    only: "answered",
    doc: "only in answers: the path of the query with its parameters in braces",
  },
});

/** Every saved query by its id. */
export function readQueries(file: string, loading: Loading): ReadonlyMap<string, QueryDefinition> {
  return readEntries(file, loading, { idMembers: ["query_id"], read: readQuery });
}

/** One saved query. */
export function readQuery(id: string, members: Block, place: Place): QueryDefinition {
  return { id, ...readByTable<Omit<QueryDefinition, "id">>(members, place, QUERY_MEMBERS) };
}

function readMethods(value: unknown, place: Place): readonly string[] | undefined {
  const members = block(value, place);
  if (!members) return undefined;
  const known: readonly string[] = METHODS;
  return Object.entries(members).flatMap(([name, allowed]) => {
    if (!known.includes(name)) complainAboutUnknown(name, METHODS, place);
    return flag(allowed, inside(place, name)) ? [name] : [];
  });
}
