/**
 * The paths of an OpenAPI document about the configuration, limited to those that the caller may use.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind } from "@/config/mod.ts";
import { mayKnow, STATE_OF_ONE, STATES } from "@/core/definitions/connections.ts";
import { definitionSchema, definitionsOf, mayList } from "@/core/definitions/documents.ts";
import { LICENCE } from "@/core/definitions/licence_document.ts";
import { PLUGINS } from "@/core/definitions/plugin_list.ts";
import { REQUESTS } from "@/core/definitions/request_status.ts";
import { objectSchema, OPEN } from "@/core/documents/document_schemas.ts";
import { mayDo, mayEdit } from "@/core/identity/definition_rights.ts";
import type { Json, JsonObject, User } from "@/core/model.ts";
import { isAuthor } from "@/core/queries/find_query.ts";
import type { Service } from "@/core/service.ts";
import { jsonContent, parametersFor, reference, responses } from "./components.ts";
import { type PathOperation, pathsOf, shown } from "./operations.ts";
import { UNDECLARED } from "./queries.ts";

/** The tag of these paths. */
export const CONFIGURATION_TAG = {
  name: "The configuration",
  description: "Users, databases, saved queries and how they are.",
} as const;

/** Paths and schemas; both are empty for a caller without rights. */
export function configurationParts(
  user: User,
  service: Service,
): { readonly paths: JsonObject; readonly schemas: JsonObject } {
  const kinds = KINDS.map((kind) => [kind, definitionOperations(kind, user, service)] as const)
    .filter(([, operations]) => operations.length > 0);
  const operations = [
    ...kinds.flatMap(([, operations]) => operations),
    ...connectionOperations(user, service),
    ...administrationOperations(user),
  ];
  const schemas = kinds.flatMap(([kind]) => {
    const { title } = DEFINITION_FILES[kind];
    return [[`${title}Definition`, definitionSchema(kind)], [`${title}Change`, changeSchema(kind)]] as const;
  });
  return { paths: pathsOf(CONFIGURATION_TAG.name, operations), schemas: Object.fromEntries(schemas) };
}

const KINDS: readonly DefinitionKind[] = ["userdef", "dbdef", "querydef"];

function definitionOperations(kind: DefinitionKind, user: User, service: Service): readonly PathOperation[] {
  const found = definitionsOf(kind, service.configuration);
  const mayChange = found.some((each) => mayEdit(user, each));
  const mayDelete = found.some((each) => mayDo(user, "delete", each));
  const { title, idMember } = DEFINITION_FILES[kind];
  const schema = reference("schemas", `${title}Definition`);
  const change = reference("schemas", `${title}Change`);
  const map = { title: kind, type: "object", additionalProperties: schema };
  const noun = title.toLowerCase();
  const [list, one] = [`/${kind}.json`, `/${kind}/{${idMember}}.json`];
  return [
    ...permitted(mayList(kind, user, service), title, [
      [`get ${list}`, "list", `List the ${noun} definitions`, answer(map)],
      [`get ${one}`, "read", `Read a ${noun} definition`, answer(schema)],
    ]),
    ...permitted(mayDo(user, "create", { kind }), title, [
      [`post ${list}`, "create", `Create a ${noun}`, writing(201, schema)],
    ]),
    ...permitted(mayChange, title, [
      [`put ${one}`, "change", `Change the given members of a ${noun}`, writing(204, change)],
    ]),
    ...permitted(mayDelete, title, [[`delete ${one}`, "delete", `Delete a ${noun}`, writing(204)]]),
  ];
}

/** The schema of a change: no member is required. */
function changeSchema(kind: DefinitionKind): JsonObject {
  const { required: _, title, ...schema } = definitionSchema(kind);
  return { title: `${String(title)} change`, ...schema };
}

function trialSchema(): JsonObject {
  const { properties, ...schema } = changeSchema("querydef");
  const values = {
    type: "object",
    additionalProperties: UNDECLARED,
    description: "The values of its parameters. Absent: it is not run.",
  };
  return { ...schema, properties: { ...properties as JsonObject, arguments: values } };
}

function connectionOperations(user: User, service: Service): readonly PathOperation[] {
  const databases = [...service.databases.values()];
  const may = (action: "execute" | "edit") =>
    databases.some(({ definition }) => mayDo(user, action, { kind: "dbdef", definition }));
  const database = reference("schemas", "DatabaseChange");
  const [status, check] = ["/settings/reflect-status", "/settings/check-database-connection.json"];
  return [
    ...permitted(databases.some((managed) => mayKnow(user, managed)), "Connection", [
      [`get ${status}.json`, "listStates", "List how the connections of databases are", answer(STATES)],
      [
        `get ${status}/{db_id}.json`,
        "readState",
        "Tell how the connection of a database is",
        answer(STATE_OF_ONE),
      ],
    ]),
    ...permitted(may("execute"), "Connection", [
      ["post /load-model/{db_id}.json", "connect", "Connect a database", answer(OPEN)],
      ["post /unload-model/{db_id}.json", "disconnect", "Disconnect a database", answer(OPEN)],
    ]),
    ...permitted(mayDo(user, "create", { kind: "dbdef" }) || may("edit"), "Connection", [
      [`post ${check}`, "check", "Try a database definition", answer(OPEN, database)],
    ]),
    ...permitted(isAuthor(user, service), "Query", [
      ["post /settings/check-query.json", "check", "Try a query, stored or not", answer(OPEN, trialSchema())],
    ]),
  ];
}

function administrationOperations(user: User): readonly PathOperation[] {
  const token = objectSchema({ license: { type: "string" } });
  return [
    ...permitted(mayDo(user, "view", { kind: "requests" }), "Service", [
      ["get /reqstatus.json", "listRequests", "List the running and the last requests", answer(REQUESTS)],
      ["get /settings/plugins.json", "listPlugins", "List the plugins that are there", answer(PLUGINS)],
    ]),
    ...permitted(mayDo(user, "view", { kind: "licence" }), "Service", [
      ["get /license.json", "readLicence", "Read what the licence says", answer(LICENCE)],
      ["post /license.json", "replaceLicence", "Replace the licence", {
        ...answer(LICENCE, token),
        parameters: parametersFor(["licence"]),
      }],
    ]),
  ];
}

type Members = Pick<PathOperation, "responses" | "requestBody" | "parameters">;

/** Operations on a subject, unless the caller may not use them. */
function permitted(
  may: boolean,
  subject: string,
  operations: readonly (readonly [on: string, verb: string, summary: string, members: Members])[],
): readonly PathOperation[] {
  if (!may) return [];
  return operations.map(([on, verb, summary, members]) => {
    return { on, operationId: `configuration.${verb}.${subject}`, summary, ...members };
  });
}

/** 200 with a body of this schema; `body` is the schema of the request's body. */
function answer(schema: Json, body?: Json): Members {
  const ofBody = body ? [408, 413, 415, 504] as const : [];
  const errors = responses(400, 402, 403, 404, 429, 500, 503, ...ofBody);
  return { ...bodyOf(body), responses: { ...shown(jsonContent(schema)), ...errors } };
}

function writing(status: 201 | 204, body?: Json): Members {
  return {
    ...bodyOf(body),
    responses: responses(status, 400, 402, 403, 404, 408, 409, 413, 415, 429, 500, 503),
  };
}

function bodyOf(schema: Json | undefined): Pick<Members, "requestBody"> {
  return schema === undefined ? {} : { requestBody: { required: true, content: jsonContent(schema) } };
}
