import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { PoolBusy, type PoolOptions, SessionPool } from "@/plugins/kit/session_pool.ts";

/** A session that notes how it ends. */
class Session {
  alive = true;
  readonly id: number;
  readonly endings: string[];

  constructor(id: number, endings: string[]) {
    this.id = id;
    this.endings = endings;
  }

  end(): Promise<void> {
    this.alive = false;
    this.endings.push(`${this.id} ended`);
    return Promise.resolve();
  }
}

/** A pool of numbered sessions and the list of how they ended. */
function poolOf(
  settings: Partial<PoolOptions<Session>["settings"]> = {},
  open?: () => Promise<Session>,
  others: Pick<PoolOptions<Session>, "patience" | "reset"> = {},
): { readonly pool: SessionPool<Session>; readonly endings: string[] } {
  const endings: string[] = [];
  let count = 0;
  const pool = new SessionPool<Session>({
    settings: { max: 1, acquireTimeout: 5, idleTimeout: 60, ...settings },
    busy: "All sessions are busy",
    ...others,
    open: open ?? (() => Promise.resolve(new Session(++count, endings))),
    stop(session) {
      session.alive = false;
      endings.push(`${session.id} stopped`);
      return Promise.resolve();
    },
  });
  return { pool, endings };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

Deno.test("the session that was released last is used first", async () => {
  const { pool } = poolOf({ max: 2 });
  const [first, second] = await Promise.all([pool.acquire(NEVER), pool.acquire(NEVER)]);
  pool.release(first);
  pool.release(second);
  assert.equal(pool.take(), second);
  assert.equal(pool.take(), first);
  assert.equal(pool.take(), undefined);
  await pool[Symbol.asyncDispose]();
});

Deno.test("a patient pool opens another session for a caller that no session becomes free for", async () => {
  const { pool } = poolOf({ max: 3 }, undefined, { patience: 10 });
  const [first, second] = await Promise.all([pool.acquire(NEVER), pool.acquire(NEVER)]);
  assert.notEqual(first, second);
  await pool[Symbol.asyncDispose]();
});

Deno.test("a patient pool opens no session for callers that are served in time", async () => {
  const { pool } = poolOf({ max: 3 }, undefined, { patience: 60_000 });
  const first = await pool.acquire(NEVER);
  const others = [pool.acquire(NEVER), pool.acquire(NEVER)];
  pool.release(first);
  assert.equal(await others[0], first);
  pool.release(first);
  assert.equal(await others[1], first);
  assert.equal(pool.usage.open, 1);
  await pool[Symbol.asyncDispose]();
});

Deno.test("callers get a session in the order of their calls", async () => {
  const { pool } = poolOf();
  const session = await pool.acquire(NEVER);
  const order: string[] = [];
  const waiting = ["b", "c"].map((name) => pool.acquire(NEVER).then((got) => (order.push(name), got)));
  pool.release(session);
  assert.equal(await waiting[0], session);
  assert.deepEqual(order, ["b"]);
  pool.release(session);
  await waiting[1];
  assert.deepEqual(order, ["b", "c"]);
  await pool[Symbol.asyncDispose]();
});

Deno.test("a discarded session is replaced for the caller that waits", async () => {
  const { pool, endings } = poolOf();
  const first = await pool.acquire(NEVER);
  const waiting = pool.acquire(NEVER);
  pool.discard(first);
  pool.release(first);
  assert.equal((await waiting).id, 2);
  assert.deepEqual(endings, ["1 stopped"]);
  await pool[Symbol.asyncDispose]();
});

Deno.test("an idle session that was lost is not given out", async () => {
  const { pool } = poolOf();
  const first = await pool.acquire(NEVER);
  pool.release(first);
  first.alive = false;
  assert.equal((await pool.acquire(NEVER)).id, 2);
  await pool[Symbol.asyncDispose]();
});

Deno.test("a wait ends with its time, its signal or the pool", async () => {
  const { pool } = poolOf({ acquireTimeout: 0.02 });
  await pool.acquire(NEVER);
  await assert.rejects(pool.acquire(NEVER), PoolBusy);
  await assert.rejects(pool.acquire(NEVER, 0.01), PoolBusy);
  await assert.rejects(pool.acquire(AbortSignal.abort(new Error("gone"))), { message: "gone" });
  const waiting = assert.rejects(pool.acquire(NEVER, 60), { failure: "unavailable" });
  await pool[Symbol.asyncDispose]();
  await waiting;
  await assert.rejects(pool.acquire(NEVER), { message: "The database has been disconnected" });
});

Deno.test("a session that comes while its caller gives up goes to the next one", async () => {
  const { pool } = poolOf();
  const session = await pool.acquire(NEVER);
  const controller = new AbortController();
  const first = assert.rejects(pool.acquire(controller.signal), { message: "gone" });
  pool.release(session);
  controller.abort(new Error("gone"));
  await first;
  assert.equal(await pool.acquire(NEVER), session);
  await pool[Symbol.asyncDispose]();
});

Deno.test("a failure to open goes to the caller that waits longest, and the others are tried again", async () => {
  let tries = 0;
  const { pool } = poolOf({}, () => {
    return ++tries === 1 ? Promise.reject(new Error("refused")) : Promise.resolve(new Session(tries, []));
  });
  const first = assert.rejects(pool.acquire(NEVER), { message: "refused" });
  assert.equal((await pool.acquire(NEVER)).id, 2);
  await first;
  await pool[Symbol.asyncDispose]();
});

Deno.test("a caller waits for a session in use where no further one can be opened", async () => {
  let tries = 0;
  const { pool } = poolOf({ max: 2 }, () => {
    return ++tries > 1 ? Promise.reject(new Error("refused")) : Promise.resolve(new Session(tries, []));
  });
  const first = await pool.acquire(NEVER);
  const waiting = [pool.acquire(NEVER), pool.acquire(NEVER)];
  await pause(10);
  pool.release(first);
  assert.equal(await waiting[0], first);
  assert.equal(tries, 2, "a refused attempt is not repeated at once");
  await pause(1500);
  assert.equal(tries, 3, "it is repeated after a moment");
  pool.discard(first);
  await assert.rejects(Promise.all(waiting), { message: "refused" });
  await pool[Symbol.asyncDispose]();
});

Deno.test("unused sessions end after their time, used ones do not", async () => {
  const { pool, endings } = poolOf({ max: 2, idleTimeout: 0.02 });
  const [first] = await Promise.all([pool.acquire(NEVER), pool.acquire(NEVER)]);
  pool.release(first);
  await pause(60);
  assert.deepEqual(endings, ["1 ended"]);
  await pool[Symbol.asyncDispose]();
  assert.deepEqual(endings, ["1 ended", "2 stopped"]);
});

Deno.test("a session that needs a reset is free after it, and is ended when it fails", async () => {
  const resets = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const waiting = resets.values();
  let needsReset = false;
  const { pool, endings } = poolOf({}, undefined, {
    reset: () => needsReset ? waiting.next().value?.promise : undefined,
  });
  const first = await pool.acquire(NEVER);
  needsReset = true;
  pool.release(first);
  assert.equal(pool.take(), undefined);
  needsReset = false;
  resets[0]?.resolve();
  assert.equal(await pool.acquire(NEVER), first);
  needsReset = true;
  pool.release(first);
  resets[1]?.reject(new Error("lost"));
  assert.equal((await pool.acquire(NEVER)).id, 2);
  assert.deepEqual(endings, ["1 stopped"]);
  await pool[Symbol.asyncDispose]();
});
