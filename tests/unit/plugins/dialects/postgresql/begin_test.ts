/** @module A transaction whose connection is lost while it begins. */

import assert from "node:assert/strict";
import { classify } from "@/plugins/dialects/postgresql/failures.ts";
import { Pool } from "@/plugins/dialects/postgresql/pool.ts";
import { beginOn } from "@/plugins/dialects/postgresql/transaction.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { makePlace, testOnServer } from "./fixture.ts";
import { POOL } from "@/tests/support/databases/plain_definition.ts";

const INSERT = { sql: "INSERT INTO t VALUES (1)", columns: [] };

for (const isLate of [false, true]) {
  testOnServer(
    `a transaction that could not begin says why to ${isLate ? "a late" : "its first"} statement`,
    async () => {
      await using place = await makePlace("begin", "CREATE TABLE t (id integer)");
      const { server: { host, port, user, password }, definition: { dbName: database } } = place;
      const address = { host, port, encryption: undefined };
      await using pool = new Pool({ address, user, password, database, settings: {} }, { ...POOL, max: 1 });
      const lane = await pool.acquire("work", NEVER);
      lane.destroy();
      const beginning = beginOn({
        lane,
        pool,
        statementTimeout: 5,
        hasSessions: true,
        readOnly: false,
        serial: false,
      });
      await using transaction = new WriteTransaction(beginning, { signal: NEVER, seconds: 5 });
      // By then the failure of the beginning is known.
      if (isLate) await new Promise((resolve) => setTimeout(resolve));
      const isLost = (error: unknown) => classify(error) === "unavailable";
      await assert.rejects(transaction.run(INSERT, []), isLost);
      await transaction.rollback();
      // Its place is free for another connection.
      pool.release(await pool.acquire("work", NEVER));
    },
  );
}
