/**
 * The part of a connection that callers with one access and one database login see: a schema with the tables that they
 * may use, and the plans made for it.
 *
 * @module
 */

import type { TableLookup } from "@/core/schema/definition_names.ts";
import type { DatabaseMapping } from "@/core/model.ts";
import { accessSignature, type Grants, grantsOf } from "@/core/identity/permissions.ts";
import { narrowSchema } from "@/core/schema/build_schema.ts";
import type { Schema } from "@/core/schema/table.ts";
import type { Database, Login } from "@/plugins/contract.ts";

/** The required right on the tables of a view; `any` is one of the two others. */
export type Purpose = "read" | "create" | "any";

/** A schema as some callers see it, with the plans made for it. */
export interface View {
  readonly purpose: Purpose;
  /** The database under the callers' database login. */
  readonly database: Database;
  readonly schema: Schema;
  /** The operations that the callers may perform on tables, whatever the purpose. */
  readonly may: Grants;
  isForbidden(table: string): boolean;
  /** A value that all callers of this view share. `make` is also its cache key, so it must never be a closure. */
  memo<T>(make: () => T): T;
}

/** One pool of connections per database login, so that the engine's own grants apply to each user. */
export class LoginPools {
  readonly #catalog: Database;
  readonly #own: string;
  readonly #pools = new Map<string, Database>();

  constructor(catalog: Database, login: Login) {
    this.#catalog = catalog;
    this.#own = keyOf(login);
  }

  /** All pools, that of the catalog last. */
  get all(): readonly Database[] {
    return [...this.#pools.values(), this.#catalog];
  }

  /** The database under a login. It connects on first use. */
  of(login: Login): Database {
    const key = keyOf(login);
    if (key === this.#own || !this.#catalog.as) return this.#catalog;
    const known = this.#pools.get(key);
    if (known) return known;
    const pool = this.#catalog.as({ dbuser: login.dbuser, dbpass: login.dbpass });
    this.#pools.set(key, pool);
    return pool;
  }

  /** Removes the pools of all other logins and returns them, to be closed after their last use. */
  retain(logins: Iterable<Login>): readonly Database[] {
    const kept = new Set([...logins].map(keyOf));
    const departed = [...this.#pools].filter(([key]) => !kept.has(key));
    for (const [key] of departed) this.#pools.delete(key);
    return departed.map(([, pool]) => pool);
  }
}

/** The parts from which the views of one connection are made. */
export interface ViewSource {
  /** The database under the login that reads the catalog. */
  readonly database: Database;
  readonly logins: LoginPools;
  readonly schema: Schema;
  /** Finds tables by the names that `access` uses. */
  readonly tablesNamed: TableLookup;
}

/** The views of one connection, each created once. */
export class Views {
  readonly #source: ViewSource;
  /** By purpose, login and {@link accessSignature}. */
  readonly #views = new Map<string, View>();
  /** Views for reading, by mapping: found without computing a signature. */
  readonly #viewOf = new WeakMap<DatabaseMapping, View>();

  constructor(source: ViewSource) {
    this.#source = source;
  }

  /** The view of callers with this mapping: the tables that they may use for `purpose`. */
  find(mapping: DatabaseMapping, purpose: Purpose = "read"): View {
    const known = purpose === "read" ? this.#viewOf.get(mapping) : undefined;
    if (known) return known;
    const source = this.#source;
    const database = source.logins.of(mapping);
    const login = database === source.database ? "" : keyOf(mapping);
    const signature = `${purpose} ${login} ${accessSignature(mapping)}`;
    const view = this.#views.get(signature) ?? createView(source, database, mapping, purpose);
    this.#views.set(signature, view);
    if (purpose === "read") this.#viewOf.set(mapping, view);
    return view;
  }

  /** Removes the views of databases that are about to be closed. */
  forget(databases: readonly Database[]): void {
    for (const [key, { database }] of this.#views) if (databases.includes(database)) this.#views.delete(key);
  }
}

function createView(
  { schema, tablesNamed }: ViewSource,
  database: Database,
  mapping: DatabaseMapping,
  purpose: Purpose,
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

function keyOf({ dbuser, dbpass }: Login): string {
  return JSON.stringify([dbuser, dbpass]);
}
