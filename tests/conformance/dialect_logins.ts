/** @module The part of the dialect suite about database logins: the database's own grants decide. */

import assert from "node:assert/strict";
import type { Database, Login } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { LoginScripts, OpenedDialect, Register } from "@/tests/conformance/dialect.ts";
import { beside } from "@/tests/conformance/dialect_register.ts";
import { builder, toRun } from "@/tests/conformance/dialect_queries.ts";
import { codesOf, insertOwner, write } from "@/tests/conformance/dialect_writes.ts";
import { assertSame } from "@/tests/conformance/same.ts";
import { failureOf } from "@/tests/support/reason_of.ts";

/** Tests that the engine's rights limit a login. */
export function testLogins(register: Register, scripts: LoginScripts): void {
  register("a login reads what it was granted, and nothing else", async (opened) => {
    await using other = await openAs(opened, scripts);
    assertSame(await codesOf(other), ["anna", "bert"]);
    assert.equal(await failureOf(other, readPets(other)), "permission");
    assertSame(await codesOf(other), ["anna", "bert"], "It goes on after that");
  });

  register("a login writes only where it was granted", async (opened) => {
    await using other = await openAs(opened, scripts);
    await using transaction = await other.database.begin({ signal: NEVER });
    const insert = write(transaction, insertOwner(other, { code: "carl" }));
    assert.equal(await failureOf(other, insert), "permission");
    await transaction.rollback();
    assertSame(await codesOf(opened), ["anna", "bert"]);
  });

  for (const [title, dbpass] of [["a wrong password", "wrong"], ["no password", ""]] as const) {
    register(`a login that the server refuses is told from an outage: ${title}`, async (opened) => {
      await using other = await openAs(opened, scripts, (login) => ({ ...login, dbpass }));
      assert.equal(await failureOf(other, codesOf(other)), "login");
      assert.equal(await failureOf(other, other.database.begin({ signal: NEVER })), "login");
      assertSame(await codesOf(opened), ["anna", "bert"]);
      assert.equal(await opened.database.check(), "ok");
    });
  }

  register("a login that is not there is refused, also for one who connects", async (opened) => {
    const nobody = { dbuser: `nobody_${suffix()}`, dbpass: "x" };
    await using database = as(opened, nobody);
    const other = { ...opened, database };
    assert.equal(await failureOf(other, codesOf(other)), "login");
  });

  register("the pool of a login that is closed takes no other with it", async (opened) => {
    {
      await using other = await openAs(opened, scripts);
      assertSame(await codesOf(other), ["anna", "bert"]);
    }
    assertSame(await codesOf(opened), ["anna", "bert"]);
  });
}

/** The database under a new login, which is removed at the end; `change` changes the login. */
async function openAs(
  opened: OpenedDialect,
  { create, drop }: LoginScripts,
  change = (login: Login) => login,
): Promise<OpenedDialect> {
  const login = { dbuser: `reader_${suffix()}`, dbpass: "may-read-owners-1" };
  await beside(opened, create(login));
  const database = as(opened, change(login));
  return {
    ...opened,
    database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await beside(opened, drop(login));
    },
  };
}

function as({ database }: OpenedDialect, login: Login): Database {
  assert.ok(database.as, "A dialect with logins knows other logins");
  return database.as(login);
}

async function readPets(opened: OpenedDialect): Promise<unknown> {
  const run = toRun(opened, builder(opened).selectFrom("pet").select("name"), ["text"]);
  return await opened.database.read([run], { signal: NEVER });
}

function suffix(): string {
  return crypto.randomUUID().slice(0, 8);
}
