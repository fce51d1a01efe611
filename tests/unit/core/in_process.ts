/**
 * The service without a server: the shop of `tests/api/writing`, for tests of single stages.
 *
 * @module
 */

import { join } from "node:path";
import { type Plan, planRequest } from "@/core/resources.ts";
import { parseRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { createDatabase } from "@/plugins/dialects/sqlite/create.ts";
import sqlite from "@/plugins/dialects/sqlite/mod.ts";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { DATABASES, STATEMENTS, USERS } from "@/tests/api/writing/shop_files.ts";
import { callerOf, serviceIn } from "@/tests/unit/core/service_in.ts";

// The work of a service goes on for a moment after its answer.
Deno.test.sanitizer({ ops: false, resources: false });

/** A separate service for one test. */
export class InProcess implements AsyncDisposable {
  readonly service: Service;
  readonly #stack: AsyncDisposableStack;
  readonly #handle: Sqlite;

  private constructor(service: Service, handle: Sqlite, stack: AsyncDisposableStack) {
    this.service = service;
    this.#handle = handle;
    this.#stack = stack;
  }

  /** `more`: statements that follow those of the shop. */
  static async open(more: readonly string[] = []): Promise<InProcess> {
    await using stack = new AsyncDisposableStack();
    const home = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
    stack.defer(() => Deno.remove(home, { recursive: true }));
    const file = join(home, "shop.db");
    createDatabase(file, [...STATEMENTS, ...more].join(";\n"));
    const files = { "databases.cfg": DATABASES, "users.cfg": USERS };
    const service = await serviceIn(home, { files, dialects: [sqlite] }, stack);
    const handle = new Sqlite(file);
    stack.defer(() => void handle.close());
    return new InProcess(service, handle, stack.move());
  }

  /** Plans a request of a user: `POST /db/Shop/Tag.json`. */
  plan(request: string, headers: Readonly<Record<string, string>> = {}, login = "public"): Plan {
    const [method = "", target = ""] = request.split(" ");
    const sent = new Headers(headers);
    const plan = planRequest(
      parseRequest(method, target, sent, this.service),
      callerOf(this.service, login),
      {
        service: this.service,
        headers: sent,
      },
    );
    if (plan instanceof Promise) throw new TypeError("Only saved queries are planned later");
    return plan;
  }

  /** The first column of a query's rows. */
  look(sql: string): readonly unknown[] {
    return this.#handle.prepare(sql).pluck().all();
  }

  run(sql: string): void {
    this.#handle.exec(sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
