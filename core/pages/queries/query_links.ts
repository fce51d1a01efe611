/**
 * Links to queries, their breadcrumbs, and the way to the definition of one.
 *
 * @module
 */

import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { QueryDefinition, User } from "@/core/model.ts";
import { pageAddress } from "@/core/pages/address.ts";
import { executableQueries } from "@/core/queries/find_query.ts";
import type { Service } from "@/core/service.ts";
import type { Crumb, PageAction, PageLink } from "@/plugins/contract.ts";

/** The queries that a caller may run, or some of them. */
export function queryLinks(
  caller: Caller,
  service: Service,
  isShown: (query: QueryDefinition) => boolean = () => true,
): readonly PageLink[] {
  return executableQueries(caller, service).filter(isShown).map(({ id, description }) => ({
    label: id,
    href: pageAddress("query", id, service),
    note: description,
  }));
}

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
