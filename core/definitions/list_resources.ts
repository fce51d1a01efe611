/**
 * `/`: the resources that a caller may use.
 *
 * @module
 */

import { describe, type Described, textColumn } from "@/core/documents/documents.ts";
import { linkSchema } from "@/core/documents/document_schemas.ts";
import { type ConfigurationResource, mayDo } from "@/core/identity/definition_rights.ts";
import { definitionsOf } from "./documents.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { User } from "@/core/model.ts";
import { executableQueries } from "@/core/queries/find_query.ts";
import type { Service } from "@/core/service.ts";

/** `/`: links to the resources. */
export function rootDocument(caller: Caller, service: Service): Described {
  const { settings, prefix } = service;
  const hasQueries = executableQueries(caller, service).length > 0;
  const names = ["db", ...(hasQueries ? ["query"] : []), "settings", ...ownResources(caller.user, service)];
  const refid = settings.refid_prefix;
  const schema = {
    title: "resource",
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, linkSchema(refid)])),
  };
  return describe({ name: "resource", schema, columns: [textColumn("resource", true)] }, {
    tree: Object.fromEntries(names.map((name) => [name, { [refid]: `${prefix}/${name}.json` }])),
    rows: names.map((name) => [name]),
  });
}

/** The resources of the configuration in which a user may do more than see their own account. */
export function ownResources(user: User, { configuration }: Service): readonly string[] {
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
