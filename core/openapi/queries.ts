/**
 * The saved queries that the caller may run, as paths of an OpenAPI document.
 *
 * @module
 */

import { objectSchema, OPEN } from "@/core/documents/document_schemas.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Json, JsonObject, QueryDefinition, ValueType } from "@/core/model.ts";
import { executableQueries } from "@/core/queries/find_query.ts";
import { parameterNames } from "@/core/queries/saved_query.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import { headers, jsonContent, listHeaders, parametersFor, responses } from "./components.ts";
import { NameParts } from "./names.ts";
import { body, exampleJson, valueSchema } from "./schemas.ts";

/** The tag of saved queries; it has a space, which ids of databases cannot have. */
export const QUERY_TAG = {
  name: "Saved queries",
  description: "SQL that is kept, with parameters.",
} as const;

const READ_ERRORS = responses(400, 402, 403, 404, 429, 500, 503, 504);
/** 204: the query has changed something, and its rows cannot be shown. */
const RUN_ERRORS = { ...READ_ERRORS, ...responses(204, 408, 409, 413, 415, 422) };
const WITH_LIMIT = responses(302);
const READ_PARAMETERS = parametersFor(["rows"]);
/** A GET that may change something runs in a transaction: its rows are no pages of a list. */
const isRead = (method: string, { readOnly }: QueryDefinition) => method === "GET" && readOnly !== false;

/** The paths by their template. `database`: limits them to this database. */
export function queryPaths(caller: Pick<Caller, "user">, service: Service, database?: string): JsonObject {
  const names = new NameParts();
  const queries = executableQueries(caller, service)
    .filter((query) => database === undefined || query.database === database);
  return Object.fromEntries(queries.flatMap((query) => describeQuery(query, names.claim(query.id), service)));
}

/** For clients that encode values without `.` and `_`, as most do. */
const MARKERS = ". `__`, `_dot` and `<null>` in it have a meaning: percent-encode their characters.";

/** GET and DELETE take arguments from the path; POST and PUT may also take them from a body. */
function describeQuery(
  query: QueryDefinition,
  name: string,
  service: Service,
): readonly (readonly [string, Json])[] {
  const parts = new NameParts();
  const parameters = parameterNames(query, service.databases).map((parameter) => {
    return { parameter, part: parts.claim(parameter), type: query.parameters.get(parameter) };
  });
  const inPath = parameters.map(({ parameter, part, type }) => {
    const description = `The value of ${parameter}${type === undefined || type === "text" ? MARKERS : ""}`;
    const example = type === undefined || type === "text" ? {} : { example: exampleJson({ type }) };
    return { name: part, in: "path", required: true, description, schema: valueSchema(type), ...example };
  });
  const base = `/query/${printName(query.id, service.links)}`;
  const steps = parameters.map(({ parameter, part }) => `/${printName(parameter, service.links)}/{${part}}`);
  const limited = service.databases.get(query.database)?.definition.limit === undefined ? {} : WITH_LIMIT;
  const hasBody = (method: string) => parameters.length > 0 && (method === "POST" || method === "PUT");
  const paths = Map.groupBy(query.methods, (method) => base + (hasBody(method) ? "" : steps.join("")));
  return [...paths].map(([path, methods]) => {
    const operations = methods.map((method) => {
      const isPage = isRead(method, query);
      const input = hasBody(method)
        ? { requestBody: bodyOf(parameters, service) }
        : { parameters: [...inPath, ...(isPage ? READ_PARAMETERS : [])] };
      return [method.toLowerCase(), {
        operationId: `query.${name}.${method.toLowerCase()}`,
        summary: query.description === "" ? `Run ${query.id}` : query.description,
        tags: [QUERY_TAG.name],
        ...input,
        responses: {
          "200": answer(isPage ? listHeaders(service.countHeader) : headers()),
          ...(isPage ? { ...limited, ...READ_ERRORS } : RUN_ERRORS),
        },
      }] as const;
    });
    return [`${path}.json`, Object.fromEntries(operations)];
  });
}

/** Without a declared type a value keeps its own. */
export const UNDECLARED = { type: ["string", "number", "boolean", "null"] };

function bodyOf(
  parameters: readonly { readonly parameter: string; readonly type: ValueType | undefined }[],
  service: Service,
): Json {
  const members = parameters.map(({ parameter, type }): readonly [string, Json] => {
    return [parameter, type ? { anyOf: [valueSchema(type), { type: "null" }] } : UNDECLARED];
  });
  const set = { ...objectSchema(Object.fromEntries(members)), additionalProperties: false };
  const description = "The values of the parameters, or a list of such sets: the query runs once for each.";
  return body(description, { anyOf: [set, { type: "array", items: set, minItems: 1 }] }, { service });
}

function answer(itsHeaders: JsonObject): Json {
  return {
    description: "The rows of the result; none where the statement gives no rows.",
    headers: itsHeaders,
    content: jsonContent({ type: "array", items: OPEN }),
  };
}
