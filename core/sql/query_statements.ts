/**
 * The SQL that runs a saved query: its plain text, or the text in a WITH clause around which columns,
 * order and pages are selected. Pure.
 *
 * @module
 */

import { type Expression, type RawBuilder, sql } from "kysely";
import type { Column } from "@/core/catalog.ts";
import { columnAt } from "@/core/schema/table.ts";
import type { SqlTraits } from "@/plugins/contract.ts";
import type { Piece, QueryText } from "./query_text.ts";
import type { Selection } from "./selection.ts";
import { compileRaw, INTEGER, kyselyOf, orderItem, pageClause, slot, type Statement } from "./statement.ts";

/** The options of selecting a query's rows. */
export interface QuerySelection extends Selection {
  /** Positions of the listed columns; absent: all. */
  readonly columns?: readonly number[];
}

/** SQLite would take a table of this name in the text for the text itself. */
const NAME = sql.id("saved query");
const DISTINCT = sql.id("d");
const UNION = sql.id("u");
/**
 * A page of all rows; the number is larger than that of any table, for engines
 * whose LIMIT has no word for all.
 */
const ALL_ROWS = { fetch: sql` offset 0 rows`, limit: sql` limit 9223372036854775807` };

type WrittenText = Statement & { readonly verb: string };

/** Builds the statements of one query. Slots are the positions of its parameters. */
export class QueryStatements {
  readonly #traits: SqlTraits;
  readonly #text: QueryText;
  readonly #columns: readonly Column[];

  /** The columns of the result, if they are known. */
  constructor(traits: SqlTraits, text: QueryText, columns: readonly Column[] = []) {
    this.#traits = traits;
    this.#text = text;
    this.#columns = columns.map((column, at) => ({ ...column, name: `c${at}` }));
  }

  /** The text itself. */
  plain(page: RawBuilder<unknown> = sql``): WrittenText {
    return this.#written(sql`${this.#body(this.#text.pieces)}${page}`, this.#columns, this.#text.verb);
  }

  /** The selected rows; the plain text if nothing is selected. */
  rows({ columns, distinct, sort, paged }: QuerySelection): Statement {
    const { isOrdered } = this.#text;
    const page = paged ? sql` ${pageClause(this.#traits)}` : sql``;
    const isUnchanged = sort.length === 0 && !distinct;
    const keepsOrder = isUnchanged && isOrdered;
    if (columns === undefined && isUnchanged && (isOrdered || !paged) && !this.#isConverted()) {
      return this.plain(page);
    }
    const listed = this.#listed(columns);
    const outer = sql`select ${this.#selected(distinct, listed)}`;
    if (keepsOrder) return this.#written(this.#around(outer, paged ? page : this.#allRows()), listed);
    const order = this.#order({ distinct, sort, paged }, listed);
    return this.#written(this.#around(sql`${outer}${order}${page}`), listed);
  }

  /** The number of rows, after `distinct`, before limit and offset. */
  count({ columns, distinct }: QuerySelection): Statement {
    const rows = distinct ? this.#distinct(this.#listed(columns)) : NAME;
    return this.#written(this.#around(sql`select count(*) from ${rows}`), [INTEGER]);
  }

  /**
   * `with "saved query" ("c0", …) as (text) …`: the columns get names that every engine keeps. It may cut
   * long ones off, and SQLite has no column "true" here.
   * An order inside WITH takes effect only with the page `ending`; where it is not needed, SQL Server
   * still refuses it without a page.
   */
  #around(
    outer: RawBuilder<unknown>,
    ending = this.#fetches() ? this.#allRows() : sql``,
  ): RawBuilder<unknown> {
    const end = this.#text.isOrdered ? ending : sql``;
    const head = sql`${NAME} (${namesOf(this.#columns)}) as `;
    const { hoisted, ordersUnion } = this.#text;
    const nests = this.#traits.nestedWith !== false;
    if (nests || hoisted === undefined) {
      const body = sql`${this.#body(this.#text.pieces)}${end}`;
      // MariaDB gives the columns their new names before it orders the rows of a union.
      const inner = ordersUnion && nests ? sql`select * from (${body}) as ${UNION}` : body;
      return sql`with ${head}(${inner}) ${outer}`;
    }
    const used = new Map<string, number>();
    const [before, main] = [this.#body(hoisted.before, used), this.#body(hoisted.main, used)];
    return sql`${before}, ${head}(${main}${end}) ${outer}`;
  }

  #fetches(): boolean {
    return this.#traits.paging === "fetch";
  }

  #allRows(): RawBuilder<unknown> {
    return ALL_ROWS[this.#traits.paging ?? "limit"];
  }

  /** The columns with every digit, and their source; `distinct` compares the unconverted columns. */
  #selected(distinct: boolean, listed: readonly Column[]): RawBuilder<unknown> {
    if (distinct && !this.#isConverted()) return sql`distinct ${namesOf(listed)} from ${NAME}`;
    const delivered = listed.map((column) => {
      const name = sql.id(column.name);
      const converted = this.#converted(column);
      return converted ? sql`${converted} as ${name}` : name;
    });
    return sql`${sql.join(delivered)} from ${distinct ? this.#distinct(listed) : NAME}`;
  }

  #distinct(listed: readonly Column[]): RawBuilder<unknown> {
    return sql`(select distinct ${namesOf(listed)} from ${NAME}) as ${DISTINCT}`;
  }

  /** The expression that is selected instead of a column; undefined: the column itself. */
  #converted(column: Column): Expression<unknown> | undefined {
    const reference = sql.id(column.name);
    const converted = this.#traits.selectable?.(reference, column);
    return converted === reference ? undefined : converted;
  }

  /** Whether a column has to be selected through a conversion. */
  #isConverted(): boolean {
    return this.#text.isEmbeddable && this.#columns.some((column) => this.#converted(column) !== undefined);
  }

  /** Pages are stable: columns that are not asked for tell rows apart, of distinct rows the listed ones. */
  #order(
    { sort, distinct, paged }: Omit<QuerySelection, "columns">,
    listed: readonly Column[],
  ): RawBuilder<unknown> {
    // Not the selected columns, which may be converted: text sorts differently from numbers.
    const source = distinct && this.#isConverted() ? DISTINCT : NAME;
    const known = { columns: this.#columns };
    const asked = sort.map(({ position, descending }) => ({ column: columnAt(known, position), descending }));
    const all = distinct ? listed : paged && asked.length > 0 ? known.columns : [];
    const others = all.filter((each) => !asked.some(({ column }) => column === each));
    const reference = ({ name }: Column) => sql`${source}.${sql.id(name)}`;
    const item = (value: Expression<unknown>, descending: boolean) =>
      orderItem(value, { descending, nullable: true }, this.#traits);
    const { ordered } = this.#traits;
    const items = [
      ...asked.map(({ column, descending }) => item(reference(column), descending)),
      ...others.map((column) => {
        // The order of distinct rows is that of their columns as they are.
        const value = reference(column);
        return item(distinct ? value : ordered?.(value, column) ?? value, false);
      }),
    ];
    if (items.length > 0) return sql` order by ${sql.join(items)}`;
    // FETCH requires an ORDER BY.
    return paged && this.#fetches() ? sql` order by (select null)` : sql``;
  }

  #listed(positions: readonly number[] | undefined): readonly Column[] {
    const columns = this.#columns;
    return positions?.map((position) => columnAt({ columns }, position)) ?? columns;
  }

  /**
   * A parameter that is used again is the same one where it has a name, so that the engine infers one type.
   */
  #body(pieces: readonly Piece[], used = new Map<string, number>()): RawBuilder<unknown> {
    const slots = new Map(this.#text.parameters.map((name, index) => [name, index]));
    const { parameterName } = this.#traits;
    const parts = pieces.map((piece) => {
      if ("sql" in piece) return sql.raw(piece.sql);
      const before = used.get(piece.parameter);
      if (parameterName && before !== undefined) return sql.raw(parameterName(before + 1));
      used.set(piece.parameter, used.size);
      return slot(slots.get(piece.parameter) ?? -1);
    });
    return sql.join(parts, sql.raw(""));
  }

  #written(query: RawBuilder<unknown>, columns: Statement["columns"], verb = "WITH"): WrittenText {
    return { ...compileRaw(query, kyselyOf(this.#traits), columns), verb };
  }
}

function namesOf(columns: readonly Column[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.id(name)));
}
