/**
 * A worker without a service, which does what its order says.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises";
import { runAsWorker } from "@/core/http/workers.ts";

/**
 * What becomes of the thread after it has started; a file with `live` in it changes that for later threads.
 */
export interface WorkerOrder {
  readonly file: string;
}

runAsWorker<WorkerOrder>(async ({ file }) => {
  const fate = await Deno.readTextFile(file);
  if (fate === "refuse") throw new Error("The configuration is wrong");
  const lost = Promise.withResolvers<Error>();
  void setTimeout(20).then(async () => {
    // A test that reads the file afterwards knows that this thread has met its fate.
    if (fate !== "live") await Deno.writeTextFile(file, "live");
    if (fate === "close") globalThis.close();
    if (fate === "exit") Deno.exit(3);
    if (fate === "throw") reportError(new Error("No such thing"));
    if (fate === "lose") lost.resolve(new Error("The port is gone"));
    if (fate === "block") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
  const stop = () => Promise.resolve({ running: 2, cutOff: 1 });
  return { server: { lost: lost.promise }, drain() {}, stop, [Symbol.asyncDispose]: () => Promise.resolve() };
});
