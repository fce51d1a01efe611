/**
 * Definitions as answers: one, or the map of all that a caller may see.
 *
 * @module
 */

import {
  type Configuration,
  DEFINITION_FILES,
  type DefinitionKind,
  ID_SCHEMA,
  memberSchemas,
  showMembers,
  shownNames,
} from "@/config/mod.ts";
import { anyColumn, cellOf, describe, type Described, keyColumn } from "@/core/documents/documents.ts";
import { mayDo, OWN_VIEW } from "@/core/identity/definition_rights.ts";
import type { DatabaseDefinition, Json, JsonObject, QueryDefinition, User } from "@/core/model.ts";
import { urlTemplateOf } from "@/core/queries/arguments.ts";
import { parameterNames } from "@/core/queries/saved_query.ts";
import type { Service } from "@/core/service.ts";

/** A definition of one of the three kinds. */
export type Definition =
  | { readonly kind: "dbdef"; readonly definition: DatabaseDefinition }
  | { readonly kind: "querydef"; readonly definition: QueryDefinition }
  | { readonly kind: "userdef"; readonly definition: User };

/** The definition with an id; undefined if unknown. */
export function findDefinition(
  kind: DefinitionKind,
  id: string,
  configuration: Configuration,
): Definition | undefined {
  const definition = configuration[DEFINITION_FILES[kind].entries].get(id);
  // The table leads from each kind to its own definitions; the types cannot express that.
  return definition && { kind, definition } as Definition;
}

/** All definitions of a kind, in the order of the file. */
export function definitionsOf(kind: DefinitionKind, configuration: Configuration): readonly Definition[] {
  const ids = [...configuration[DEFINITION_FILES[kind].entries].keys()];
  return ids.flatMap((id) => findDefinition(kind, id, configuration) ?? []);
}

/** The id of a database or a query, the login of a user. */
export function idOf({ definition }: Definition): string {
  return "login" in definition ? definition.login : definition.id;
}

/** Whether an actor may see or create definitions of a kind; if not, even an empty map is refused. */
export function mayList(kind: DefinitionKind, actor: User, service: Service): boolean {
  if (mayDo(actor, "view", { kind }) || mayDo(actor, "create", { kind })) return true;
  return definitionsOf(kind, service.configuration).some((found) => showDefinition(actor, found, service));
}

/** The visible members of a definition for an actor; undefined if there are none. */
export function showDefinition(actor: User, found: Definition, service: Service): JsonObject | undefined {
  if (mayDo(actor, "view", found)) return show(found, service);
  if (found.kind !== "userdef") return undefined;
  const own = OWN_VIEW.filter((member) => mayDo(actor, "view", { ...found, member }));
  if (own.length === 0) return undefined;
  const shown = show(found, service);
  return Object.fromEntries(own.map((member) => [member, shown[member] ?? null]));
}

function show(found: Definition, service: Service): JsonObject {
  const ids = idMembers(found.kind).map((name) => [name, idOf(found)] as const);
  const template = found.kind === "querydef" ? { url_template: urlTemplate(found.definition, service) } : {};
  return { ...Object.fromEntries(ids), ...shownMembers(found), ...template };
}

/** The members that repeat the id. */
function idMembers(kind: DefinitionKind): readonly string[] {
  const { idMember, idAlias } = DEFINITION_FILES[kind];
  return idAlias === undefined ? [idMember] : [idMember, idAlias];
}

/** The members in a configuration file except secret ones; null for absent ones. */
export function shownMembers({ kind, definition }: Definition): JsonObject {
  return showMembers(DEFINITION_FILES[kind].members, definition, true);
}

function urlTemplate(definition: QueryDefinition, service: Service): string {
  const names = parameterNames(definition, service.databases);
  return urlTemplateOf({ id: definition.id, names, extension: "json" }, service);
}

/** The map of all definitions that the actor may see, by id. */
export function definitionsDocument(kind: DefinitionKind, actor: User, service: Service): Described {
  const visible = definitionsOf(kind, service.configuration).flatMap((found) => {
    const shown = showDefinition(actor, found, service);
    return shown ? [[idOf(found), shown] as const] : [];
  });
  const names = [...idMembers(kind), ...shownNames(DEFINITION_FILES[kind].members)];
  const columns = names.map((name, position) => position === 0 ? keyColumn(name) : anyColumn(name));
  const { title: _, ...each } = definitionSchema(kind);
  const schema = { title: kind, type: "object", additionalProperties: each };
  return describe({ name: kind, schema, columns }, {
    tree: Object.fromEntries<Json>(visible),
    rows: visible.map(([, shown]) => names.map((name) => cellOf(shown[name] ?? null))),
  });
}

/** The JSON Schema of one definition, for requests and answers. */
export function definitionSchema(kind: DefinitionKind): JsonObject & { readonly properties: JsonObject } {
  const { title, idMember, members } = DEFINITION_FILES[kind];
  const id = kind === "userdef" ? { ...ID_SCHEMA, description: "The login." } : ID_SCHEMA;
  const required = Object.values(members).filter((member) => member.required).map(({ wire }) => wire);
  return {
    title,
    required: [idMember, ...required],
    properties: {
      ...Object.fromEntries(idMembers(kind).map((name) => [name, id])),
      ...memberSchemas(members, true),
    },
    type: "object",
    additionalProperties: false,
  };
}
