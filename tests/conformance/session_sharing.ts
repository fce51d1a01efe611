/**
 * Sessions that several processes share, and secrets that are changed under them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { POLICY, SECRET, userNamed } from "@/tests/conformance/session_place.ts";
import type { Bench, StoreTest } from "@/tests/conformance/session_store.ts";

const PROCESS = fileURLToPath(new URL("./session_process.ts", import.meta.url));
const NEXT = { secret: "the-secret-that-comes-after-the-first-one" };

/** Tests by title: sessions "are the same in two processes". */
export const SHARING: Readonly<Record<string, StoreTest>> = {
  "are the same in two processes": async (bench) => {
    await using other = new OtherProcess(bench);
    const theirs = await other.ask("open");
    assert.equal((await bench.sessions.resume(theirs))?.session.login, "anna");
    const { ticket } = await bench.sessions.open(bench.anna, { method: "basic" });
    assert.equal(await other.ask(`resume ${ticket}`), "anna");
    assert.equal(await other.ask(`resume ${ticket}A`), null);
  },

  "end in another process when they are closed in this one": async (bench) => {
    await using other = new OtherProcess(bench);
    const theirs = await other.ask("open");
    await bench.sessions.close(theirs);
    assert.equal(await other.ask(`resume ${theirs}`), null);
    const { ticket } = await bench.sessions.open(bench.anna, { method: "basic" });
    await other.ask(`close ${ticket}`);
    assert.equal(await bench.sessions.resume(ticket), undefined);
  },

  "lose no change when two processes make changes at the same time": async (bench) => {
    await using other = new OtherProcess(bench);
    const { ticket } = await bench.sessions.open(bench.anna, { method: "basic" });
    const theirs = other.ask(`count ${ticket}`);
    for (let round = 0; round < 25; round++) {
      await bench.sessions.update(
        ticket,
        (details) => ({ ...details, count: Number(details["count"] ?? 0) + 1 }),
      );
    }
    await theirs;
    assert.deepEqual((await bench.sessions.resume(ticket))?.session.details, { count: 50 });
  },

  "survive a restart": async ({ sessions, reopen, anna }) => {
    const { ticket, session } = await sessions.open(anna, { method: "basic" });
    assert.deepEqual((await (await reopen()).resume(ticket))?.session, session);
  },

  "survive a new secret while the one before is known, and then do without it": async (bench) => {
    const { sessions, reopen, anna, clock } = bench;
    const { ticket } = await sessions.open(anna, { method: "basic" });
    const rotating = await reopen({ secrets: { ...NEXT, previous: SECRET.secret } });
    assert.equal((await rotating.resume(ticket))?.session.login, "anna");
    clock.pass(POLICY.reissue);
    const renewed = (await rotating.resume(ticket))?.renewedTicket ?? "";
    assert.equal((await (await reopen({ secrets: NEXT })).resume(renewed))?.session.login, "anna");
  },

  "end when the secret changes and the one before is not known": async ({ sessions, reopen, anna }) => {
    const { ticket } = await sessions.open(anna, { method: "basic" });
    assert.equal(await (await reopen({ secrets: NEXT })).resume(ticket), undefined);
  },

  "of a process that has the old secret only are none of one with the new": async ({ reopen, users }) => {
    const bert = userNamed("bert");
    users.set("bert", bert);
    const { ticket } = await (await reopen({ secrets: NEXT })).open(bert, { method: "basic" });
    assert.equal(await (await reopen({ secrets: SECRET })).resume(ticket), undefined);
  },
};

/** A process that is asked line by line; it ends with its scope. */
class OtherProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<string>;

  constructor({ place, clock }: Bench) {
    const args = ["run", "-A", "--no-check", PROCESS, JSON.stringify(place), String(clock.now())];
    const options = { args, stdin: "piped", stdout: "piped", stderr: "inherit" } as const;
    this.#child = new Deno.Command(Deno.execPath(), options).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reader = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  async ask(line: string): Promise<string> {
    await this.#writer.write(new TextEncoder().encode(`${line}\n`));
    let answer = "";
    while (!answer.endsWith("\n")) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`The process ended instead of answering ${line}`);
      answer += value;
    }
    return JSON.parse(answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await this.#reader.cancel();
    await this.#child.status;
  }
}
