/**
 * The workers of one process as each other's sources: an answer about the process has the parts of all of
 * them, whichever worker is asked.
 *
 * @module
 */

interface GroupOptions {
  /** The name that the workers of this process share, and no other process of the machine needs to know. */
  readonly channel: string;
  readonly workers: number;
  /** The main thread, which outlives the others and keeps the last answers of those that died. */
  readonly isKeeper: boolean;
  /** Milliseconds between two signs of life. Default: 1000. */
  readonly beat?: number;
}

/**
 * The answer of one worker. `isPresent` is false for the last answer of a worker that does not answer now.
 */
export interface Part {
  readonly value: unknown;
  readonly isPresent: boolean;
}

type Message =
  | { readonly kind: "beat"; readonly from: string }
  | { readonly kind: "news"; readonly subject: string; readonly news: string | undefined }
  | {
    readonly kind: "ask" | "answer";
    readonly id: string;
    readonly question: string;
    readonly from: string;
    readonly value: unknown;
  }
  | { readonly kind: "kept"; readonly id: string; readonly values: ReadonlyMap<string, unknown> };

interface Waiting {
  readonly answers: Map<string, unknown>;
  kept: ReadonlyMap<string, unknown> | undefined;
  readonly all: PromiseWithResolvers<void>;
}

/** Milliseconds that an answer may take. A worker is late while it works on something long. */
const PATIENCE = 1000;
/** Missed signs of life after which a worker counts as silent. */
const MISSED = 10;
/** Dead workers whose last answers are kept, beside those of the living. */
const MOST_DEAD = 50;

/** One worker's end of the group. A single worker has no channel. */
export class WorkerGroup implements Disposable {
  readonly #options: GroupOptions;
  readonly #me = crypto.randomUUID();
  #channel: BroadcastChannel | undefined;
  readonly #sources = new Map<string, () => unknown>();
  #listener: ((subject: string, news: string | undefined) => void) | undefined;
  readonly #waiting = new Map<string, Waiting>();
  /** The last sign of life of each other worker, in milliseconds of `performance.now()`. */
  readonly #beats = new Map<string, number>();
  /** The last answers by question and worker. Only the keeper has them. */
  readonly #kept = new Map<string, Map<string, unknown>>();
  readonly #began = performance.now();
  #timer: ReturnType<typeof setInterval> | undefined;
  #known = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
    if (options.workers < 2) return;
    this.#channel = new BroadcastChannel(`rowhouse ${options.channel}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    const beat = () => this.#say({ kind: "beat", from: this.#me });
    beat();
    this.#timer = setInterval(beat, this.#beat);
    this.#timer.unref();
  }

  /**
   * Tells this worker's answer to a question of the group, which may take time and never fails. It is copied
   * between threads, so it is data.
   */
  answers(question: string, give: () => unknown): void {
    this.#sources.set(question, give);
  }

  /** The worker threads of the process, the main thread included. */
  get workers(): number {
    return this.#options.workers;
  }

  /** Tells the other workers the news of a subject. */
  tell(subject: string, news: string | undefined): void {
    this.#say({ kind: "news", subject, news });
  }

  /** Calls the listener with the news that other workers tell. */
  hear(listener: (subject: string, news: string | undefined) => void): void {
    this.#listener = listener;
  }

  /** The answers of all workers, this one first. */
  async ask(question: string): Promise<readonly Part[]> {
    const own: Part = { value: await this.#sources.get(question)?.(), isPresent: true };
    if (!this.#channel) return [own];
    const id = crypto.randomUUID();
    const waiting: Waiting = { answers: new Map(), kept: undefined, all: Promise.withResolvers() };
    this.#waiting.set(id, waiting);
    this.#keep(question, this.#me, own.value);
    this.#say({ kind: "ask", id, question, from: this.#me, value: own.value });
    const timer = setTimeout(() => waiting.all.resolve(), PATIENCE);
    await waiting.all.promise;
    clearTimeout(timer);
    this.#waiting.delete(id);
    const kept = this.#options.isKeeper ? this.#keptFor(question) : waiting.kept ?? new Map();
    const absent = [...kept].filter(([worker]) => worker !== this.#me && !waiting.answers.has(worker));
    return [
      own,
      ...[...waiting.answers.values()].map((value) => ({ value, isPresent: true })),
      ...absent.map(([, value]) => ({ value, isPresent: false })),
      // A worker that is still starting has no answer yet.
    ].filter(({ value }) => value !== undefined);
  }

  /** Workers that have given no sign of life for ten beats; a worker that has just started knows of none. */
  get silent(): number {
    if (!this.#channel || performance.now() - this.#began < MISSED * this.#beat) return 0;
    const since = performance.now() - MISSED * this.#beat;
    const alive = [...this.#beats.values()].filter((at) => at > since).length;
    return Math.max(0, this.#options.workers - 1 - alive);
  }

  /** Workers that have taken the place of others since the start, as the keeper knows. */
  get restarts(): number {
    return this.#options.isKeeper ? Math.max(0, this.#known - (this.#options.workers - 1)) : 0;
  }

  /** The main thread: it does and logs what is done and noticed once for the process. */
  get isKeeper(): boolean {
    return this.#options.isKeeper;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#channel?.close();
    this.#channel = undefined;
    for (const { all } of this.#waiting.values()) all.resolve();
  }

  get #beat(): number {
    return this.#options.beat ?? 1000;
  }

  #say(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case "beat":
        if (!this.#beats.has(message.from)) this.#known++;
        this.#beats.set(message.from, performance.now());
        this.#forget();
        return;
      case "news":
        return this.#listener?.(message.subject, message.news);
      case "ask":
      case "answer":
        this.#keep(message.question, message.from, message.value);
        if (message.kind === "ask") return void this.#answer(message.id, message.question);
        this.#waiting.get(message.id)?.answers.set(message.from, message.value);
        return this.#settle(message.id);
      case "kept": {
        const waiting = this.#waiting.get(message.id);
        if (waiting) waiting.kept = message.values;
        return this.#settle(message.id);
      }
    }
  }

  async #answer(id: string, question: string): Promise<void> {
    const value = await this.#sources.get(question)?.();
    this.#keep(question, this.#me, value);
    this.#say({ kind: "answer", id, question, from: this.#me, value });
    if (this.#options.isKeeper) this.#say({ kind: "kept", id, values: this.#keptFor(question) });
  }

  #settle(id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    const hasKept = this.#options.isKeeper || waiting.kept !== undefined;
    if (hasKept && waiting.answers.size >= this.#options.workers - 1) waiting.all.resolve();
  }

  #keep(question: string, worker: string, value: unknown): void {
    if (this.#options.isKeeper) this.#keptFor(question).set(worker, value);
  }

  #keptFor(question: string): Map<string, unknown> {
    return this.#kept.getOrInsertComputed(question, () => new Map());
  }

  /** Bounds what is kept of dead workers, which a program that dies again and again would make grow. */
  #forget(): void {
    const surplus = this.#beats.size - this.#options.workers - MOST_DEAD;
    const oldest = [...this.#beats].toSorted(([, one], [, other]) => one - other).slice(
      0,
      Math.max(0, surplus),
    );
    for (const [worker] of oldest) {
      this.#beats.delete(worker);
      for (const values of this.#kept.values()) values.delete(worker);
    }
  }
}
