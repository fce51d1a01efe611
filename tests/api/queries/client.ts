/**
 * Requests to the service of these tests.
 *
 * @module
 */

import { type TestDialect, testOn, whyNot } from "@/tests/support/databases/mod.ts";
import type { Answer } from "@/tests/api/login/home.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { QUERY_ENGINES, type QueryEngine } from "./engines.ts";
import { startQueries } from "./fixture.ts";

/** The context of one engine's tests. */
export interface Queries {
  readonly dialect: TestDialect;
  readonly engine: QueryEngine;
  readonly test: (name: string, fn: () => void | Promise<void>) => void;
  readonly service: () => TestService;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The ids of all items, which an attack would change. */
  ids(): Promise<readonly number[]>;
}

/** Starts the service when the first test runs. */
export function useQueries(dialect: TestDialect): Queries {
  const service = shared(() => startQueries(dialect), whyNot(dialect));
  const fetch = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await service().fetch(path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const get = (path: string, headers: Record<string, string> = {}) => fetch(path, { headers });
  return {
    dialect,
    engine: QUERY_ENGINES[dialect],
    test: (name, fn) => testOn(dialect, name, fn),
    service,
    get,
    send: (method, path, body, headers = {}) => {
      if (body === undefined) return fetch(path, { method, headers });
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return fetch(path, { method, headers: { "Content-Type": "application/json", ...headers }, body: text });
    },
    ids: async () => JSON.parse((await get("/query/all/n__a.json?limit=100&sort=n/a")).text),
  };
}
