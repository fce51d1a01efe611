/** @module How a saved query's statement is described, and refused, before it is stored. */

import assert from "node:assert/strict";
import type { StatementDescription } from "@/plugins/contract.ts";
import { describeStatement } from "@/plugins/dialects/mssql/describe.ts";
import type { Session } from "@/plugins/dialects/mssql/session.ts";
import type { Command } from "@/plugins/dialects/mssql/statement.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { definitionOn, dialect, loginOf } from "./fixture.ts";
import { type Script, startPeer } from "./peer.ts";
import { done, error } from "./tokens.ts";

const MERGE = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n";
const LIMITS = { seconds: 0, expired: () => new Error("late") };

Deno.test("mssql: the semicolon that a MERGE ends in is described with it", async () => {
  const commands: Command[] = [];
  const start = (command: Command) => {
    commands.push(command);
    return { finished: Promise.resolve(0) };
  };
  const session: Partial<Session> = { start: start as unknown as Session["start"] };
  const described = await describeStatement(
    session as Session,
    { sql: MERGE, verb: "MERGE", parameters: [] },
    LIMITS,
  );
  assert.deepEqual(described, { isReadOnly: false });
  assert.deepEqual(commands.map(({ parameters }) => parameters.map(({ value }) => value)), [[
    `${MERGE};`,
    "",
  ]]);
});

/** Describes a query on a server that tells these errors. */
async function describe(...errors: readonly (readonly [number, string])[]): Promise<StatementDescription> {
  let script: Script = () => undefined;
  await using peer = await startPeer((request) => script(request));
  await using database = await dialect().connect(definitionOn(peer.url, "shop"), loginOf(peer.url), {
    signal: NEVER,
  });
  script = () => [...errors.map(([number, message]) => error(number, message)), done("proc", 2)];
  return await database.describe({ sql: "SELECT n FROM nosuch", verb: "SELECT", parameters: [] });
}

const NO_WAY = [
  11_529,
  "The metadata could not be determined because every code path results in an error; see previous errors.",
] as const;
const MISSING = [208, "Invalid object name 'nosuch'."] as const;

for (const errors of [[MISSING, NO_WAY], [NO_WAY, MISSING]]) {
  Deno.test(`mssql: a query of a table that is not there is refused: ${errors.map(([number]) => number)}`, async () => {
    await assert.rejects(describe(...errors), {
      failure: "invalid",
      message: "Invalid object name 'nosuch'. (line 1)",
    });
  });
}

Deno.test("mssql: a query whose columns only its run tells is taken", async () => {
  const described = await describe([11_526, "The metadata could not be determined: it uses a temp table."]);
  assert.deepEqual(described, { isReadOnly: true });
});
