/** @module The part of the dialect suite about values that a column cannot hold. */

import assert from "node:assert/strict";
import type { Compilable } from "kysely";
import type { Value } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { columnOf } from "@/tests/conformance/dialect_queries.ts";
import { codesOf, insertion, insertOwner, write } from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";

const REFUSED: Readonly<Record<string, (opened: OpenedDialect) => Compilable>> = {
  "text that is too long": (opened) => insertOwner(opened, { code: "123456789" }),
  "a decimal of too many digits": (opened) => insertKind(opened, "a_decimal", "1234567890123.5"),
  "an integer beyond 64 bits": (opened) => insertKind(opened, "an_integer", 2n ** 63n),
  "a date that is none": (opened) => insertKind(opened, "a_date", "2024-02-30"),
};

/** Values that a column cannot hold. */
export function testRefusals(register: Register): void {
  for (const [title, query] of Object.entries(REFUSED)) {
    register(`a value that a column cannot hold is invalid: ${title}`, async (opened) => {
      await using transaction = await opened.database.begin({ signal: NEVER });
      const error = await insertOrReason(opened, transaction, query);
      if (!(error instanceof RangeError)) {
        assert.equal(opened.database.classify(error), "invalid");
        assert.match(opened.database.explain(error), /^[^\\/]*\w/);
      }
      await transaction.rollback();
      assertSame(await codesOf(opened), ["anna", "bert"]);
    });
  }
}

/** A dialect may know beforehand: then it is a RangeError, before anything is sent. */
async function insertOrReason(
  opened: OpenedDialect,
  transaction: Parameters<typeof write>[0],
  query: (opened: OpenedDialect) => Compilable,
): Promise<unknown> {
  try {
    await write(transaction, query(opened));
  } catch (error) {
    return error;
  }
  return assert.fail("It was not refused");
}

function insertKind(opened: OpenedDialect, name: string, value: Value): Compilable {
  const { stored } = opened.database.sql;
  const bound = stored ? stored(value, columnOf(opened, "kinds", name)) : value;
  return insertion(opened, "kinds", [{ id: 10, [name]: bound }]);
}
