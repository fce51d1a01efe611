/**
 * The shop on a database server.
 *
 * @module
 */

import { type Connection, connectTo } from "@/tests/support/databases/connection.ts";
import { onServer, withLogins } from "@/tests/support/databases/configure.ts";
import type { DatabaseFixture } from "@/tests/support/databases/definition.ts";
import type { Engine } from "@/tests/support/databases/engine.ts";
import { kindsOf, linesOf } from "@/tests/support/databases/look.ts";
import { ENGINES, fixtureOf, loadDatabase } from "@/tests/support/databases/mod.ts";
import { resetScript, sayTokens } from "@/tests/support/databases/script.ts";
import { tokenize } from "@/tests/support/databases/tokens.ts";
import type { TestServer } from "@/tests/support/servers/mod.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import { DATABASES, USERS } from "./shop_files.ts";

/** The running service and a connection to its database. */
export class ServerShop implements AsyncDisposable {
  readonly service: TestService;
  readonly #stack: AsyncDisposableStack;
  readonly #connection: Connection;
  readonly #fixture: DatabaseFixture;
  readonly #engine: Engine;
  readonly #kinds;
  readonly #reset: string;

  private constructor(
    service: TestService,
    connection: Connection,
    { engine, fixture, stack }: { engine: Engine; fixture: DatabaseFixture; stack: AsyncDisposableStack },
  ) {
    this.service = service;
    this.#connection = connection;
    this.#fixture = fixture;
    this.#engine = engine;
    this.#stack = stack;
    this.#kinds = kindsOf(fixture);
    this.#reset = resetScript(fixture, engine);
  }

  static async open(server: TestServer): Promise<ServerShop> {
    await using stack = new AsyncDisposableStack();
    const database = await loadDatabase(server, "shop", `writing_${crypto.randomUUID().slice(0, 8)}`);
    stack.defer(() => server.dropDatabase(database));
    const connection = stack.use(await connectTo(server, database));
    const service = stack.use(
      await startService({
        files: {
          "config/databases.cfg": onServer(DATABASES, server, { shop: database }),
          "config/users.cfg": withLogins(USERS, server),
          "config/service.ini": "[service]\n",
        },
      }),
    );
    const [engine, fixture] = [ENGINES[server.dialect], fixtureOf("shop")];
    return new ServerShop(service, connection, { engine, fixture, stack: stack.move() });
  }

  /** Restores the first content of every table. */
  async reset(): Promise<void> {
    await this.#connection.run(this.#reset);
  }

  /** The rows of a query, which is written for SQLite, as lines of SQLite's literals. */
  async look(sql: string): Promise<readonly string[]> {
    const [result] = await this.#connection.query(sayTokens(tokenize(sql), this.#fixture, this.#engine));
    return result ? linesOf(result, this.#kinds) : [];
  }

  /** Runs SQL of SQLite beside the service. */
  async run(sql: string): Promise<void> {
    await this.#connection.run(sayTokens(tokenize(sql), this.#fixture, this.#engine));
  }

  /** Everything there is, a line per row. */
  async dump(): Promise<readonly string[]> {
    const { tables } = this.#fixture;
    const queries = tables.map(({ name }) => `SELECT * FROM ${this.#engine.quote(name)}`);
    const results = await this.#connection.query(...queries);
    return tables.flatMap(({ name }, at) => {
      const result = results[at];
      return result ? linesOf(result, this.#kinds).map((row) => `${name}: ${row}`).toSorted() : [];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }
}
