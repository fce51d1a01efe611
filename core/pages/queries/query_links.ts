/**
 * Links on the pages of a query: its breadcrumbs, and the way to its definition.
 *
 * @module
 */

import { mayDo } from "@/core/identity/definition_rights.ts";
import type { QueryDefinition, User } from "@/core/model.ts";
import { pageAddress } from "@/core/pages/address.ts";
import type { Service } from "@/core/service.ts";
import type { Crumb, PageAction } from "@/plugins/contract.ts";

/** The breadcrumbs of the page of a query, or of a page below it with this label. */
export function queryCrumbs(id: string, service: Service, below?: string): readonly Crumb[] {
  const all = { label: "Queries", href: `${service.prefix}/query.html` };
  return below === undefined
    ? [all, { label: id }]
    : [all, { label: id, href: pageAddress("query", id, service) }, { label: below }];
}

/** Empty for a user who may not change the query. */
export function definitionLinks(
  definition: QueryDefinition,
  user: User,
  service: Pick<Service, "prefix" | "links">,
): readonly PageAction[] {
  if (!mayDo(user, "edit", { kind: "querydef", definition })) return [];
  return [{ label: "Definition", href: pageAddress("querydef", definition.id, service), tone: "plain" }];
}
