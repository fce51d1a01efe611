/**
 * The command `serve`: creates the files of the first run, starts workers, listens on the port, and stops.
 *
 * @module
 */

import { randomBytes, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ServeCommand } from "@/config/command_line.ts";
import type { Configuration, Directories, Environment } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import { wantedPlugins } from "@/core/definitions/plugin_list.ts";
import { createApp } from "@/core/http/app.ts";
import { type ConnectionLimit, connectionLimit, hardFileLimit } from "@/core/http/connection_limit.ts";
import { listen, type Server } from "@/core/http/listen.ts";
import {
  CLOSING,
  runAsWorker,
  type Serving,
  type Stopped,
  type Stopping,
  Workers,
} from "@/core/http/workers.ts";
import { loadLicence, withLicensedMethods } from "@/core/identity/licence.ts";
import { FIRST_RUN, isFirstRunPending } from "@/core/login/first_run.ts";
import { openAudit } from "@/core/storage/audit.ts";
import { logStrayFailures, openLog } from "@/core/storage/log.ts";
import { isThere, readIfThere } from "@/core/storage/shared_file.ts";
import { WorkerGroup } from "@/core/storage/worker_group.ts";
import project from "@/deno.json" with { type: "json" };
import type { Log } from "@/plugins/contract.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { loadPlugins } from "@/plugins/load.ts";
import { attempt, fail, print, readConfiguration, tell, writeSampleInto } from "./commands.ts";
import { createService } from "./create_service.ts";
import { refuseExporter } from "./refuse_exporter.ts";
import { listenForSignals, onHangUp } from "./signals.ts";
import { holdState } from "./state_lock.ts";

/**
 * Milliseconds that listening waits for databases to connect: one silent server must not hold up the others.
 */
const PATIENCE = 1000;
/** The exit code after SIGINT. */
const INTERRUPTED = 130;

/** The parts of the program that `serve` needs. */
export interface Program {
  /** The URL of its main module; workers run it, too. */
  readonly module: string;
  /** Creates the demo database in this file. */
  createDemo(file: string): Promise<void>;
}

/** Serves until a signal comes or the port is lost; returns the exit code. */
export async function serve(command: ServeCommand, program: Program): Promise<number> {
  await prepareFirstRun(command.directories, program);
  using _held = holdState(command.directories.state);
  const written = readConfiguration(command.directories);
  const firstRunToken = randomBytes(15).toString("base64url");
  const hardLimit = await hardFileLimit();
  const channel = randomUUID();
  const place = { port: command.port, workers: command.workers, hardLimit, firstRunToken, channel };
  const keeper = { ...place, isKeeper: true };
  const first = await start({ command, place: keeper, written, patience: PATIENCE, guard: logStrayFailures });
  const signals = listenForSignals();
  const order = { command, place: { ...place, port: first.server.port } };
  const { module } = program;
  const workers = await Workers.start({ module, count: command.workers - 1, order, log: first.log });
  const address = `http://${hostInUrl(command.host)}:${first.server.port}${prefixOf(command)}`;
  first.log.info(describeStart(first, command, address));
  if (isExposed(first, command)) first.log.warn(EXPOSED);
  if (first.isFirstRun) announceFirstRun(command.directories, command.baseUrl ?? address, firstRunToken);
  print(`listening on ${address}/\n`);
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
  const stopped = await Promise.all(all.map((each) => each.stop(1000 * grace)));
  return {
    running: stopped.reduce((sum, { running }) => sum + running, 0),
    cutOff: stopped.reduce((sum, { cutOff }) => sum + cutOff, 0),
  };
}

const EXPOSED =
  "The deno adapter closes neither connections that send their headers slowly nor idle ones: use --adapter node, or a " +
  "proxy in front that does, and name it in trusted_proxies";

/** `Deno.serve` without a proxy: clients reach it at its address, or a proxy would be named. */
function isExposed({ adapter, settings }: Started, { host }: ServeCommand): boolean {
  return adapter === "deno" && (!isLoopback(host) || settings.trusted_proxies.length === 0);
}

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
    `adapter ${adapter}, ${workers} ${workers === 1 ? "worker" : "workers"}`,
    `configuration ${resolve(config)}, state ${resolve(state)}, log ${resolve(log)}`,
    `in each worker at most ${limit.connections} connections, ${
      settings["server.answer_memory"]
    } bytes of answers ` +
    `and ${settings["server.body_memory"]} bytes of bodies`,
  ].join("; ");
}

/**
 * Tells the operator how to begin, on standard error and never in a log, because the token
 * is a secret during the first run.
 */
function announceFirstRun({ home, config }: Directories, address: string, token: string): void {
  const url = address.replace(/\/+$/, "");
  tell([
    home === undefined ? `Configuration: ${resolve(config)}` : `Home directory: ${resolve(home)}`,
    `What everybody may read, such as the demo, needs no password: ${url}/db`,
    `First run: set the password of "admin" on ${url}${FIRST_RUN}?token=${token}`,
    "Ctrl-C stops the service",
  ]);
}

/** Writes the sample configuration if there is none, and creates the demo database that it defines. */
async function prepareFirstRun({ config, state }: Directories, { createDemo }: Program): Promise<void> {
  const demo = join(state, "demo.db");
  await attempt(`make directory "${state}"`, Deno.mkdir(state, { recursive: true }));
  const written = Deno.makeTempFile({ dir: state }).then((file) => Deno.remove(file));
  await attempt(`write into "${state}" (--state-dir chooses another directory)`, written);
  if (!await isThere(join(config, "service.ini"))) await writeSampleInto(config);
  if (await isThere(demo)) return;
  const databases = await readIfThere(join(config, "databases.cfg"));
  if (!databases?.includes("${ROWHOUSE_STATE}/demo.db")) return;
  await attempt(`create database "${demo}"`, createDemo(demo));
}

/** A service that listens. */
export interface Started extends Serving {
  readonly server: Server;
  readonly log: Log;
  readonly adapter: "deno" | "node";
  readonly limit: ConnectionLimit;
  readonly settings: Settings;
  /** The service cannot be administered yet. */
  readonly isFirstRun: boolean;
}

/** The address of one worker, and its limits. */
export interface Place {
  readonly port: number;
  /** Number of workers on the port. */
  readonly workers: number;
  /** Limit of open files. */
  readonly hardLimit: number;
  readonly firstRunToken: string;
  /** The name under which the workers of this process find each other. Absent: there is one worker. */
  readonly channel?: string;
  readonly isKeeper?: boolean;
}

/** The command, the address and the configuration of one worker. */
export interface Start {
  readonly command: ServeCommand;
  readonly place: Place;
  readonly written: Configuration;
  /** Default: that of the process. */
  readonly environment?: Environment;
  /**
   * Milliseconds that listening waits for databases to connect. Absent: until
   * each is connected or has failed.
   */
  readonly patience?: number;
  /** Handles failed promises of the process until disposed of. Absent: they are not handled. */
  guard?(log: Log): Disposable;
}

/** Loads everything and listens. Every worker does this itself; workers share only the port. */
export async function start({ command, place, ...given }: Start): Promise<Started> {
  const { port, workers, hardLimit, firstRunToken, channel = "", isKeeper = false } = place;
  const { written, environment, patience, guard } = given;
  const { configuration, off } = withLicensedMethods(written, await loadLicence(written.settings));
  const { settings, directories, warnings } = configuration;
  const rotation = { maxSize: settings["log.max_size"], kept: settings["log.kept"] };
  await using stack = new AsyncDisposableStack();
  const log = stack.use(openLog(directories.log, rotation, settings["log.format"]));
  if (guard) stack.use(guard(log));
  const stopping = new AbortController();
  const audit = stack.use(openAudit(directories.log, rotation));
  stack.use(onHangUp(() => {
    log.reopen();
    audit.reopen();
  }));
  for (const warning of warnings) log.warn(warning);
  for (const method of off) log.warn(`Authentication by ${method} is off: the licence does not have it`);
  const group = stack.use(new WorkerGroup({ channel, workers, isKeeper }));
  const plugins = await loadPlugins(wantedPlugins(configuration), settings);
  const running = stack.use(
    await createService({
      ...plugins,
      configuration,
      environment,
      prefix: prefixOf(command),
      ...(command.baseUrl === undefined ? {} : { origin: new URL(command.baseUrl).origin }),
      firstRunToken,
      log,
      audit,
      patience,
      stopping: stopping.signal,
      group,
      noteRequest: (fields) => log.request(fields),
    }),
  );
  refuseExporter(running.service.credentialNames, environment);
  await running.watch();
  const adapter = command.adapter ?? adapterFor(configuration, command.host);
  const limit = connectionLimit(settings["server.max_connections"], { hardLimit, workers });
  const shared = workers > 1 || command.sharedPort;
  const address = { host: command.host, port, adapter, shared, limit, log, stopping: stopping.signal };
  const server = await listen(createApp(running), address);
  const isFirstRun = isFirstRunPending(running.service);
  const { requests } = running.service;
  const owned = stack.move();
  return {
    server,
    log,
    adapter,
    limit,
    settings,
    isFirstRun,
    drain: () => stopping.abort(),
    async stop(grace) {
      stopping.abort();
      const running = requests.running.length;
      await server.stop(grace);
      return { running, cutOff: requests.running.length };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function adapterFor({ settings }: Configuration, host: string): "deno" | "node" {
  const configured = settings["server.adapter"];
  if (configured !== "auto") return configured;
  return isLoopback(host) ? "deno" : "node";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function prefixOf({ baseUrl }: ServeCommand): string {
  return baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
}

function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The main module in a worker's thread: serves as the main thread orders. */
export function serveAsWorker(): void {
  runAsWorker<Omit<Start, "written">>((order) =>
    start({
      ...order,
      written: readConfiguration(order.command.directories),
      patience: PATIENCE,
      guard: logStrayFailures,
    })
  );
}
