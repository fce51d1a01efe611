/**
 * The saved queries that the caller may run, as paths of an OpenAPI document.
 *
 * @module
 */

import { printName } from "@/core/request/print_path.ts";
import type { Json, QueryDefinition, ValueType } from "@/core/model.ts";
import { NameParts } from "./names.ts";
import { parametersFor } from "./components.ts";
import { countHeader, errorResponses } from "./responses.ts";
import type { JsonObject } from "./schemas.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { executableQueries } from "@/core/queries/find_query.ts";
import { parameterNames } from "@/core/queries/saved_query.ts";
import type { Service } from "@/core/service.ts";

/** The tag of saved queries; it has a space, which ids of databases cannot have. */
export const QUERY_TAG = {
  name: "Saved queries",
  description: "SQL that is kept, with parameters.",
} as const;

const ERRORS = errorResponses(400, 403, 404, 409, 413, 415, 422, 500, 503, 504);
const READ_PARAMETERS = parametersFor("rows");

/** The paths by their template. `database`: limits them to this database. */
export function queryPaths(caller: Caller, service: Service, database?: string): JsonObject {
  const names = new NameParts();
  const queries = executableQueries(caller, service)
    .filter((query) => database === undefined || query.database === database);
  return Object.fromEntries(queries.flatMap((query) => {
    const described = {
      query,
      service,
      name: names.claim(query.id),
      parameters: parameterNames(query, service.databases),
    };
    return [...pathParameters(described), ...bodyParameters(described)];
  }));
}

interface DescribedQuery {
  readonly query: QueryDefinition;
  readonly service: Service;
  /** The part of its operations' names. */
  readonly name: string;
  readonly parameters: readonly string[];
}

/** GET and DELETE take arguments from the path. */
function pathParameters(described: DescribedQuery): readonly (readonly [string, Json])[] {
  const { query, service, parameters } = described;
  const methods = query.methods.filter((method) =>
    parameters.length === 0 || method === "GET" || method === "DELETE"
  );
  if (methods.length === 0) return [];
  const parts = new NameParts();
  const claimed = parameters.map((parameter) => parts.claim(parameter));
  const steps = parameters.map((parameter, index) => {
    return `/${printName(parameter, service.links)}/{${claimed[index]}}`;
  });
  const path = `${basePath(described)}${steps.join("")}.json`;
  const inPath = parameters.map((parameter, index) => ({
    name: claimed[index] ?? parameter,
    in: "path",
    required: true,
    description: `The value of ${parameter}`,
    schema: schemaOf(query.parameters.get(parameter)),
  }));
  const operations = methods.map((method) => {
    const reading = method === "GET" ? READ_PARAMETERS : [];
    return [
      method.toLowerCase(),
      operation(described, method, { parameters: [...inPath, ...reading] }),
    ] as const;
  });
  return [[path, Object.fromEntries(operations)]];
}

/** POST and PUT may also take arguments from a body. */
function bodyParameters(described: DescribedQuery): readonly (readonly [string, Json])[] {
  const { query, parameters } = described;
  const methods = query.methods.filter((method) =>
    parameters.length > 0 && (method === "POST" || method === "PUT")
  );
  if (methods.length === 0) return [];
  const set = {
    type: "object",
    required: parameters,
    properties: Object.fromEntries(
      parameters.map((
        parameter,
      ) => [parameter, { anyOf: [schemaOf(query.parameters.get(parameter)), { type: "null" }] }]),
    ),
    additionalProperties: false,
  };
  const schema = { anyOf: [set, { type: "array", items: set, minItems: 1 }] };
  const requestBody = {
    description: "The values of the parameters, or a list of such sets: the query runs once for each.",
    required: true,
    content: { "application/json": { schema } },
  };
  const operations = methods.map((method) =>
    [method.toLowerCase(), operation(described, method, { requestBody })] as const
  );
  return [[`${basePath(described)}.json`, Object.fromEntries(operations)]];
}

function basePath({ query, service }: DescribedQuery): string {
  return `/query/${printName(query.id, service.links)}`;
}

function operation({ query, service, name }: DescribedQuery, method: string, members: JsonObject): Json {
  const answer = {
    description: "The rows of the result; none where the statement gives no rows.",
    headers: countHeader(service.countHeader),
    content: { "application/json": { schema: { type: "array", items: { type: "object" } } } },
  };
  return {
    operationId: `query.${name}.${method.toLowerCase()}`,
    summary: query.description === "" ? `Run ${query.id}` : query.description,
    tags: [QUERY_TAG.name],
    ...members,
    responses: { "200": answer, ...ERRORS },
  };
}

const TYPES: { readonly [Type in ValueType]?: Json } = {
  integer: { type: "integer" },
  decimal: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
};

function schemaOf(type: ValueType | undefined): Json {
  return (type && TYPES[type]) ?? { type: "string" };
}
