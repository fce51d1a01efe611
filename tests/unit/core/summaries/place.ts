/**
 * A service in the process of the tests with one database on any engine, whose
 * lists and queries can be summed up.
 *
 * @module
 */

import { join } from "node:path";
import { stringify } from "yaml";
import { planQuery } from "@/core/queries/plan_query.ts";
import { parseRequest } from "@/core/request/parse_request.ts";
import { findDatabase } from "@/core/database/find_database.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import { executeSummary } from "@/core/summaries/execute_summary.ts";
import { planSummary } from "@/core/summaries/plan_summary.ts";
import {
  type AskedColumn,
  type NamedQuestion,
  readQuestion,
  type SummaryQuestion,
} from "@/core/summaries/question.ts";
import { summarizeQuery } from "@/core/summaries/summarize_query.ts";
import { walkInput } from "@/core/tables/plan_read.ts";
import type { Summary } from "@/plugins/contract.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import mssql from "@/plugins/dialects/mssql/mod.ts";
import mysql from "@/plugins/dialects/mysql/mod.ts";
import postgresql from "@/plugins/dialects/postgresql/mod.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";
import { addressOf } from "@/tests/support/databases/configure.ts";
import { ENGINES, type TestDialect } from "@/tests/support/databases/mod.ts";
import { parseDatabase } from "@/tests/support/databases/parse_database.ts";
import { createScript } from "@/tests/support/databases/script.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { callerOf, serviceIn } from "@/tests/unit/core/service_in.ts";

/** Milliseconds that a summary may take on a loaded machine. */
const PATIENCE = 60_000;

/** The database and who may read it. */
export interface PlaceOptions {
  readonly dialect: TestDialect;
  /** Distinguishes databases of different tests on one server. */
  readonly label: string;
  /** In SQLite's SQL. */
  readonly script: string;
  /** Further statements in the engine's own SQL. */
  readonly more?: string;
  /** The mappings of users beside `public`, who may read everything. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Saved queries of the database `T` by their names. */
  readonly queries?: Readonly<Record<string, string>>;
  /** Further members of the database's definition. */
  readonly definition?: Readonly<Record<string, unknown>>;
}

/** The running service. */
export class Place implements AsyncDisposable {
  readonly #service: Service;
  readonly #stack: AsyncDisposableStack;

  private constructor(service: Service, stack: AsyncDisposableStack) {
    this.#service = service;
    this.#stack = stack;
  }

  static async open(options: PlaceOptions): Promise<Place> {
    await using stack = new AsyncDisposableStack();
    const home = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    stack.defer(() => Deno.remove(home, { recursive: true }));
    const { place, login } = await load(options, home, stack);
    const { users = {}, queries = {}, definition = {} } = options;
    const mappings = Object.entries({ public: {}, ...users }).map(([name, mapping]) => {
      return [name, { databases: { T: { ...login, ...mapping } } }];
    });
    const definitions = Object.entries(queries).map(([name, sql]) => {
      return [name, { database: "T", sqlstr: sql, execute: ["public"] }];
    });
    const files = {
      "databases.cfg": stringify({ T: { ...place, ...definition } }),
      "users.cfg": stringify(Object.fromEntries(mappings)),
      "querydefs.cfg": stringify(Object.fromEntries(definitions)),
    };
    const service = await serviceIn(home, { files, dialects: [sqlite, postgresql, mysql, mssql] }, stack);
    return new Place(service, stack.move());
  }

  /** Sums up the list at a path below `/db/T/`, as a user. */
  ask(path: string, asked: NamedQuestion, options: AskOptions = {}): Promise<Summary> {
    return this.#ask(path, (columns) => readQuestion(asked, columns), options);
  }

  /** Like {@link ask}, with a question of positions. */
  askPlainly(path: string, question: SummaryQuestion): Promise<Summary> {
    return this.#ask(path, () => question, {});
  }

  /** The segment of a table, and the position of its column. */
  find(table: string, name: string): { readonly path: string; readonly column: number } {
    const found = this.#service.databases.get("T")?.connection.schema.tables.find(table);
    const column = found?.columns.findIndex((column) => column.name === name) ?? -1;
    if (!found || column < 0) throw new Error(`${table} has no column ${name}`);
    return { path: found.segment, column };
  }

  async #ask(
    path: string,
    ask: (columns: readonly AskedColumn[]) => SummaryQuestion,
    options: AskOptions,
  ): Promise<Summary> {
    const { login = "public", milliseconds = PATIENCE } = options;
    const headers = new Headers();
    const request = parseRequest("GET", `/db/T/${path}`, headers, this.#service);
    const { mapping, managed } = findDatabase("T", {
      request,
      caller: callerOf(this.#service, login),
      service: this.#service,
    });
    const { connection } = managed;
    const segments = request.segments.slice(1);
    const view = connection.views.find(mapping);
    const input = { request, segments, managed, connection, view, service: this.#service, mapping, headers };
    const walk = walkPath(segments, walkInput(input));
    const plan = planSummary(input, ask(walk.last.table.columns), walk);
    return await executeSummary(plan, { signal: new AbortController().signal, milliseconds });
  }

  /** Sums up the result of a saved query. */
  async askQuery(path: string, asked: NamedQuestion): Promise<Summary> {
    const headers = new Headers();
    const service = this.#service;
    const request = parseRequest("GET", `/query/${path}`, headers, service);
    const plan = planQuery(request, callerOf(service, "public"), { service, headers });
    if (plan.kind !== "query") throw new TypeError("The path leads to no query");
    const { signal } = new AbortController();
    return await summarizeQuery(plan, (columns) => readQuestion(asked, columns), {
      signal,
      fetchSize: service.settings["orm_sdb.yield_per"],
      log: service.log,
      milliseconds: PATIENCE,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Who asks, and how long the answer may take. */
export interface AskOptions {
  readonly login?: string;
  readonly milliseconds?: number;
}

async function load(
  { dialect, label, script, more = "" }: PlaceOptions,
  home: string,
  stack: AsyncDisposableStack,
): Promise<{ readonly place: object; readonly login: object }> {
  if (dialect === "sqlite") {
    createDatabase(join(home, "t.db"), `${script}\n${more}`);
    return { place: { db_type: "sqlite", db_name: "${ROWHOUSE_STATE}/t.db" }, login: {} };
  }
  const server = await useServer(dialect);
  const name = await server.createDatabase(`${label}_summary`);
  stack.defer(() => server.dropDatabase(name));
  await server.exec(createScript(parseDatabase(script), ENGINES[dialect]) + more, name);
  const login = { dbuser: server.user, dbpass: server.password };
  return { place: { ...addressOf(server), db_name: name }, login };
}
