/**
 * Addresses of pages. Pure.
 *
 * @module
 */

import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";

/** The address of the page of one database, query, user or definition: `/dbdef/Demo.html`. */
export function pageAddress(
  section: string,
  name: string,
  { prefix, links }: Pick<Service, "prefix" | "links">,
): string {
  return `${prefix}/${section}/${printName(name, links)}.html`;
}
