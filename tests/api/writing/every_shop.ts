/**
 * The shop on every engine, for tests that mean the same on all of them.
 *
 * @module
 */

import { TEST_DIALECTS, type TestDialect, testOn, whyNot } from "@/tests/support/databases/mod.ts";
import { useServer } from "@/tests/support/servers/mod.ts";
import { shared, type TestService } from "@/tests/support/service.ts";
import { ServerShop } from "./server_shop.ts";
import { Shop } from "./shop.ts";

/** A shop on any engine. SQL is written for SQLite; names are quoted where the engine needs it. */
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

/**
 * Returns a function that registers a test on every engine: each has one shop for the
 * file, restored before each test.
 */
export function onEveryShop(): TestOnShop {
  const shops = TEST_DIALECTS.map((dialect) => {
    return { dialect, open: shared(() => openShop(dialect), whyNot(dialect)) };
  });
  return (name, fn) => {
    for (const { dialect, open } of shops) {
      testOn(dialect, name, async () => {
        const shop = open();
        await shop.reset();
        await fn(shop, dialect);
      });
    }
  };
}
