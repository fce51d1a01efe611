/**
 * Clients that write into one SQLite file all the time, and remember every write that was acknowledged.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { Handle } from "@/plugins/dialects/sqlite/driver.ts";
import { makeHome } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { fetchInTime } from "@/tests/support/until.ts";

/** Triggers repeat every change, so that a part of a request would be seen. */
const SCHEMA = `
CREATE TABLE Entry (Id INTEGER PRIMARY KEY, Text TEXT NOT NULL UNIQUE);
CREATE TABLE Echo (Text TEXT NOT NULL UNIQUE);
CREATE TRIGGER entry_echo AFTER INSERT ON Entry BEGIN INSERT INTO Echo VALUES (new.Text); END;
CREATE TABLE Counter (Key TEXT PRIMARY KEY, Value INTEGER NOT NULL);
CREATE TABLE Step (Key TEXT NOT NULL, Value INTEGER NOT NULL, PRIMARY KEY (Key, Value));
CREATE TRIGGER counter_step AFTER UPDATE ON Counter BEGIN INSERT INTO Step VALUES (new.Key, new.Value); END;
`;
const CLIENTS = 12;
/** Milliseconds between the requests of a client: the processes that are tested need the processors, too. */
const REST = 4;

/** A definition in databases.cfg. */
interface OtherDatabase {
  /** Its members. */
  readonly members: string;
  /** The members of a user's login for it. */
  readonly login?: string;
}

/** A home directory with the database. */
export class Home implements AsyncDisposable {
  readonly directory: string;
  readonly file: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.file = join(directory, "state", "log.db");
  }

  /** `others`: further databases that everybody may use. */
  static async make(others: Readonly<Record<string, OtherDatabase>> = {}): Promise<Home> {
    const counters = Array.from(
      { length: CLIENTS },
      (_, client) => `INSERT INTO Counter VALUES ('c${client}', 0);`,
    );
    return new Home(
      await makeHome({
        files: {
          "config/service.ini": "[service]\n",
          "config/users.cfg": `admin: {}\npublic:\n  databases: {Log: {}${
            Object.entries(others).map(([name, { login = "" }]) => `, ${name}: {${login}}`).join("")
          }}\n`,
          "config/databases.cfg": "Log: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/log.db'}\n" +
            Object.entries(others).map(([name, { members }]) => `${name}: {${members}}\n`).join(""),
        },
        sqlite: { Log: SCHEMA + counters.join("\n") },
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** The clients, and what was acknowledged to them in all rounds. */
export class Clients {
  readonly texts: string[] = [];
  /** The last acknowledged value of each counter. */
  readonly counters = new Map<string, number>();
  /** Answers that refuse a write. */
  refused = 0;
  #number: number;
  #acknowledged = 0;
  #running: Promise<unknown> | undefined;
  #isStopping = false;

  /**
   * `first` is the first number in texts: clients of one database need others. `refusals` are the answers
   * that refuse a write, which may be stored all the same.
   */
  constructor(first = 0, readonly refusals: readonly number[] = [503, 507]) {
    this.#number = first;
  }

  /** Writes until {@link stop}, or until the service answers no more. */
  start(url: string): void {
    this.#isStopping = false;
    this.#running = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#run(url, client)));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Resolves after this number of further acknowledged writes. */
  async untilMore(count: number): Promise<void> {
    const before = this.#acknowledged;
    await this.#until(() => this.#acknowledged >= before + count);
  }

  async untilRefused(): Promise<void> {
    const before = this.refused;
    await this.#until(() => this.refused > before);
  }

  async #until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (!condition()) {
      assert.ok(
        Date.now() < deadline,
        `It has not happened: ${this.#acknowledged} writes, ${this.refused} refused`,
      );
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async #run(url: string, client: number): Promise<void> {
    for (let round = 0; !this.#isStopping; round++) {
      const isGone = round % 3 === 0 ? await this.#count(url, `c${client}`) : await this.#add(url, round % 3);
      if (isGone) return;
      await new Promise((resolve) => setTimeout(resolve, REST));
    }
  }

  /** One request that adds this number of records. */
  async #add(url: string, count: number): Promise<boolean> {
    const number = this.#number++;
    const texts = Array.from({ length: count }, (_, at) => `${number}-${at}`);
    const status = await send(`${url}/db/Log/Entry.json`, "POST", texts.map((Text) => ({ Text })));
    if (status === 201) this.texts.push(...texts);
    this.#note(status);
    return status === undefined;
  }

  async #count(url: string, key: string): Promise<boolean> {
    // A value that was not acknowledged may be stored, so each attempt has another one.
    const value = ++this.#number;
    const status = await send(`${url}/db/Log/Counter/Key/${key}.json`, "PUT", { Value: value });
    if (status !== undefined && status < 300) this.counters.set(key, value);
    this.#note(status);
    return status === undefined;
  }

  #note(status: number | undefined): void {
    if (status === undefined) return;
    if (status < 300) {
      this.#acknowledged++;
      return;
    }
    assert.ok(this.refusals.includes(status), `The answer is ${status}`);
    this.refused++;
  }
}

/** The status of the answer; undefined without an answer. */
async function send(url: string, method: string, body: unknown): Promise<number | undefined> {
  try {
    const headers = { "Content-Type": "application/json" };
    return await statusOf(fetchInTime(url, { method, headers, body: JSON.stringify(body) }));
  } catch (error) {
    // The connection has ended.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Every acknowledged write is stored, no request is half done, and the file is in order. */
export function assertDurable(
  { file }: Pick<Home, "file">,
  { texts, counters }: Pick<Clients, "texts" | "counters">,
): void {
  const handle = new Handle(file, { readonly: true });
  try {
    const rows = (sql: string) => handle.prepare(sql).raw().all([]) as readonly (readonly unknown[])[];
    assert.deepEqual(rows("PRAGMA integrity_check"), [["ok"]]);
    const stored = new Set(rows("SELECT Text FROM Entry").map(([text]) => text));
    assert.deepEqual(texts.filter((text) => !stored.has(text)), []);
    const pairs = [...stored].filter((text) => String(text).endsWith("-1"));
    assert.deepEqual(pairs.filter((text) => !stored.has(String(text).replace(/1$/, "0"))), []);
    assert.deepEqual(rows("SELECT Text FROM Entry EXCEPT SELECT Text FROM Echo"), []);
    assert.deepEqual(rows("SELECT Text FROM Echo EXCEPT SELECT Text FROM Entry"), []);
    const steps = new Set(rows("SELECT Key, Value FROM Step").map((step) => step.join()));
    assert.deepEqual([...counters].filter((counter) => !steps.has(counter.join())), []);
    assert.deepEqual(
      rows(
        `SELECT Key, Value FROM Counter WHERE Value > 0 AND (Key, Value) NOT IN (SELECT Key, Value FROM Step)`,
      ),
      [],
    );
  } finally {
    handle.close();
  }
}
