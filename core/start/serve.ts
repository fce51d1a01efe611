/**
 * The command `serve`: creates the files of the first run, starts workers, listens on the port, and stops.
 *
 * @module
 */

import { randomBytes, randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ServeCommand } from "@/config/command_line.ts";
import { loadConfiguration, reloadConfiguration } from "@/config/mod.ts";
import { counted } from "@/core/base/counted.ts";
import { hardFileLimit } from "@/core/http/connection_limit.ts";
import { isLoopback } from "@/core/http/probes.ts";
import { CLOSING, runAsWorker, type Stopped, type Stopping, sumOf, Workers } from "@/core/http/workers.ts";
import { logStrayFailures } from "@/core/storage/log.ts";
import project from "@/deno.json" with { type: "json" };
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { fail, tell } from "./console.ts";
import { announceFirstRun, type DemoSource, prepareFirstRun } from "./first_run_files.ts";
import { listenForSignals } from "./signals.ts";
import { prefixOf, type Started, startWorker, type WorkerStart } from "./start_worker.ts";
import { holdState } from "./state_lock.ts";

/**
 * Milliseconds that listening waits for databases to connect: one silent server must not hold up the others.
 */
const PATIENCE = 1000;
/** The exit code after SIGINT. */
const INTERRUPTED = 130;

/** The parts of the program that `serve` needs. */
interface Program extends DemoSource {
  /** The URL of its main module; workers run it, too. */
  readonly module: string;
}

/** Serves until a signal comes or the port is lost; returns the exit code. */
export async function serve(command: ServeCommand, program: Program): Promise<number> {
  await prepareFirstRun(command.directories, program);
  using _held = holdState(command.directories.state);
  const environment = Deno.env.toObject();
  const written = loadConfiguration(command.directories, environment);
  const firstRunToken = randomBytes(15).toString("base64url");
  const hardLimit = await hardFileLimit();
  const channel = randomUUID();
  const { port, workers: count } = command;
  const place = { port, workers: count, hardLimit, firstRunToken, channel, began: Date.now() };
  const keeper = { ...place, isKeeper: true };
  const first = await startWorker({
    command,
    place: keeper,
    written,
    environment,
    patience: PATIENCE,
    guard: logStrayFailures,
  });
  const signals = listenForSignals();
  const order = { command, place: { ...place, port: first.server.port }, written };
  const { module } = program;
  const workers = await Workers.start({ module, count: count - 1, order, log: first.log });
  const address = `http://${hostInUrl(command.host)}:${first.server.port}${prefixOf(command)}`;
  first.log.info(describeStart(first, command, address));
  // Other machines reach `Deno.serve`. A proxy on this machine keeps slow clients away from it.
  if (first.adapter === "deno" && !isLoopback(command.host)) first.log.warn(EXPOSED);
  // Not every browser opens the host of all addresses, and a machine may have no IPv4.
  const here = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const link = command.baseUrl ?? here;
  if (first.isFirstRun) announceFirstRun(command.directories, link, firstRunToken);
  tell([`listening on ${address}/`], Deno.stdout);
  const reason = await Promise.race([signals.first, first.server.lost, workers.lost]);
  const isLost = reason instanceof Error;
  first.log[isLost ? "error" : "info"](`The service stops: ${isLost ? reason.message : reason}`);
  const { "server.drain": drain, "server.grace": grace } = written.settings;
  const stopping = stopAll([first, workers], { drain: isLost ? 0 : drain, grace });
  const ended = await Promise.race([stopping, signals.insistence]);
  const { running, cutOff } = ended ?? await stopAll([first, workers], { drain: 0, grace: 0 });
  first.log.info(`The service has stopped; requests that were running: ${running}, cut off: ${cutOff}`);
  await settlesWithin(Promise.resolve(first[Symbol.asyncDispose]()), CLOSING);
  const code = ended ? 0 : INTERRUPTED;
  return isLost ? fail(1, [reason.message]) : code;
}

/** Stops everything that serves: `drain` and `grace` are seconds. */
async function stopAll(
  all: readonly Stopping[],
  { drain, grace }: { readonly drain: number; readonly grace: number },
): Promise<Stopped> {
  for (const each of all) each.drain();
  await setTimeout(1000 * drain);
  return sumOf(await Promise.all(all.map((each) => each.stop(1000 * grace))));
}

const EXPOSED =
  "The deno adapter closes neither connections that send their headers slowly nor idle ones: use --adapter node, or " +
  "a loopback --host behind a proxy that does";

/** One line with everything that a reader of the log has to know about this process. */
function describeStart(
  { adapter, limit, settings }: Started,
  command: ServeCommand,
  address: string,
): string {
  const { config, state, log } = command.directories;
  const { workers } = command;
  return [
    `Version ${project.version} on Deno ${Deno.version.deno} serves ${address}/`,
    `adapter ${adapter}, ${counted(workers, "worker")}`,
    `configuration ${resolve(config)}, state ${resolve(state)}, log ${resolve(log)}`,
    `in each worker at most ${limit.connections} connections, ${
      settings["server.answer_memory"]
    } bytes of answers ` +
    `and ${settings["server.body_memory"]} bytes of bodies`,
  ].join("; ");
}

function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/**
 * The main module in a worker's thread: serves as the main thread orders. A thread that takes the place of
 * another has the settings of the start, as the others have.
 */
export function serveAsWorker(): void {
  const environment = Deno.env.toObject();
  runAsWorker<Pick<WorkerStart, "command" | "place" | "written">>((order) =>
    startWorker({
      ...order,
      written: reloadConfiguration(order.written, environment, new Map()),
      environment,
      patience: PATIENCE,
      guard: logStrayFailures,
    })
  );
}
