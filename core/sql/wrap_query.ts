/**
 * The SQL that runs a saved query: its plain text, or the text in a WITH clause around which columns, order and pages
 * are selected. Pure.
 *
 * @module
 */

import { type Compilable, DummyDriver, Kysely, type RawBuilder, sql } from "kysely";
import type { Column } from "@/core/model.ts";
import type { SortKey } from "@/core/request/parameters.ts";
import type { Piece, QueryText } from "./query_text.ts";
import { compile, LIMIT_SLOT, OFFSET_SLOT, slot, type Statement } from "./statement.ts";
import type { SqlTraits } from "@/plugins/contract.ts";

/** The options of selecting a query's rows. */
export interface QuerySelection {
  /** Positions of the listed columns; absent: all. */
  readonly columns?: readonly number[];
  readonly distinct: boolean;
  readonly sort: readonly (SortKey & { readonly position: number })[];
  /** The request has a limit or an offset. */
  readonly paged: boolean;
}

const NAME = "q";
const DISTINCT = "d";
/** More rows than any table has, for engines whose LIMIT has no word for all. */
const EVERYTHING = "9223372036854775807";

/** A statement of a saved query. */
export type WrittenText = Statement & { readonly verb: string };

/** Builds the statements of one query. Slots are the positions of its parameters. */
export class QueryStatements {
  readonly #traits: SqlTraits;
  readonly #text: QueryText;
  readonly #columns: readonly Column[];

  constructor(traits: SqlTraits, text: QueryText, columns: readonly Column[] = []) {
    this.#traits = traits;
    this.#text = text;
    this.#columns = columns;
  }

  /** The same statements, once the columns of the result are known. */
  with(columns: readonly Column[]): QueryStatements {
    return new QueryStatements(this.#traits, this.#text, columns);
  }

  /** The text itself. */
  plain(columns: readonly Column[] = this.#columns): WrittenText {
    return this.#written(this.#body(this.#text.pieces), columns, this.#text.verb);
  }

  /** The selected rows; the plain text if nothing is selected. */
  rows(selection: QuerySelection): Statement {
    const { columns, paged } = selection;
    const keepsOrder = this.#text.isOrdered && selection.sort.length === 0 && !selection.distinct;
    if (columns === undefined && !this.#isConverted()) {
      if (isWhole(selection)) return this.plain();
      if (keepsOrder) return this.#paged();
    }
    const listed = columns?.map((position) => this.#column(position)) ?? this.#columns;
    const outer = sql`select ${this.#selected(selection, listed)}`;
    if (keepsOrder) return this.#written(this.#around(outer, this.#ending(paged)), listed);
    const page = paged ? sql` ${this.#page()}` : sql``;
    return this.#written(this.#around(sql`${outer}${this.#order(selection, listed)}${page}`), listed);
  }

  /** The number of rows, after `distinct`, before limit and offset. */
  count({ columns, distinct }: QuerySelection): Statement {
    const listed = columns?.map((position) => this.#column(position)) ?? this.#columns;
    const rows = distinct
      ? sql`(select distinct ${this.#list(listed)} from ${sql.id(NAME)}) as ${sql.id(DISTINCT)}`
      : sql.id(NAME);
    return this.#written(this.#around(sql`select count(*) from ${rows}`), [
      { type: "integer", declaredType: "INTEGER" },
    ]);
  }

  /** For a text that ends in ORDER BY: appends the page. */
  #paged(): Statement {
    const whole = sql`${this.#body(this.#text.pieces)} ${this.#page()}`;
    return this.#written(whole, this.#columns, this.#text.verb);
  }

  /** `with "q" ("name", …) as (text) …`: the columns get unique names, whatever their names in the text. */
  #around(outer: RawBuilder<unknown>, ending = this.#ending()): RawBuilder<unknown> {
    const head = sql`${sql.id(NAME)} (${this.#list(this.#columns)}) as `;
    const { hoisted } = this.#text;
    if (this.#traits.nestedWith !== false || hoisted === undefined) {
      return sql`with ${head}(${this.#body(this.#text.pieces)}${ending}) ${outer}`;
    }
    const used: string[] = [];
    const [before, main] = [this.#body(hoisted.before, used), this.#body(hoisted.main, used)];
    return sql`${before}, ${head}(${main}${ending}) ${outer}`;
  }

  /**
   * The page that makes an order inside WITH take effect: the requested one or all rows. Undefined: the order is not
   * needed, and SQL Server refuses it there without a page.
   */
  #ending(paged?: boolean): RawBuilder<unknown> {
    if (!this.#text.isOrdered) return sql``;
    if (paged) return sql` ${this.#page()}`;
    if (this.#traits.paging === "fetch") return sql` offset 0 rows`;
    return paged === false ? sql` limit ${sql.raw(EVERYTHING)}` : sql``;
  }

  /** The columns with every digit, and their source; `distinct` compares the unconverted columns. */
  #selected({ distinct }: QuerySelection, listed: readonly Column[]): RawBuilder<unknown> {
    const names = this.#list(listed);
    if (!distinct) return sql`${this.#delivered(listed)} from ${sql.id(NAME)}`;
    if (!this.#isConverted()) return sql`distinct ${names} from ${sql.id(NAME)}`;
    return sql`${this.#delivered(listed)} from (select distinct ${names} from ${sql.id(NAME)}) as ${
      sql.id(DISTINCT)
    }`;
  }

  #delivered(listed: readonly Column[]): RawBuilder<unknown> {
    return sql.join(listed.map((column) => {
      const reference = sql.id(column.name);
      const delivered = this.#traits.selectable?.(reference, column) ?? reference;
      return delivered === reference ? reference : sql`${delivered} as ${sql.id(column.name)}`;
    }));
  }

  /** Whether a column has to be selected through a conversion. */
  #isConverted(): boolean {
    const { selectable } = this.#traits;
    if (!selectable || !this.#text.isEmbeddable) return false;
    return this.#columns.some((column) => {
      const reference = sql.id(column.name);
      return selectable(reference, column) !== reference;
    });
  }

  /** Distinct rows are ordered by the listed columns, so that pages of them are stable. */
  #order({ sort, distinct, paged }: QuerySelection, listed: readonly Column[]): RawBuilder<unknown> {
    // Not the selected columns, which may be converted: text sorts differently from numbers.
    const source = distinct && this.#isConverted() ? DISTINCT : NAME;
    const asked = sort.map(({ position, descending }) => [this.#column(position), descending] as const);
    const wanted = asked.length === 0 && distinct ? listed.map((column) => [column, false] as const) : asked;
    const keys = wanted.map(([{ name }, descending]) => this.#orderKey(sql.id(source, name), descending));
    if (keys.length > 0) return sql` order by ${sql.join(keys)}`;
    // FETCH requires an ORDER BY.
    return paged && this.#traits.paging === "fetch" ? sql` order by (select null)` : sql``;
  }

  #orderKey(reference: RawBuilder<unknown>, descending: boolean): RawBuilder<unknown> {
    const nulls = this.#traits.nullsFirst === false
      ? (descending ? sql` nulls last` : sql` nulls first`)
      : sql``;
    return sql`${reference} ${descending ? sql`desc` : sql`asc`}${nulls}`;
  }

  #page(): RawBuilder<unknown> {
    return this.#traits.paging === "fetch"
      ? sql`offset ${slot(OFFSET_SLOT)} rows fetch next ${slot(LIMIT_SLOT)} rows only`
      : sql`limit ${slot(LIMIT_SLOT)} offset ${slot(OFFSET_SLOT)}`;
  }

  #list(columns: readonly Column[]): RawBuilder<unknown> {
    return sql.join(columns.map(({ name }) => sql.id(name)));
  }

  #column(position: number): Column {
    const column = this.#columns[position];
    if (!column) throw new Error(`The query has no column at ${position}`);
    return column;
  }

  /**
   * A parameter that is used again becomes the same one if the engine has names for them, so that the engine infers one
   * type for all uses.
   */
  #body(pieces: readonly Piece[], used: string[] = []): RawBuilder<unknown> {
    const { parameters } = this.#text;
    const { parameterName } = this.#traits;
    const parts = pieces.map((piece) => {
      if ("sql" in piece) return sql.raw(piece.sql);
      const before = used.indexOf(piece.parameter);
      if (parameterName && before >= 0) return sql.raw(parameterName(before + 1));
      used.push(piece.parameter);
      return slot(parameters.indexOf(piece.parameter));
    });
    return sql.join(parts, sql.raw(""));
  }

  #written(query: RawBuilder<unknown>, columns: Statement["columns"], verb = "WITH"): WrittenText {
    const compilable: Compilable = { compile: () => query.compile(this.#kysely()) };
    return { ...compile(compilable, columns), verb };
  }

  #kysely(): Kysely<unknown> {
    const traits = this.#traits;
    return new Kysely({
      dialect: {
        createAdapter: () => traits.createAdapter(),
        createQueryCompiler: () => traits.createQueryCompiler(),
        createDriver: () => new DummyDriver(),
        createIntrospector: () => {
          throw new Error("Catalogs are read by the dialect plugin");
        },
      },
    });
  }
}

/** Whether the request selects all rows and columns. */
function isWhole({ columns, distinct, sort, paged }: QuerySelection): boolean {
  return columns === undefined && !distinct && sort.length === 0 && !paged;
}
