/**
 * The way back from an error: the pages above the one that failed, as far as the caller may open them. Pure.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { executableQueries } from "@/core/queries/find_query.ts";
import { printName } from "@/core/request/print_path.ts";
import { allTables } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import type { Crumb } from "@/plugins/contract.ts";
import { menuOf } from "./frame.ts";

/**
 * `Databases › Demo › Port` for `/db/Demo/Port/PortId/999`. `path`: without prefix and extension. The page of
 * the path itself may be there without the `query`, or if a form was sent to it, so it counts as above.
 */
export function pagesAbove(
  { path, query }: { readonly path: string; readonly query: string },
  caller: Caller,
  service: Service,
): readonly Crumb[] {
  const [, section = "", ...own] = path.replace(/^\/ui\//, "/").split("/");
  const names = query === "" && !path.startsWith("/ui/") ? own : [...own, ""];
  const entry = menuOf(caller, section, service)
    .flatMap((each) => each.below ?? [each])
    .find(({ isCurrent }) => isCurrent);
  if (!entry || names.length === 0) return [];
  const { label, href } = entry;
  const below = section === "db"
    ? dataAbove(names, caller, service)
    : formAbove(section, names, caller, service);
  return [{ label, href }, ...below];
}

/** The form of a query with other values than those that were refused. */
function formAbove(
  section: string,
  [name, ...values]: readonly string[],
  caller: Caller,
  service: Service,
): readonly Crumb[] {
  if (section !== "query" || values.length === 0) return [];
  const { databases, links, prefix } = service;
  const found = executableQueries(caller, service).find(({ id }) => printName(id, links) === name);
  if (!found || databases.get(found.database)?.status === "Disconnected") return [];
  return [{ label: found.id, href: `${prefix}/query/${name}.html` }];
}

function dataAbove(
  [database, table, ...below]: readonly string[],
  { user }: Caller,
  { databases, links, prefix }: Service,
): readonly Crumb[] {
  const managed = databases.values().find(({ definition: { id } }) => printName(id, links) === database);
  const mapping = managed && mappingOf(user, managed);
  if (!mapping || managed.status === "Disconnected" || table === undefined) return [];
  const base = `${prefix}/db/${database}`;
  const crumbs = [{ label: managed.definition.id, href: `${base}.html` }];
  if (below.length === 0) return crumbs;
  const found = allTables(managed.connection.views.find(mapping).schema)
    .find(({ segment }) => segment === table);
  return found ? [...crumbs, { label: found.name, href: `${base}/${found.segment}.html` }] : crumbs;
}
