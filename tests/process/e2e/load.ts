/**
 * Callers that read and write all the time, and remember the answers they got.
 *
 * @module
 */

import assert from "node:assert/strict";

/** Permitted statuses while the database is away. */
const AWAY = [503, 504];
/** Milliseconds after which an answer counts as missing; `statement_timeout` is half of it. */
const PATIENCE = 60_000;
/** Milliseconds between the requests of a caller: the server that restarts needs the processors, too. */
const REST = 20;

/** Runs from its creation until {@link Load.end}, which throws the first mistake; disposing throws none. */
export class Load implements AsyncDisposable {
  /** Keys of records whose creation was answered with 201. */
  readonly created: string[] = [];
  /** For each record that is changed again and again, the last change that was answered with 204. */
  readonly changed = new Map<string, number>();
  /** Answers by their status. */
  readonly statuses = new Map<number, number>();
  readonly #url: string;
  readonly #callers: readonly Promise<void>[];
  #isOver = false;
  #failure: unknown;

  /** `url` is that of the shop's database: `http://127.0.0.1:8080/db/Shop`. */
  constructor(url: string) {
    this.#url = url;
    const numbers = [0, 1, 2];
    this.#callers = [
      ...numbers.map((caller) => this.#repeat((round) => this.#create(`c${caller}-${round}`))),
      ...["plain", "a__b"].map((key) => this.#repeat((round) => this.#change(key, round))),
      ...["depth=1", "count&limit=5", "stream"].map((query) => this.#repeat(() => this.#read(query))),
    ];
  }

  /** Number of answers with this status. */
  count(status: number): number {
    return this.statuses.get(status) ?? 0;
  }

  /** Throws the first thing that was not as it should be. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Lets every caller have its last answer. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
    this.check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #repeat(call: (round: number) => Promise<void>): Promise<void> {
    for (let round = 1; !this.#isOver; round++) {
      try {
        await call(round);
        await new Promise((resolve) => setTimeout(resolve, REST));
      } catch (error) {
        this.#failure ??= error;
        this.#isOver = true;
      }
    }
  }

  async #create(text: string): Promise<void> {
    const status = await this.#send("POST", "/Tag.json", { Text: text, Meaning: "load" });
    if (status === 201) this.created.push(text);
    else assert.ok(AWAY.includes(status), `${status} for a POST`);
  }

  async #change(key: string, round: number): Promise<void> {
    const status = await this.#send("PUT", `/Tag/Text/${key}.json`, { Meaning: String(round) });
    if (status === 204) this.changed.set(key, round);
    else assert.ok(AWAY.includes(status), `${status} for a PUT`);
  }

  async #read(query: string): Promise<void> {
    const status = await this.#send("GET", `/Item.json?${query}`);
    assert.ok(status === 200 || AWAY.includes(status), `${status} for a GET`);
  }

  async #send(method: string, path: string, record?: Readonly<Record<string, string>>): Promise<number> {
    const body = record && { body: JSON.stringify(record), headers: { "Content-Type": "application/json" } };
    const signal = AbortSignal.timeout(PATIENCE);
    const { status, headers, body: answer } = await fetch(this.#url + path, { method, signal, ...body });
    await answer?.cancel();
    if (status === 503) assert.match(headers.get("Retry-After") ?? "", /^\d+$/);
    this.statuses.set(status, this.count(status) + 1);
    return status;
  }
}
