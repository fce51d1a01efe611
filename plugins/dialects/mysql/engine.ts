/**
 * MySQL and MariaDB as the kit uses them: functions on one connection.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Engine, EngineTransactions, Outcome, ResultColumn, StatementText } from "@/plugins/contract.ts";
import { echoOf } from "@/plugins/kit/echo.ts";
import { describeCatalog } from "./catalog.ts";
import { type Listing, readListing } from "./catalog_queries.ts";
import type { ChangeWatch } from "./change_watch.ts";
import type { Control } from "./control.ts";
import { decoderFor } from "./decode.ts";
import { describeStatement, planStatement, resultColumnOf } from "./describe.ts";
import type { Field } from "./driver.ts";
import { classify, explain, refusedParameter } from "./failures.ts";
import { type Place, timeoutOf } from "./server.ts";
import type { Answer, Session } from "./session.ts";
import { traitsOf } from "./traits.ts";

/** The engine of one login: `control` ends its statements, and `watch` notes the catalog that was read. */
export function engineOf(place: Place, control: Control, watch: ChangeWatch): Engine<Session> {
  const { server, settings: { statementTimeout }, identityStep, schemas } = place;
  return {
    sql: traitsOf(server),
    hasLogins: true,
    classify,
    explain: (error) => explain(error, schemas),
    refusedParameter,
    transactions,
    open: (login) => place.open(login),
    close: (session, reason) => reason === undefined ? session.end() : stop(session, control, reason),
    isAlive: (session) => session.alive,
    reset(session) {
      if (session.needsReset) return session.reset();
      return session.command(`SET SESSION ${timeoutOf(server, statementTimeout)}`);
    },
    query: runs(false, identityStep),
    write: runs(true, identityStep),
    async *cursor(session, text, parameters, fetchSize) {
      await session.permit(false);
      session.needsReset ||= text.verb !== undefined;
      // The server's own time limit would include the pauses of the reader.
      await session.command(`SET SESSION ${timeoutOf(server, 0)}`);
      const decoder = decoderFor(text);
      const stream = session.stream(text.sql, parameters, fetchSize);
      while (!stream.rows.isDone) {
        const rows = await stream.rows.next();
        if (rows.length > 0) yield decoder.decode(rows, stream.fields);
      }
    },
    async catalog(session) {
      const note = await watch.begin();
      const listing = await readListing(session, { schemas, server, echo: echoOf(place) });
      note(fingerprintOf(listing));
      return describeCatalog(listing, schemas, server);
    },
    describe: describeStatement,
    plan: planStatement,
  };
}

/** A text of everything that the catalog is made of. */
export function fingerprintOf(listing: Listing): string {
  return createHash("sha256").update(JSON.stringify(listing)).digest("base64");
}

/**
 * Reads in a writing transaction lock their rows: a record cannot change
 * between the check of it and its update.
 */
const transactions: EngineTransactions<Session> = {
  async begin(session, access) {
    if (access === "write") await session.command("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    const snapshot = "WITH CONSISTENT SNAPSHOT, READ ONLY";
    await session.command(`START TRANSACTION ${access === "write" ? "READ WRITE" : snapshot}`);
    session.isInTransaction = true;
  },
  commit: (session) => end(session, "COMMIT"),
  rollback: (session) => end(session, "ROLLBACK"),
};

async function end(session: Session, how: "COMMIT" | "ROLLBACK"): Promise<void> {
  await session.command(how);
  session.isInTransaction = false;
}

/** Ends the connection and its statement. Without the KILL the server would run the statement to its end. */
function stop(session: Session, control: Control, reason: unknown): Promise<void> {
  const killed = session.alive ? control.kill(session.id) : Promise.resolve();
  session.destroy(reason);
  return killed;
}

function runs(writing: boolean, identityStep: number): Engine<Session>["query"] {
  return (session, text, parameters) => {
    // Few statements have to change what the session may do first.
    const change = session.permit(writing);
    session.needsReset ||= text.verb !== undefined;
    const run = () => session.run(text.sql, parameters);
    return (change ? change.then(run) : run()).then((answer) => outcomeOf(text, answer, identityStep));
  };
}

const WRITING = /^\s*(insert|replace|update|delete)\b/i;

/**
 * Returned rows count as changed. A server without `RETURNING` reports the first key that it counted up: it
 * reserves the keys of one INSERT together, so the others follow in steps, whatever other clients insert.
 */
export function outcomeOf(text: StatementText, answer: Answer, identityStep: number): Outcome {
  if ("rows" in answer) {
    const rows = decoderFor(text).decode(answer.rows, answer.fields);
    return { rows, changes: WRITING.test(text.sql) ? rows.length : 0, ...columnsOf(text, answer.fields) };
  }
  const { affectedRows, insertId } = answer.header;
  // The driver reads one beyond 2^63 as a negative number.
  const firstIdentity = BigInt.asUintN(64, BigInt(insertId));
  const identity = firstIdentity === 0n ? {} : { firstIdentity, identityStep };
  return { rows: [], changes: affectedRows, ...identity, ...columnsOf(text, []) };
}

/** Only a saved query may have columns that nothing else tells. */
function columnsOf(
  { verb }: StatementText,
  fields: readonly Field[],
): { readonly columns?: readonly ResultColumn[] } {
  return verb === undefined ? {} : { columns: fields.map(resultColumnOf) };
}
