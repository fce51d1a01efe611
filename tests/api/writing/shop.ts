/**
 * The service with a small shop of every kind of table, and a separate handle on the shop's file.
 *
 * @module
 */

import { join } from "node:path";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { quoteLine, realText } from "@/tests/support/databases/look.ts";
import { shared, type StartOptions, startService, type TestService } from "@/tests/support/service.ts";
import { DATABASES, STATEMENTS, USERS } from "./shop_files.ts";

/** How the service differs from one with the shop alone. */
export interface ShopOptions {
  /** Further arguments of `serve`. */
  readonly args?: readonly string[];
  /** Lines of service.ini. */
  readonly settings?: readonly string[];
}

/** A home with the shop as its only database. */
export function shopHome({ args = [], settings = [] }: ShopOptions = {}): StartOptions {
  return {
    files: {
      "config/databases.cfg": DATABASES,
      "config/users.cfg": USERS,
      "config/service.ini": ["[service]", ...settings, ""].join("\n"),
    },
    args,
    sqlite: { Shop: STATEMENTS.join(";\n") },
  };
}

/** The running service and its database; disposing ends both. */
export class Shop implements AsyncDisposable {
  readonly service: TestService;
  readonly file: string;
  readonly #handle: Sqlite;
  readonly #tables: readonly string[];

  constructor(service: TestService) {
    this.service = service;
    this.file = join(service.home, "state", "shop.db");
    this.#handle = new Sqlite(this.file);
    this.#tables = this.#column("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  }

  static async open(options: ShopOptions = {}): Promise<Shop> {
    return new Shop(await startService(shopHome(options)));
  }

  /** Restores the first content of every table. */
  reset(): void {
    const handle = this.#handle;
    handle.pragma("foreign_keys = OFF");
    handle.exec("BEGIN IMMEDIATE");
    for (const table of this.#tables) handle.exec(`DELETE FROM "${table}"`);
    for (const sql of STATEMENTS) if (sql.startsWith("INSERT")) handle.exec(sql);
    handle.exec("DELETE FROM Change");
    handle.exec("COMMIT");
    handle.pragma("foreign_keys = ON");
  }

  /** The rows of a query as lines of SQL literals: `1, 'Rope', NULL`. */
  look(sql: string): readonly string[] {
    const statement = this.#handle.prepare(sql).raw().safeIntegers();
    return statement.all().map((row) => (row as readonly unknown[]).map(literal).join(", "));
  }

  /** Everything there is, a line per row. */
  dump(): readonly string[] {
    return this.#tables.flatMap((table) => {
      return this.look(`SELECT * FROM "${table}"`).map((row) => `${table}: ${row}`).toSorted();
    });
  }

  /** Runs SQL beside the service. */
  run(sql: string): void {
    this.#handle.exec(sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#handle.close();
    await this.service[Symbol.asyncDispose]();
  }

  #column(sql: string): readonly string[] {
    return this.#handle.prepare(sql).pluck().all().map(String);
  }
}

/** One shop for all tests of a file, reset on every use. */
export function sharedShop(options: ShopOptions = {}, start = startService): () => Shop {
  const open = shared(async () => new Shop(await start(shopHome(options))));
  return () => {
    const shop = open();
    shop.reset();
    return shop;
  };
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quoteLine(value);
  // A real, because integers are bigint.
  if (typeof value === "number") return realText(value);
  return value instanceof Uint8Array ? `x'${value.toHex()}'` : String(value);
}
