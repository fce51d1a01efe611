/**
 * `/`: the resources that a caller may use.
 *
 * @module
 */

import { linkSchema } from "@/core/documents/document_schemas.ts";
import { describe, type Described, keyColumn } from "@/core/documents/documents.ts";
import { type ConfigurationResource, mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { User } from "@/core/model.ts";
import { mayRunQueries } from "@/core/queries/find_query.ts";
import type { Service } from "@/core/service.ts";
import { definitionsOf } from "./documents.ts";

/** `/`: links to the resources. */
export function rootDocument(caller: Caller, service: Service): Described {
  const { settings, prefix } = service;
  const names = [
    "db",
    ...(mayRunQueries(caller, service) ? ["query"] : []),
    "settings",
    ...ownResources(caller.user, service),
  ];
  const refid = settings.refid_prefix;
  const schema = {
    title: "resource",
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, linkSchema(refid)])),
  };
  return describe({ name: "resource", schema, columns: [keyColumn("resource")] }, {
    tree: Object.fromEntries(names.map((name) => [name, { [refid]: `${prefix}/${name}.json` }])),
    rows: names.map((name) => [name]),
  });
}

/**
 * The resources of each configuration, by user: every page asks, and finding them takes all definitions.
 */
const known = new WeakMap<Service["configuration"], WeakMap<User, readonly string[]>>();

/** The resources of the configuration in which a user may do more than see their own account. */
export function ownResources(user: User, { configuration }: Service): readonly string[] {
  const byUser = known.getOrInsertComputed(configuration, () => new WeakMap());
  return byUser.getOrInsertComputed(user, () => findResources(user, configuration));
}

function findResources(user: User, configuration: Service["configuration"]): readonly string[] {
  const may = (resource: ConfigurationResource) =>
    mayDo(user, "view", resource) || mayDo(user, "create", resource);
  const kinds = (["dbdef", "querydef", "userdef"] as const).filter((kind) =>
    may({ kind }) || definitionsOf(kind, configuration).some(may)
  );
  const others = [
    ...(may({ kind: "licence" }) ? ["license"] : []),
    ...(may({ kind: "requests" }) ? ["reqstatus"] : []),
  ];
  return [...kinds, ...others].toSorted();
}
