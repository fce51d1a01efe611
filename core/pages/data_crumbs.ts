/**
 * The breadcrumbs of a page of data: database, tables and filters, each with its link. Pure.
 *
 * @module
 */

import { columnsAt, relationTitle } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { Crumb } from "@/plugins/contract.ts";
import { filterInWords } from "./filter_words.ts";

/** `Databases › Chinook › Customer › Country is Brazil › Invoice`. */
export function dataCrumbs(
  walk: Walk,
  { request, segments, managed, service }: DataRequest,
): readonly Crumb[] {
  const base = `${service.prefix}/db/${request.segments[0] ?? ""}`;
  const crumbs: Crumb[] = [
    { label: "Databases", href: `${service.prefix}/db.html` },
    { label: managed.definition.id, href: `${base}.html` },
  ];
  let end = 0;
  const add = (label: string, count: number) => {
    end += count;
    crumbs.push({ label, href: `${base}/${segments.slice(0, end).join("/")}.html` });
  };
  for (const [index, step] of walk.steps.entries()) {
    const owner = walk.steps[index - 1]?.table;
    add(step.via && owner ? relationTitle(step.via, owner) : step.table.name, 1);
    for (const filter of step.filters) {
      add(filterInWords(filter, step, { ...walk, last: step }), 2);
    }
  }
  if (walk.columns) {
    add(columnsAt(walk.last.table, walk.columns).map(({ name }) => name).join(", "), 1);
  }
  return crumbs.map((crumb, index) => index === crumbs.length - 1 ? { label: crumb.label } : crumb);
}
