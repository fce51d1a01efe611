/**
 * The facts of a list for the page that shows it: its filters in words, its order, its
 * columns, and the links that change them.
 *
 * @module
 */

import type { ValueType } from "@/core/model.ts";
import type { PageOption } from "./page_field.ts";

/** A list as a page shows it. Links are complete, with the prefix of the base URL. */
export interface PageList {
  /** The filters of the path in its order. */
  readonly filters: readonly PageFilter[];
  /** The order that the request asks for. */
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
  /** Every column of the table, in its order. */
  readonly columns: readonly PageColumn[];
  /** The columns that a filter may be about: those of the table, then those behind its relations. */
  readonly choices: readonly FilterChoice[];
  /** The path that forms about filters and columns are sent to, without query. */
  readonly action: string;
  /** Parameters that such forms send along. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  /** A filter that could not be used, with the reason. */
  readonly refused?: RefusedFilter;
  /** The filter that the reader wants to change. */
  readonly changing?: ChangingFilter;
  /** The column that the form for a filter begins with, and its values, if they are few. */
  readonly opened?: { readonly column: string; readonly offered?: readonly PageOption[] };
  /** The list without any filter. Absent: it has none. */
  readonly all?: string;
  /**
   * {@link Page.total} is at most this; a total above it means "more than this". Absent: the total is exact.
   */
  readonly countedUpTo?: number;
  /**
   * The end of links to the records of the list, before the number of the row in the list, counted from 0.
   */
  readonly place: string;
  /** The most frequent values of a column. Absent: the address does not ask for them. */
  readonly facet?: PageFacet;
  /** The page with the form for a new record. Absent: the caller may not create any. */
  readonly add?: string;
  /** The page with the form for many new records at once. */
  readonly bring?: string;
  /** Why a caller who may change records finds no form for it. Absent: there is one, or no right. */
  readonly keyless?: string;
  /**
   * The list with the numbers of related records in it, or without them if it has
   * them. Absent: nothing is related.
   */
  readonly counts?: string;
  /** The summary of the list. */
  readonly summary?: string;
  /** Each column's summary is at this address with the column's name at its end, percent-encoded. */
  readonly summaryOf?: string;
}

/** A record as a page shows it: what the caller may do with it. Links are complete. */
export interface PageRecord {
  /** The form to change it. Absent: the caller may not. */
  readonly edit?: string;
  /** The form for a new record with the same values. */
  readonly copy?: string;
  /** The page that asks before it deletes the record. */
  readonly remove?: string;
  /** The record before this one in the list that the reader came from. */
  readonly previous?: string;
  /** The record after this one in that list; behind the last one it is the list itself. */
  readonly next?: string;
  /** That list. */
  readonly list?: string;
}

/** A filter in words. */
export interface PageFilter {
  /** `Country is Brazil or Canada` */
  readonly sentence: string;
  /** The address of the list without it. */
  readonly without: string;
  /** The filter taken apart. Absent: no form can say it, as that a record has related ones. */
  readonly fields?: FilterFields;
  /** The list with a form for this filter. Absent without {@link fields}. */
  readonly change?: string;
}

/** Values of a column beside the list. */
export interface PageFacet {
  /** The column's name. */
  readonly column: string;
  /**
   * The most frequent ones first; without `href` no filter finds one. Absent: counting them takes
   * too long.
   */
  readonly values?: readonly { readonly label: string; readonly count: number; readonly href?: string }[];
  /** The list without them. */
  readonly close: string;
}

/** A column of the table behind a list. */
export interface PageColumn {
  /** Its name in the database. */
  readonly name: string;
  /** Whether the list has it. */
  readonly isShown: boolean;
}

/** A column that a filter may be about. */
export interface FilterChoice {
  /** The value of the field `ui.column`: names and relations as path segments. */
  readonly value: string;
  /** `Country`; behind a relation `Invoice: Total`. */
  readonly label: string;
  /** The relation's name; absent for columns of the table itself. */
  readonly relation?: string;
  /** The column in whose place lists show this one: the foreign key that leads to it. */
  readonly instead?: string;
  /** Its type, for the input. */
  readonly type: ValueType;
  /** The list with the parameter `ui.offer` and {@link value} has its values, if they are few. */
  readonly hasOffers?: true;
}

/** A filter as the fields of a form have it. */
export interface FilterFields {
  /** The field `ui.column`: one of {@link FilterChoice.value}. */
  readonly column: string;
  /** The field `ui.is`: the comparison. */
  readonly is: string;
  /** The field `ui.value`. */
  readonly value: string;
  /** The field `ui.to`: the end of a range. */
  readonly to: string;
}

/** A filter that could not be used: the fields as they were sent. */
export interface RefusedFilter extends FilterFields {
  /** The reason, for people. */
  readonly sentence: string;
}

/** A filter that a form changes. */
export interface ChangingFilter extends FilterFields {
  /** The path that the form is sent to instead of {@link PageList.action}: the list without the filter. */
  readonly action: string;
}
