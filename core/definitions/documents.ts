/**
 * Definitions as answers: one, or the map of all that a caller may see.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind, showMembers, type Shown, shownNames } from "@/config/mod.ts";
import { definitionSchema, definitionsSchema } from "./schemas.ts";
import {
  anyColumn,
  cellOf,
  describe,
  type Described,
  describeMembers,
  textColumn,
} from "@/core/documents/documents.ts";
import type { DatabaseDefinition, Json, QueryDefinition, User } from "@/core/model.ts";
import { urlTemplateOf } from "@/core/queries/arguments.ts";
import { parameterNames } from "@/core/queries/saved_query.ts";
import { mayDo, OWN_VIEW } from "@/core/identity/definition_rights.ts";
import type { Service } from "@/core/service.ts";

/** A definition of one of the three kinds. */
export type Definition =
  | { readonly kind: "dbdef"; readonly definition: DatabaseDefinition }
  | { readonly kind: "querydef"; readonly definition: QueryDefinition }
  | { readonly kind: "userdef"; readonly user: User };

/** The definition with an id; undefined if unknown. */
export function findDefinition(
  kind: DefinitionKind,
  id: string,
  { configuration, queries }: Pick<Service, "configuration" | "queries">,
): Definition | undefined {
  switch (kind) {
    case "userdef": {
      const user = configuration.users.get(id);
      return user && { kind, user };
    }
    case "dbdef": {
      const definition = configuration.databases.get(id);
      return definition && { kind, definition };
    }
    case "querydef": {
      const definition = queries.get(id);
      return definition && { kind, definition };
    }
    default:
      return kind satisfies never;
  }
}

/** All ids of a kind, in the order of the file. */
export function definitionIds(
  kind: DefinitionKind,
  { configuration, queries }: Pick<Service, "configuration" | "queries">,
): readonly string[] {
  const maps = { userdef: configuration.users, dbdef: configuration.databases, querydef: queries } as const;
  return [...maps[kind].keys()];
}

/** Whether an actor may see or create definitions of a kind; if not, even an empty map is refused. */
export function mayList(kind: DefinitionKind, actor: User, service: Service): boolean {
  if (mayDo(actor, "view", { kind }) || mayDo(actor, "create", { kind })) return true;
  return definitionIds(kind, service).some((id) => {
    const found = findDefinition(kind, id, service);
    return found !== undefined && showDefinition(actor, found, service) !== undefined;
  });
}

/** The visible members of a definition for an actor; undefined if there are none. */
export function showDefinition(actor: User, found: Definition, service: Service): Shown | undefined {
  const shown = show(found, service);
  if (mayDo(actor, "view", found)) return shown;
  if (found.kind !== "userdef") return undefined;
  const own = OWN_VIEW.filter((member) => mayDo(actor, "view", { ...found, member }));
  if (own.length === 0) return undefined;
  return Object.fromEntries(own.map((member) => [member, shown[member] ?? null]));
}

function show(found: Definition, service: Service): Shown {
  const { idMember } = DEFINITION_FILES[found.kind];
  const id = found.kind === "userdef" ? found.user.login : found.definition.id;
  const template = found.kind === "querydef" ? { url_template: urlTemplate(found.definition, service) } : {};
  return { [idMember]: id, ...shownMembers(found), ...template };
}

/** The members in a configuration file except secret ones; null for absent ones. */
export function shownMembers(found: Definition): Shown {
  const definition = found.kind === "userdef" ? found.user : found.definition;
  return showMembers(DEFINITION_FILES[found.kind].members, definition, true);
}

function urlTemplate(definition: QueryDefinition, service: Service): string {
  const names = parameterNames(definition, service.databases);
  return urlTemplateOf({ id: definition.id, names, extension: "json" }, service);
}

/** One definition. */
export function definitionDocument(kind: DefinitionKind, shown: Shown): Described {
  return describeMembers(kind, definitionSchema(kind), shown);
}

/** The map of all definitions that the actor may see, by id. */
export function definitionsDocument(kind: DefinitionKind, actor: User, service: Service): Described {
  const visible = definitionIds(kind, service).flatMap((id) => {
    const found = findDefinition(kind, id, service);
    const shown = found && showDefinition(actor, found, service);
    return shown ? [[id, shown] as const] : [];
  });
  const { idMember, members } = DEFINITION_FILES[kind];
  const names = [idMember, ...shownNames(members)];
  const columns = names.map((name, position) => position === 0 ? textColumn(name, true) : anyColumn(name));
  return describe({ name: kind, schema: definitionsSchema(kind), columns }, {
    tree: Object.fromEntries<Json>(visible),
    rows: visible.map(([, shown]) => names.map((name) => cellOf(shown[name] ?? null))),
  });
}
