/**
 * The shop on every engine, for tests that mean the same on all of them.
 *
 * @module
 */

import { TEST_DIALECTS, type TestDialect } from "@/tests/databases/mod.ts";
import { useServer, whyNoServer } from "@/tests/servers/mod.ts";
import type { TestService } from "@/tests/service.ts";
import { ServerShop } from "./server_shop.ts";
import { Shop } from "./shop.ts";

/** A shop on whichever engine. SQL is SQLite's; names in it are quoted where the engine wants that. */
export interface AnyShop extends AsyncDisposable {
  readonly service: TestService;
  look(sql: string): readonly string[] | Promise<readonly string[]>;
  dump(): readonly string[] | Promise<readonly string[]>;
  run(sql: string): void | Promise<void>;
  reset(): void | Promise<void>;
}

type TestOnShop = (name: string, fn: (shop: AnyShop, dialect: TestDialect) => Promise<void>) => void;

/** A fresh shop; disposing of it ends its service and removes the database. */
export async function openShop(dialect: TestDialect): Promise<AnyShop> {
  return dialect === "sqlite" ? await Shop.open() : await ServerShop.open(await useServer(dialect));
}

/** Gives what registers a test on every engine: each has one shop for the file, put back before each test. */
export function onEveryShop(): TestOnShop {
  const shops = new Map<TestDialect, AnyShop>();
  const missing = new Map(TEST_DIALECTS.map((dialect) => {
    return [dialect, dialect === "sqlite" ? undefined : whyNoServer(dialect)] as const;
  }));
  Deno.test.beforeAll(async () => {
    for (const [dialect, reason] of missing) {
      if (reason === undefined) shops.set(dialect, await openShop(dialect));
    }
  });
  Deno.test.afterAll(async () => {
    for (const shop of shops.values()) await shop[Symbol.asyncDispose]();
  });
  return (name, fn) => {
    for (const [dialect, reason] of missing) {
      Deno.test({
        name: `${dialect}: ${name}${reason === undefined ? "" : ` (${reason})`}`,
        ignore: reason !== undefined,
        fn: async () => {
          const shop = shops.get(dialect);
          if (!shop) throw new Error("The shop is open only while tests run");
          await shop.reset();
          await fn(shop, dialect);
        },
      });
    }
  };
}
