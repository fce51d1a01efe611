/**
 * The columns of a list, and those that a filter may be about: the same for all pages of one compiled read.
 *
 * @module
 */

import { columnSegment, relationTitle, type Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import type { CompiledRead } from "@/core/tables/compile_read.ts";
import type { FilterChoice, PageColumn, PageList } from "@/plugins/contract.ts";
import { mayFilter, mayKey } from "./list_path.ts";
import { offerAt } from "./plan_offer.ts";

type Choices = Pick<PageList, "columns" | "choices">;

/** Printing the names of all related columns takes 40 µs, and a format makes its forms of them once. */
const known = new WeakMap<CompiledRead, Choices>();

/** The columns and choices of a read's pages. */
export function choicesOf(compiled: CompiledRead, walk: Walk, service: Service): Choices {
  return known.getOrInsertComputed(compiled, () => {
    const { table } = walk.last;
    return { columns: columnsOf(table, walk), choices: filterChoices(walk, service) };
  });
}

function columnsOf(table: Table, { columns }: Walk): readonly PageColumn[] {
  return table.columns.map(({ name }, position) => ({ name, isShown: columns?.includes(position) ?? true }));
}

function filterChoices(walk: Walk, { links }: Service): readonly FilterChoice[] {
  const { table } = walk.last;
  const offers = (...column: Parameters<typeof offerAt>) =>
    offerAt(...column) ? { hasOffers: true as const } : {};
  const own = table.columns.map(({ name, type }, position) => {
    return { value: columnSegment(name, table, links), label: name, type, ...offers(table, position) };
  });
  const related = [...table.toOne, ...table.toMany].filter((relation) => {
    return mayFilter(relation, walk) || mayKey(relation);
  });
  return [
    ...own,
    ...related.flatMap((each) => {
      const { many, local, segment, table: other } = each;
      const relation = relationTitle(each, table);
      return other.columns.map(({ name, type }, position) => ({
        value: `${segment}/${columnSegment(name, other, links)}`,
        label: `${relation}: ${name}`,
        relation,
        type,
        ...offers(other, position, each),
        ...(!many && position === other.label.at(-1)
          ? { instead: table.columns[local.at(-1) ?? 0]?.name ?? "" }
          : {}),
      }));
    }),
  ];
}
