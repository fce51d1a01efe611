/**
 * The paths of an OpenAPI document about the configuration, limited to those that the caller may use.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind } from "@/config/mod.ts";
import { mayKnow, statesDocument } from "@/core/definitions/connection_status.ts";
import { definitionIds, definitionsDocument, findDefinition, mayList } from "@/core/definitions/documents.ts";
import { definitionSchema } from "@/core/definitions/schemas.ts";
import type { Json, JsonObject, User } from "@/core/model.ts";
import { CREATED, DONE, errorResponses } from "./responses.ts";
import { licenceDocument } from "@/core/definitions/plan_licence.ts";
import { requestsDocument } from "@/core/definitions/request_status.ts";
import { isAuthor } from "@/core/queries/find_query.ts";
import { mayDo, OWN_EDIT } from "@/core/identity/definition_rights.ts";
import type { Service } from "@/core/service.ts";

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
  const kinds = KINDS.map((kind) => definitionParts(kind, user, service));
  const [connections, administration] = [connectionPaths(user, service), administrationPaths(user, service)];
  return {
    paths: Object.assign({}, ...kinds.map(({ paths }) => paths), connections, administration),
    schemas: Object.assign({}, ...kinds.map(({ schemas }) => schemas)),
  };
}

const KINDS: readonly DefinitionKind[] = ["userdef", "dbdef", "querydef"];

function definitionParts(kind: DefinitionKind, user: User, service: Service) {
  const found = definitionIds(kind, service).flatMap((id) => findDefinition(kind, id, service) ?? []);
  const mayCreate = mayDo(user, "create", { kind });
  if (!mayList(kind, user, service)) return { paths: {}, schemas: {} };
  const mayEdit = found.some((each) =>
    mayDo(user, "edit", each) ||
    (each.kind === "userdef" && OWN_EDIT.some((member) => mayDo(user, "edit", { ...each, member })))
  );
  const mayDelete = found.some((each) => mayDo(user, "delete", each));
  const { title, idMember } = DEFINITION_FILES[kind];
  const schema = { $ref: `#/components/schemas/${title}Definition` };
  const list = definitionsDocument(kind, user, service).shape.name;
  const map = { title: list, type: "object", additionalProperties: schema };
  const noun = title.toLowerCase();
  const operation = operations(title);
  const parameters = [{ name: idMember, in: "path", required: true, schema: { type: "string" } }];
  const content = jsonContent(schema);
  return {
    schemas: { [`${title}Definition`]: definitionSchema(kind), [`${title}Change`]: changeSchema(kind) },
    paths: {
      [`/${kind}.json`]: {
        get: operation("list", `List the ${noun} definitions`, answer(jsonContent(map))),
        ...(mayCreate
          ? {
            post: {
              ...operation("create", `Create a ${noun}`, writing("201", CREATED)),
              requestBody: { content },
            },
          }
          : {}),
      },
      [`/${kind}/{${idMember}}.json`]: {
        parameters,
        get: operation("read", `Read a ${noun} definition`, answer(content)),
        ...(mayEdit
          ? {
            put: {
              ...operation("change", `Change the given members of a ${noun}`, writing("204", DONE)),
              requestBody: { content: jsonContent({ $ref: `#/components/schemas/${title}Change` }) },
            },
          }
          : {}),
        ...(mayDelete ? { delete: operation("delete", `Delete a ${noun}`, writing("204", DONE)) } : {}),
      },
    },
  };
}

/** The schema of a change: no member is required. */
function changeSchema(kind: DefinitionKind): JsonObject {
  const { required: _, title, ...schema } = definitionSchema(kind);
  return { title: `${String(title)} change`, ...schema };
}

function connectionPaths(user: User, service: Service): JsonObject {
  const databases = [...service.databases.values()];
  const may = (action: "execute" | "edit") =>
    databases.some(({ definition }) => mayDo(user, action, { kind: "dbdef", definition }));
  const operation = operations("Connection");
  const parameters = [{ name: "db_id", in: "path", required: true, schema: { type: "string" } }];
  const open = answer(jsonContent({ type: "object" }));
  const states = databases.some((managed) => mayKnow(user, managed))
    ? {
      "/settings/reflect-status.json": {
        get: operation(
          "listStates",
          "List how the connections of databases are",
          answer(jsonContent(statesDocument(user, service).shape.schema)),
        ),
      },
      "/settings/reflect-status/{db_id}.json": {
        parameters,
        get: operation("readState", "Tell how the connection of a database is", open),
      },
    }
    : {};
  const orders = may("execute")
    ? {
      "/load-model/{db_id}.json": { parameters, post: operation("connect", "Connect a database", open) },
      "/unload-model/{db_id}.json": {
        parameters,
        post: operation("disconnect", "Disconnect a database", open),
      },
    }
    : {};
  const content = jsonContent({ $ref: "#/components/schemas/DatabaseChange" });
  const check = mayDo(user, "create", { kind: "dbdef" }) || may("edit")
    ? {
      "/settings/check-database-connection.json": {
        post: { ...operation("check", "Try a database definition", open), requestBody: { content } },
      },
    }
    : {};
  return { ...states, ...orders, ...check, ...checkQueryPath(user, service) };
}

function checkQueryPath(user: User, service: Service): JsonObject {
  if (!isAuthor(user, service)) return {};
  const open = answer(jsonContent({ type: "object" }));
  const requestBody = { content: jsonContent({ $ref: "#/components/schemas/QueryChange" }) };
  const operation = operations("Query");
  return {
    "/settings/check-query.json": {
      post: { ...operation("check", "Try a query without running it", open), requestBody },
    },
  };
}

function administrationPaths(user: User, service: Service): JsonObject {
  const operation = operations("Service");
  const requests = mayDo(user, "view", { kind: "requests" })
    ? {
      "/reqstatus.json": {
        get: operation(
          "listRequests",
          "List the running and the last requests",
          answer(jsonContent(requestsDocument(service).shape.schema)),
        ),
      },
    }
    : {};
  if (!mayDo(user, "view", { kind: "licence" })) return requests;
  const { schema } = licenceDocument(service.licence, service).shape;
  const token = { type: "object", required: ["license"], properties: { license: { type: "string" } } };
  return {
    ...requests,
    "/license.json": {
      get: operation("readLicence", "Read what the licence says", answer(jsonContent(schema))),
      post: {
        ...operation("replaceLicence", "Replace the licence", answer(jsonContent(schema))),
        requestBody: { content: jsonContent(token) },
      },
    },
  };
}

function operations(subject: string): (verb: string, summary: string, responses: JsonObject) => JsonObject {
  return (verb, summary, responses) => {
    return {
      operationId: `configuration.${verb}.${subject}`,
      summary,
      tags: [CONFIGURATION_TAG.name],
      responses,
    };
  };
}

function answer(content: JsonObject): JsonObject {
  return {
    "200": { description: "What was asked for.", content },
    ...errorResponses(400, 403, 404, 413, 415, 500),
  };
}

function writing(status: string, done: Json): JsonObject {
  return { [status]: done, ...errorResponses(400, 403, 404, 409, 413, 415, 500) };
}

function jsonContent(schema: Json): JsonObject {
  return { "application/json": { schema } };
}
