/**
 * What callers with one access and one database login see of a connection: a schema with the tables that they may use,
 * and what was planned for them before.
 *
 * @module
 */

import type { TableLookup } from "@/core/schema/definition_names.ts";
import type { LoginPools } from "./login_pools.ts";
import type { DatabaseMapping } from "@/core/model.ts";
import { accessSignature, type Grants, grantsOf } from "@/core/identity/permissions.ts";
import { narrowSchema } from "@/core/schema/build_schema.ts";
import type { Schema } from "@/core/schema/table.ts";
import type { Database } from "@/plugins/contract.ts";

/** What a caller wants to see tables for; `any` is either of the others. */
export type Purpose = "read" | "create" | "any";

/** A schema as some callers see it, with what was planned for them before. */
export interface View {
  readonly purpose: Purpose;
  /** The database under the callers' login. */
  readonly database: Database;
  readonly schema: Schema;
  /** What the callers may do with tables, whatever the purpose. */
  readonly may: Grants;
  isForbidden(table: string): boolean;
  /**
   * What a resource keeps for all callers of this view: its plans, its documents. The first call makes it; `make` itself is
   * the key, so it is one function of a module, never a closure.
   */
  memo<T>(make: () => T): T;
}

/** What the views of one connection are made from. */
export interface ViewSource {
  /** The database under the login that reads the catalog. */
  readonly database: Database;
  readonly logins: LoginPools;
  readonly schema: Schema;
  /** Finds tables by the names that `access` uses. */
  readonly tablesNamed: TableLookup;
}

/** The views of one connection, each made once. */
export class Views {
  readonly #source: ViewSource;
  /** By purpose, login and {@link accessSignature}. */
  readonly #views = new Map<string, View>();
  /** Those to read, by mapping: found without making a signature. */
  readonly #viewOf = new WeakMap<DatabaseMapping, View>();

  constructor(source: ViewSource) {
    this.#source = source;
  }

  /** What callers with this mapping may see: the tables that they may use for `purpose`. */
  find(mapping: DatabaseMapping, purpose: Purpose): View {
    const known = purpose === "read" ? this.#viewOf.get(mapping) : undefined;
    if (known) return known;
    const source = this.#source;
    const database = source.logins.of(mapping);
    const login = database === source.database ? "" : JSON.stringify([mapping.dbuser, mapping.dbpass]);
    const signature = `${purpose} ${login} ${accessSignature(mapping)}`;
    const view = this.#views.get(signature) ?? createView(source, { database, mapping, purpose });
    this.#views.set(signature, view);
    if (purpose === "read") this.#viewOf.set(mapping, view);
    return view;
  }

  /** Forgets the views of databases that are to be closed. */
  forget(databases: readonly Database[]): void {
    for (const [key, { database }] of this.#views) if (databases.includes(database)) this.#views.delete(key);
  }
}

function createView(
  { schema, tablesNamed }: ViewSource,
  { database, mapping, purpose }: {
    readonly database: Database;
    readonly mapping: DatabaseMapping;
    readonly purpose: Purpose;
  },
): View {
  const operations = purpose === "any" ? ["read", "create"] as const : [purpose];
  const may = grantsOf(mapping, tablesNamed);
  const isVisible = (table: string) => operations.some((operation) => may(table, operation));
  return {
    purpose,
    database,
    schema: narrowSchema(schema, isVisible),
    may,
    isForbidden: (name) => {
      const table = schema.tables.find(name);
      return table !== undefined && !isVisible(table.name);
    },
    memo: createMemo(),
  };
}

function createMemo(): View["memo"] {
  const made = new Map<() => unknown, unknown>();
  return <T>(make: () => T): T => {
    if (!made.has(make)) made.set(make, make());
    return made.get(make) as T;
  };
}
