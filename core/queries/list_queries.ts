/**
 * `/query`: the saved queries that a caller may run.
 *
 * @module
 */

import { linkSchema, TEXT } from "@/core/documents/document_schemas.ts";
import { describe, type Described, textColumn } from "@/core/documents/documents.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Json, JsonObject, QueryDefinition } from "@/core/model.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { executableQueries } from "./find_query.ts";
import { parameterNames } from "./saved_query.ts";
import type { Service } from "@/core/service.ts";

const COLUMNS = ["query_id", "desc", "database", "parameters", "http_methods"] as const;

/** By id, each with the types of its parameters and a link. */
export function queriesDocument(caller: Caller, service: Service): Described {
  const queries = executableQueries(caller, service);
  const columns = COLUMNS.map((name) => textColumn(name, name === "query_id"));
  return describe({ name: "query", schema: queriesSchema(service.settings.refid_prefix), columns }, {
    tree: Object.fromEntries<Json>(queries.map((query) => [query.id, describeEntry(query, service)])),
    rows: queries.map((query) => {
      const { id, description, database, methods } = query;
      return [id, description, database, parameterNames(query, service.databases).join(), methods.join()];
    }),
  });
}

function queriesSchema(refid: string): JsonObject {
  const { properties } = linkSchema(refid);
  const query = {
    type: "object",
    required: ["desc", "database", "parameters", "http_methods"],
    properties: {
      desc: TEXT,
      database: TEXT,
      parameters: {
        type: "object",
        description: "The types of its parameters by their names.",
        additionalProperties: TEXT,
      },
      http_methods: { type: "object", additionalProperties: { type: "boolean" } },
      ...properties as JsonObject,
    },
  };
  return { title: "query", type: "object", additionalProperties: query };
}

function describeEntry(query: QueryDefinition, service: Service): Json {
  const { id, description, database, methods } = query;
  const parameters = parameterNames(query, service.databases).map((name) =>
    [name, query.parameters.get(name) ?? "text"] as const
  );
  return {
    desc: description,
    database,
    parameters: Object.fromEntries(parameters),
    http_methods: Object.fromEntries(methods.map((method) => [method, true])),
    [service.settings.refid_prefix]: `${service.prefix}/query/${printName(id, service.links)}.json`,
  };
}
