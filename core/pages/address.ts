/**
 * Addresses of pages. Pure.
 *
 * @module
 */

import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { changeQuery } from "@/core/request/change_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { Page } from "@/plugins/contract.ts";

/** The address of the page of one database, query, user or definition: `/dbdef/Demo.html`. */
export function pageAddress(
  section: string,
  name: string,
  { prefix, links }: Pick<Service, "prefix" | "links">,
): string {
  return `${prefix}/${section}/${printName(name, links)}.html`;
}

/** The address of the same list or result in another state of its page, such as its chart. */
export function stateAddress(
  state: string,
  { path, query }: Pick<ApiRequest, "path" | "query">,
  { prefix, credentialNames }: Pick<Service, "prefix" | "credentialNames">,
): string {
  const kept = changeQuery(query, { offset: undefined }, credentialNames);
  return `${prefix}${path}.html${kept}${kept === "" ? "?" : "&"}ui.${state}`;
}

/** The limit of links to all rows, in a database that has one for requests without. */
export function wholeLimitOf({ definition }: ManagedDatabase): Pick<Page, "wholeLimit"> {
  return definition.limit === undefined ? {} : { wholeLimit: String(Number.MAX_SAFE_INTEGER) };
}
