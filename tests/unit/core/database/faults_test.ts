import assert from "node:assert/strict";
import { Faults } from "@/core/database/faults.ts";

/** Timers that go off when the test says so. */
class Timers implements Disposable {
  readonly #set = globalThis.setTimeout;
  #waiting: (() => void)[] = [];

  constructor() {
    const set = (handle: () => void, milliseconds: number) => {
      assert.equal(milliseconds, 60_000);
      this.#waiting.push(handle);
      return { unref: () => {} };
    };
    globalThis.setTimeout = set as unknown as typeof setTimeout;
  }

  passMinute(): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const handle of due) handle();
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#set;
  }
}

/** Faults of a database, and the lines of their log. */
function watched() {
  const lines: string[] = [];
  const log = {
    info: () => {},
    warn: (line: string) => void lines.push(`WARN ${line}`),
    error: (line: string) => void lines.push(`ERROR ${line}`),
  };
  return { lines, faults: new Faults("D", log) };
}

const FULL = new Error("disk full");
const BUSY = new Error("all in use");

Deno.test("a fault is a line at once, and then one a minute with the number of requests, while there are any", () => {
  using timers = new Timers();
  const { lines, faults } = watched();
  for (let time = 0; time < 4; time++) faults.note("storage", FULL);
  assert.deepEqual(lines.splice(0), ["ERROR D: its storage fails: disk full (1 request failed)"]);
  timers.passMinute();
  assert.deepEqual(lines.splice(0), ["ERROR D: its storage fails: disk full (3 requests failed)"]);
  timers.passMinute();
  timers.passMinute();
  assert.deepEqual(lines.splice(0), []);
  faults.note("storage", FULL);
  assert.deepEqual(lines, ["ERROR D: its storage fails: disk full (1 request failed)"]);
});

Deno.test("a full disk is told also while connections are all in use, and is the reason", () => {
  using timers = new Timers();
  const { lines, faults } = watched();
  faults.note("unavailable", BUSY);
  assert.equal(faults.reason, "it does not serve all requests: all in use");
  faults.note("storage", FULL);
  faults.note("unavailable", BUSY);
  assert.deepEqual(lines.splice(0), [
    "WARN D: it does not serve all requests: all in use (1 request failed)",
    "ERROR D: its storage fails: disk full (1 request failed)",
  ]);
  assert.equal(faults.reason, "its storage fails: disk full");
  faults.note("storage", FULL);
  timers.passMinute();
  assert.deepEqual(lines, [
    "WARN D: it does not serve all requests: all in use (1 request failed)",
    "ERROR D: its storage fails: disk full (1 request failed)",
  ]);
  assert.deepEqual(faults.counts, { storage: 2, corrupt: 0, unavailable: 2 });
});

Deno.test("a damaged file is the reason until somebody says that it is sound", () => {
  using _timers = new Timers();
  const { faults } = watched();
  faults.note("corrupt", new Error("malformed"));
  faults.note("unavailable", BUSY);
  faults.note("storage", FULL);
  assert.equal(faults.reason, "its file is damaged and takes no more writes: malformed");
  faults.clear();
  assert.equal(faults.reason, undefined);
});
