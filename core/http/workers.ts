/**
 * Workers: threads that run the main module again and listen on the same port. They share nothing else.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Server } from "./listen.ts";

/** A worker from the view of the main thread. */
export interface ServingWorker {
  /** Resolves with the reason when the worker has ended or cannot accept connections any more. */
  readonly lost: Promise<Error>;
  /** Stops accepting, waits up to `grace` milliseconds for running requests, and ends the thread. May be called again. */
  stop(grace: number): Promise<void>;
}

/** The server that a worker runs. */
export interface Serving extends AsyncDisposable {
  readonly server: Server;
}

type ToWorker<Order> =
  | { readonly kind: "start"; readonly order: Order }
  | { readonly kind: "stop"; readonly grace: number };
type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "stopped" }
  /** The worker cannot start or serve any more. */
  | { readonly kind: "failed"; readonly message: string };

/** Starts workers and waits until all of them listen. Throws a {@link ServiceError} if one cannot start. */
export async function startWorkers<Order>(
  module: string,
  count: number,
  order: Order,
): Promise<readonly ServingWorker[]> {
  return await Promise.all(Array.from({ length: count }, () => startWorker(module, order)));
}

async function startWorker<Order>(module: string, order: Order): Promise<ServingWorker> {
  const worker = new Worker(module, { type: "module" });
  const tell = (message: ToWorker<Order>) => worker.postMessage(message);
  const started = nextOf(worker);
  tell({ kind: "start", order });
  const answer = await started;
  if (answer.kind === "failed") {
    throw new ServiceError("internal", `A worker cannot start: ${answer.message}`);
  }
  const ended = nextOf(worker);
  return {
    lost: ended.then((message) => new Error(message.kind === "failed" ? message.message : "It was stopped")),
    stop: async (grace) => {
      tell({ kind: "stop", grace });
      await ended;
      worker.terminate();
    },
  };
}

/** The next message of a worker, or its failure. */
async function nextOf(worker: Worker): Promise<FromWorker> {
  const { promise, resolve } = Promise.withResolvers<FromWorker>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ kind: "failed", message: event.message });
  };
  return await promise;
}

/** The worker's side of {@link startWorkers}: follows its order until it is stopped. */
export function runAsWorker<Order>(start: (order: Order) => Promise<Serving>): void {
  const scope = globalThis as unknown as Pick<Worker, "onmessage" | "postMessage">;
  const send = (message: FromWorker) => scope.postMessage(message);
  let started: Serving | undefined;
  const handle = async (message: ToWorker<Order>) => {
    if (message.kind === "start") {
      started = await start(message.order);
      send({ kind: "ready" });
      void started.server.lost.then((error) => send({ kind: "failed", message: error.message }));
      return;
    }
    await started?.server.stop(message.grace);
    await started?.[Symbol.asyncDispose]();
    send({ kind: "stopped" });
  };
  scope.onmessage = ({ data }: MessageEvent<ToWorker<Order>>) => {
    handle(data).catch((error: unknown) => send({ kind: "failed", message: String(error) }));
  };
}
