/** @module The part of the dialect suite about written values, and refusals of the database. */

import assert from "node:assert/strict";
import type { Compilable } from "kysely";
import { sql } from "kysely";
import type { Row } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { KIND_COLUMNS, KINDS } from "@/tests/conformance/dialect_kinds.ts";
import { builder, rowsOf } from "@/tests/conformance/dialect_queries.ts";
import {
  codesOf,
  identitiesOf,
  insertion,
  insertOwner,
  inTransaction,
  type Kinds,
  readKindsWhere,
  storedKinds,
  write,
} from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, at) => at);

const WRITTEN: readonly Kinds[] = [
  KINDS[1],
  KINDS[3],
  KIND_COLUMNS.map(() => null),
  [
    2n ** 63n - 1n,
    "99999999.99",
    0.1,
    true,
    "'\"\\\r\n\t ;--",
    "2000-02-29",
    "2000-02-29T23:59:59.999",
    EVERY_BYTE,
  ],
  [
    -(2n ** 63n),
    "-99999999.99",
    1e-300,
    false,
    "00123",
    "1969-12-31",
    "1969-12-31T00:00:00",
    new Uint8Array(1),
  ],
  [
    0,
    "0",
    5,
    false,
    "x".repeat(100_000),
    "2024-01-01",
    "2024-01-01T12:00:00",
    new Uint8Array(100_000).fill(7),
  ],
];

/** Values of every type as they are written and as they are read back. */
export function testWriting(register: Register): void {
  for (const [at, kinds] of WRITTEN.entries()) {
    register(`values of every type are read as they were inserted, row ${at}`, async (opened) => {
      const [row] = storedKinds(opened, [kinds]);
      const insert = insertion(opened, "kinds", [{ id: 10, ...row }]);
      await inTransaction(opened, (transaction) => write(transaction, insert));
      assertSame(await readKindsWhere(opened, "=", 10), [kinds]);
    });
  }

  register("values of every type are read as they were changed", async (opened) => {
    for (const kinds of WRITTEN) {
      const [row = {}] = storedKinds(opened, [kinds]);
      const update = builder(opened).updateTable("kinds").set(row).where("id", "=", 3);
      const { changes } = await inTransaction(opened, (transaction) => write(transaction, update));
      assert.equal(changes, 1);
      assertSame(await readKindsWhere(opened, "=", 3), [kinds]);
    }
  });

  register("generated keys come back in the order of the rows", async (opened) => {
    const insert = insertion(opened, "owner", [{ code: "z" }, { code: "y" }, { code: "x" }], ["id"]);
    const outcome = await inTransaction(opened, (transaction) => write(transaction, insert, ["integer"]));
    assert.equal(outcome.changes, 3);
    const owners = builder(opened).selectFrom("owner").select(["id"]).where("id", ">", 2);
    const [[x], [y], [z]] = await rowsOf(opened, owners.orderBy("code"), ["integer"]) as [Row, Row, Row];
    assertSame(identitiesOf(outcome), [z, y, x]);
    assert.ok(Number(z) < Number(y) && Number(y) < Number(x));
  });

  register("a key that the database would count up may be given", async (opened) => {
    const insert = insertion(opened, "owner", [{ id: 70, code: "z" }, { id: 0, code: "y" }, {
      id: -5,
      code: "x",
    }]);
    await inTransaction(opened, (transaction) => write(transaction, insert));
    const owners = builder(opened).selectFrom("owner").select(["id"]).orderBy("id");
    assertSame(await rowsOf(opened, owners, ["integer"]), [[-5], [0], [1], [2], [70]]);
  });

  register("every integer of a statement that writes is exact", async (opened) => {
    const [row] = storedKinds(opened, [KINDS[3]]);
    const insert = insertion(opened, "kinds", [{ id: 10, ...row }]);
    const select = builder(opened).selectFrom("kinds").select(["an_integer"]).where("id", "=", 10);
    const { rows } = await inTransaction(opened, async (transaction) => {
      await write(transaction, insert);
      return await write(transaction, select, ["integer"]);
    });
    assertSame(rows, [[9007199254740993n]]);
  });

  register("changes count the rows that a statement touched", async (opened) => {
    const kysely = builder(opened);
    const cases: readonly [Compilable, number][] = [
      [insertion(opened, "many", [{ n: 3001 }, { n: 3002 }, { n: 3003 }]), 3],
      [kysely.updateTable("many").set({ n: sql`n + 1000` }).where("n", ">", 3001), 2],
      [kysely.updateTable("many").set({ n: sql`n` }).where("n", "=", 3001), 1],
      [kysely.updateTable("many").set({ n: 1 }).where("n", "=", 99_999), 0],
      [kysely.deleteFrom("many").where("n", "<=", 2500), 2500],
      [kysely.selectFrom("many").select("n").where("n", "=", 99_999), 0],
    ];
    await inTransaction(opened, async (transaction) => {
      for (const [query, changes] of cases) {
        const outcome = await write(transaction, query, ["integer"]);
        assertSame([outcome.rows, outcome.changes], [[], changes], query.compile().sql);
      }
    });
    const left = await rowsOf(opened, builder(opened).selectFrom("many").select("n").orderBy("n"), [
      "integer",
    ]);
    assertSame(left, [[3001], [4002], [4003]]);
  });

  for (const [title, query] of Object.entries(REFUSED)) {
    register(`a statement that breaks a rule is refused and explained: ${title}`, async (opened) => {
      await using transaction = await opened.database.begin({ signal: NEVER });
      await write(transaction, insertOwner(opened, { code: "first" }));
      const error = await write(transaction, query(opened)).then(() => undefined, (reason) => reason);
      assert.equal(opened.database.classify(error), "integrity");
      const explanation = opened.database.explain(error);
      assert.match(explanation, /\w+/);
      assert.doesNotMatch(explanation, /[\\/]/, "It names no file");
      await transaction.rollback();
      assertSame(await codesOf(opened), ["anna", "bert"]);
    });
  }
}

const REFUSED: Readonly<Record<string, (opened: OpenedDialect) => Compilable>> = {
  "a unique key": (opened) => insertOwner(opened, { code: "anna" }),
  "a primary key": (opened) => insertOwner(opened, { id: 1, code: "new" }),
  "NULL in a column that is not null": (opened) => insertOwner(opened, { code: null }),
  "the second of two rows": (opened) => insertion(opened, "owner", [{ code: "new" }, { code: "bert" }]),
  "a foreign key to a row that is not there": (opened) =>
    insertion(opened, "pet", [{ owner_id: 99, seq: 1, name: "Stray" }]),
  "a row that others refer to": (opened) => builder(opened).deleteFrom("owner").where("id", "=", 1),
  "the key of a row that others refer to": (opened) =>
    builder(opened).updateTable("owner").set({ id: 99 }).where("id", "=", 1),
};
