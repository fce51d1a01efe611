/**
 * Workers: threads that run the program's module again and listen on the same port. They share nothing else.
 *
 * @module
 */

import { ServiceError } from "./errors.ts";
import type { Server } from "./listen.ts";

/** A worker as the thread that started it sees it. */
export interface ServingWorker {
  /** Stops accepting, waits for what is in flight, and ends the thread. */
  stop(): Promise<void>;
}

/** What a worker runs. */
export interface Serving extends AsyncDisposable {
  readonly server: Server;
}

type ToWorker<Order> = { readonly kind: "start"; readonly order: Order } | { readonly kind: "stop" };
type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly message: string };

/** Starts workers and waits until all of them listen. Throws a {@link ServiceError} where one cannot start. */
export async function startWorkers<Order>(
  module: string,
  count: number,
  order: Order,
): Promise<readonly ServingWorker[]> {
  return await Promise.all(Array.from({ length: count }, () => startWorker(module, order)));
}

async function startWorker<Order>(module: string, order: Order): Promise<ServingWorker> {
  const worker = new Worker(module, { type: "module" });
  const ask = async (message: ToWorker<Order>) => {
    const { promise, resolve } = Promise.withResolvers<FromWorker>();
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve({ kind: "failed", message: event.message });
    };
    worker.postMessage(message);
    return await promise;
  };
  const answer = await ask({ kind: "start", order });
  if (answer.kind === "failed") {
    throw new ServiceError("internal", `A worker cannot start: ${answer.message}`);
  }
  return {
    stop: async () => {
      await ask({ kind: "stop" });
      worker.terminate();
    },
  };
}

/** The other end of {@link startWorkers}: does what it is told until it is told to stop, with `grace` milliseconds for that. */
export function runAsWorker<Order>(start: (order: Order) => Promise<Serving>, grace: number): void {
  const scope = globalThis as unknown as Pick<Worker, "onmessage" | "postMessage">;
  const send = (message: FromWorker) => scope.postMessage(message);
  let started: Serving | undefined;
  const handle = async (message: ToWorker<Order>) => {
    if (message.kind === "start") {
      started = await start(message.order);
      send({ kind: "ready" });
      return;
    }
    await started?.server.stop(grace);
    await started?.[Symbol.asyncDispose]();
    send({ kind: "stopped" });
  };
  scope.onmessage = ({ data }: MessageEvent<ToWorker<Order>>) => {
    handle(data).catch((error: unknown) => send({ kind: "failed", message: String(error) }));
  };
}
