/**
 * Workers: threads that run the main module again and listen on the same port. They share nothing
 * else. A thread that ends is replaced.
 *
 * @module
 */

import { messageIn, ServiceError } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import type { Server } from "./listen.ts";

interface WorkerOptions<Order> {
  /** The URL of the module that calls {@link runAsWorker}. */
  readonly module: string;
  readonly count: number;
  /** The order of each thread. */
  readonly order: Order;
  readonly log: Log;
  /** Seconds without a sign of life after which a thread counts as dead. Default: 30. */
  readonly patience?: number;
  /**
   * Milliseconds before a thread that ended is replaced; it doubles up to a minute while
   * threads end at once. Default: 1000.
   */
  readonly pause?: number;
}

/** Requests whose answers had not begun when a server was to end, and when it ended. */
export interface Stopped {
  readonly running: number;
  readonly cutOff: number;
}

/** The requests of all servers together. */
export function sumOf(all: readonly Stopped[]): Stopped {
  return {
    running: all.reduce((sum, { running }) => sum + running, 0),
    cutOff: all.reduce((sum, { cutOff }) => sum + cutOff, 0),
  };
}

/** Something that serves and can be stopped. */
export interface Stopping {
  /** Says to clients and load balancers that the end is near. */
  drain(): void;
  /** Stops accepting and waits up to `grace` milliseconds for running requests. May be called again. */
  stop(grace: number): Promise<Stopped>;
}

/** The server that a worker runs. */
export interface Serving extends Stopping, AsyncDisposable {
  readonly server: Pick<Server, "lost">;
}

type ToWorker<Order> =
  | { readonly kind: "start"; readonly order: Order; readonly lock: string }
  | { readonly kind: "drain" }
  | { readonly kind: "stop"; readonly grace: number };
type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "beat" }
  | ({ readonly kind: "stopped" } & Stopped)
  /** The worker cannot start or serve any more. */
  | { readonly kind: "failed"; readonly message: string };

/** Milliseconds between two signs of life, and between two looks at them. */
const BEAT = 1000;
const LONGEST_PAUSE = 60_000;
/** Milliseconds in which a thread has to listen. */
const START = 60_000;
/**
 * Milliseconds for closing databases and files after the last request: one
 * that is connecting may take longer.
 */
export const CLOSING = 2000;
/**
 * Milliseconds in which a thread that was told to stop, or terminated, ends. Deno
 * terminates it after two seconds.
 */
const ENDING = 5000;

/** Running threads, and their replacement until they are stopped. */
export class Workers<Order> implements Stopping {
  readonly #options: WorkerOptions<Order>;
  readonly #threads = new Set<Thread<Order>>();
  readonly #lost = Promise.withResolvers<Error>();
  /**
   * Resolves with the reason when a thread neither works nor ends. Deno cannot end a thread that never
   * returns, and the system goes on giving it connections, so only the end of the process helps.
   */
  readonly lost: Promise<Error> = this.#lost.promise;
  readonly #stopping = Promise.withResolvers<void>();
  #hasStopped = false;

  private constructor(options: WorkerOptions<Order>) {
    this.#options = options;
  }

  /** Waits until all of them listen. Throws a {@link ServiceError} if one cannot start. */
  static async start<Order>(options: WorkerOptions<Order>): Promise<Workers<Order>> {
    const workers = new Workers(options);
    await Promise.all(Array.from({ length: options.count }, () => workers.#add(options.pause ?? BEAT)));
    return workers;
  }

  drain(): void {
    for (const thread of this.#threads) thread.drain();
  }

  /** Also ends the threads. */
  async stop(grace: number): Promise<Stopped> {
    this.#hasStopped = true;
    this.#stopping.resolve();
    return sumOf(await Promise.all([...this.#threads].map((thread) => thread.stop(grace))));
  }

  async #add(pause: number): Promise<void> {
    const thread = new Thread(this.#options);
    await thread.start(this.#options.order);
    const began = performance.now();
    this.#threads.add(thread);
    void thread.ended.then((reason) => {
      this.#threads.delete(thread);
      const hasLived = performance.now() - began > LONGEST_PAUSE;
      void this.#replace(thread, reason, hasLived ? this.#options.pause ?? BEAT : pause);
    });
  }

  async #replace(thread: Thread<Order>, reason: string, pause: number): Promise<void> {
    if (this.#hasStopped) return;
    this.#options.log.error(`A worker thread is dead: ${reason}`);
    if (!await thread.terminate()) {
      this.#lost.resolve(new Error(`A worker thread is dead and does not end: ${reason}`));
      return;
    }
    const next = Math.min(2 * pause, LONGEST_PAUSE);
    if (await settlesWithin(this.#stopping.promise, pause)) return;
    try {
      await this.#add(next);
      this.#options.log.info("Another worker thread has taken its place");
    } catch (error) {
      await this.#replace(thread, messageIn(error), next);
    }
  }
}

/** The Web Locks of all threads, which Deno's types lack. */
interface Locks {
  request(name: string, hold: () => void | Promise<void>): Promise<void>;
}

const { locks } = navigator as unknown as { readonly locks: Locks };

/**
 * One thread. It holds a lock of the runtime as long as it lives, because Deno sends no
 * event when a thread ends itself.
 */
class Thread<Order> {
  readonly #patience: number;
  readonly #worker: Worker;
  readonly #lock = `rowhouse worker ${crypto.randomUUID()}`;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<string>();
  /** Resolves with the reason when the thread does not serve any more. */
  readonly ended: Promise<string> = this.#ended.promise;
  #gone: Promise<void> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  /**
   * Looks since the last sign of life. Looks are counted, because time also
   * passes while the whole process sleeps.
   */
  #missed = 0;
  #stopped: Stopped = { running: 0, cutOff: 0 };

  constructor({ module, patience = 30 }: WorkerOptions<Order>) {
    this.#patience = patience;
    this.#worker = new Worker(module, { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#ended.resolve(event.message);
    };
  }

  async start(order: Order): Promise<void> {
    this.#tell({ kind: "start", order, lock: this.#lock });
    const failed = this.ended.then((reason) => {
      throw new ServiceError("internal", `A worker cannot start: ${reason}`);
    });
    try {
      if (await settlesWithin(Promise.race([this.#ready.promise, failed]), START)) return this.#follow();
      throw new ServiceError(
        "internal",
        `A worker cannot start: it says nothing for ${START / 1000} seconds`,
      );
    } catch (error) {
      this.#worker.terminate();
      throw error;
    }
  }

  drain(): void {
    this.#tell({ kind: "drain" });
  }

  async stop(grace: number): Promise<Stopped> {
    this.#tell({ kind: "stop", grace });
    await settlesWithin(this.ended, grace + ENDING);
    clearInterval(this.#watch);
    this.#worker.terminate();
    return this.#stopped;
  }

  /** False: the thread does not end. */
  async terminate(): Promise<boolean> {
    clearInterval(this.#watch);
    this.#worker.terminate();
    return await settlesWithin(this.#gone ?? Promise.resolve(), ENDING);
  }

  #follow(): void {
    this.#gone = locks.request(this.#lock, () => this.#ended.resolve("it has ended itself"));
    this.#watch = setInterval(() => {
      if (++this.#missed > this.#patience) {
        this.#ended.resolve(`no sign of life for ${this.#patience} seconds`);
      }
    }, BEAT);
  }

  #hear(message: FromWorker): void {
    this.#missed = 0;
    if (message.kind === "ready") this.#ready.resolve();
    if (message.kind === "stopped") {
      this.#stopped = message;
      this.#ended.resolve("it was stopped");
    }
    if (message.kind === "failed") this.#ended.resolve(message.message);
  }

  #tell(message: ToWorker<Order>): void {
    this.#worker.postMessage(message);
  }
}

/** The worker's side of {@link Workers}: follows its order until it is stopped. */
export function runAsWorker<Order>(start: (order: Order) => Promise<Serving>): void {
  const scope = globalThis as unknown as Pick<Worker, "onmessage" | "postMessage">;
  const send = (message: FromWorker) => scope.postMessage(message);
  let started: Serving | undefined;
  const handle = async (message: ToWorker<Order>) => {
    if (message.kind === "start") {
      void locks.request(message.lock, () => new Promise<never>(() => {}));
      started = await start(message.order);
      send({ kind: "ready" });
      setInterval(() => send({ kind: "beat" }), BEAT);
      void started.server.lost.then((error) => send({ kind: "failed", message: error.message }));
      return;
    }
    if (message.kind === "drain") return started?.drain();
    const stopped = await started?.stop(message.grace) ?? { running: 0, cutOff: 0 };
    if (started) await settlesWithin(Promise.resolve(started[Symbol.asyncDispose]()), CLOSING);
    send({ kind: "stopped", ...stopped });
  };
  scope.onmessage = ({ data }: MessageEvent<ToWorker<Order>>) => {
    handle(data).catch((error: unknown) => send({ kind: "failed", message: String(error) }));
  };
}
