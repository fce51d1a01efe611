/**
 * Stage 3 of the values that the filter form offers for its column, if these are few: the records that a
 * foreign key leads to, or their labels.
 *
 * @module
 */

import type { Row } from "@/core/model.ts";
import { optionsOf } from "@/core/pages/blocks.ts";
import { MOST_OFFERED, optionOf } from "@/core/pages/records/choice_field.ts";
import { ownRead } from "@/core/pages/records/plain_read.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import { isTextual } from "@/core/request/read_value.ts";
import type { Relation, Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { PageOption } from "@/plugins/contract.ts";
import { chosenColumn } from "./list_path.ts";

/** The values that the filter form offers, from the records that have them. */
export interface OfferPlan {
  readonly rows: ReadPlan;
  readonly optionsOf: (row: Row) => readonly PageOption[];
}

/** Values that are known, or the records that have them. */
type Offer =
  | { readonly kind: "values"; readonly options: readonly PageOption[] }
  | ({ readonly kind: "records"; readonly table: Table } & Pick<OfferPlan, "optionsOf">);

/** The values of a choice of the form; undefined for a column with any values. */
export function offerOf(choice: string, { last: { table } }: Walk, links: LinkStyle): Offer | undefined {
  const { owner, position = -1, relation } = chosenColumn(choice, table, links) ?? {};
  return owner && offerAt(owner, position, relation);
}

/** The values of a column, which is in the table of the list or behind a relation. */
export function offerAt(owner: Table, position: number, relation?: Relation): Offer | undefined {
  const column = owner.columns[position];
  const members = column?.bounds?.members;
  if (members) return { kind: "values", options: optionsOf(members) };
  if (column?.type === "boolean") return { kind: "values", options: optionsOf(["yes", "no"]) };
  const key = owner.toOne.find(({ local }) => local.length === 1 && local[0] === position);
  if (key) {
    const { table, foreign } = key;
    return { kind: "records", table, optionsOf: (row) => optionOf(row, table, foreign) };
  }
  const isLabel = relation?.many === false && owner.label.includes(position);
  if (!column || !isLabel || !isTextual(column)) return undefined;
  return {
    kind: "records",
    table: owner,
    optionsOf: (row) => {
      const value = row[position];
      return typeof value === "string" && value !== "" ? optionsOf([value]) : [];
    },
  };
}

/** Reads the records of an offer. */
export function planOffer(
  { table, optionsOf }: Extract<Offer, { kind: "records" }>,
  input: DataRequest,
): OfferPlan {
  return { rows: ownRead([table.segment], input, { limit: MOST_OFFERED + 1 }), optionsOf };
}
