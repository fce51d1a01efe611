/**
 * The command `serve`: creates the files of the first run, starts workers, listens on the port, and stops.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import type { ServeCommand } from "@/config/command_line.ts";
import type { Configuration, Directories, Environment } from "@/config/mod.ts";
import { createApp } from "@/core/http/app.ts";
import { connectionLimit, hardFileLimit } from "@/core/http/connection_limit.ts";
import { listen, type Server } from "@/core/http/listen.ts";
import { runAsWorker, startWorkers } from "@/core/http/workers.ts";
import { FIRST_RUN } from "@/core/identity/first_run.ts";
import { loadLicence, withLicensedMethods } from "@/core/identity/licence_file.ts";
import { type Audit, openAudit } from "@/core/storage/audit.ts";
import { logStrayFailures, openLog } from "@/core/storage/log.ts";
import type { Rotation } from "@/core/storage/rotating_file.ts";
import type { Log } from "@/plugins/contract.ts";
import { readConfiguration, writeSampleInto } from "./commands.ts";
import { attempt, fail, isThere, print, tell } from "./console.ts";
import { createService, type RunningService } from "./create_service.ts";
import { loadParts } from "./parts.ts";
import { listenForSignals } from "./signals.ts";

/** Milliseconds that running requests have to finish when the service stops. */
const GRACE = 10_000;
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
  const configuration = readConfiguration(command.directories);
  const firstRunToken = randomBytes(15).toString("base64url");
  const hardLimit = await hardFileLimit();
  const place = { port: command.port, workers: command.workers, hardLimit, firstRunToken };
  await using first = await start(command, place, configuration);
  const signals = listenForSignals();
  const at = { ...place, port: first.server.port };
  const workers = await startWorkers<Order>(program.module, command.workers - 1, { command, at });
  const address = `http://${hostInUrl(command.host)}:${first.server.port}${prefixOf(command)}`;
  if (first.isFirstRun) announceFirstRun(command.directories, command.baseUrl ?? address, firstRunToken);
  print(`listening on ${address}/\n`);
  const lost = [first.server, ...workers].map((server) => server.lost);
  const reason = await Promise.race([signals.first, ...lost]);
  const stop = async (grace: number) => {
    await Promise.all([first.server, ...workers].map((server) => server.stop(grace)));
    return grace === 0 ? INTERRUPTED : 0;
  };
  const code = await Promise.race([stop(GRACE), signals.insistence.then(() => stop(0))]);
  return reason instanceof Error ? fail(1, [reason.message]) : code;
}

/**
 * Tells the operator how to begin, on standard error and never in a log, because the token is a secret during the first
 * run.
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
  await attempt(`write into "${state}" (--state-dir chooses another directory)`, tryToWrite(state));
  await writeSampleIfNew(config);
  if (await wantsDemo(config, demo)) await attempt(`create database "${demo}"`, createDemo(demo));
}

async function tryToWrite(directory: string): Promise<void> {
  await Deno.remove(await Deno.makeTempFile({ dir: directory }));
}

/** Whether the sample's definition of the demo database exists, but the database does not. */
async function wantsDemo(config: string, demo: string): Promise<boolean> {
  if (await isThere(demo)) return false;
  const databases = join(config, "databases.cfg");
  return await isThere(databases) &&
    (await Deno.readTextFile(databases)).includes("${ROWHOUSE_STATE}/demo.db");
}

async function writeSampleIfNew(config: string): Promise<void> {
  if (!await isThere(join(config, "service.ini"))) await writeSampleInto(config);
}

/** A service that listens. */
export interface Started extends AsyncDisposable {
  readonly server: Server;
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
}

/** The order to a worker. */
interface Order {
  readonly command: ServeCommand;
  readonly at: Place;
}

/** Loads everything and listens. Every worker does this itself; workers share only the port. */
async function start(command: ServeCommand, place: Place, written: Configuration): Promise<Started> {
  await using stack = new AsyncDisposableStack();
  const log = stack.use(openLog(written.directories.log, rotationOf(written)));
  stack.use(logStrayFailures(log));
  const { server, isFirstRun } = stack.use(await startWith(log, { command, place, written }));
  const owned = stack.move();
  return { server, isFirstRun, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The command, the address and the configuration of one worker. */
export interface Start {
  readonly command: ServeCommand;
  readonly place: Place;
  readonly written: Configuration;
  /** Default: that of the process. */
  readonly environment?: Environment;
}

/** Loads everything and listens, without a change of the process such as a handler of failed promises. */
export async function startWith(log: Log, { command, place, written, environment }: Start): Promise<Started> {
  const { port, workers, hardLimit, firstRunToken } = place;
  const { configuration, off } = withLicensedMethods(written, await loadLicence(written.settings));
  await using stack = new AsyncDisposableStack();
  const audit = stack.use(openAudit(configuration.directories.log, rotationOf(configuration)));
  for (const warning of configuration.warnings) log.warn(warning);
  for (const method of off) log.warn(`Authentication by ${method} is off: the licence does not have it`);
  const running = stack.use(await build({ command, configuration, environment, firstRunToken, log, audit }));
  await running.watch();
  const server = await listen(createApp(running), {
    host: command.host,
    adapter: command.adapter ?? adapterFor(configuration, command.host),
    port,
    shared: workers > 1,
    limit: connectionLimit(configuration.settings["server.max_connections"], { hardLimit, workers }),
    log,
  });
  const isFirstRun = running.service.firstRun.isPending();
  const owned = stack.move();
  return { server, isFirstRun, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface Building {
  readonly command: ServeCommand;
  readonly configuration: Configuration;
  readonly environment: Environment | undefined;
  readonly firstRunToken: string;
  readonly log: Log;
  readonly audit: Audit;
}

async function build(
  { command, configuration, environment, firstRunToken, ...logs }: Building,
): Promise<RunningService> {
  return await createService({
    ...await loadParts(configuration, environment),
    prefix: prefixOf(command),
    ...(command.baseUrl === undefined ? {} : { origin: new URL(command.baseUrl).origin }),
    firstRunToken,
    ...logs,
  });
}

function rotationOf({ settings }: Configuration): Rotation {
  return { maxSize: settings["log.max_size"], kept: settings["log.kept"] };
}

function adapterFor({ settings }: Configuration, host: string): "deno" | "node" {
  const configured = settings["server.adapter"];
  if (configured !== "auto") return configured;
  return host === "localhost" || host === "::1" || host.startsWith("127.") ? "deno" : "node";
}

function prefixOf({ baseUrl }: ServeCommand): string {
  return baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
}

function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The main module in a worker's thread: serves as the main thread orders. */
export function serveAsWorker(): void {
  runAsWorker<Order>(({ command, at }) => start(command, at, readConfiguration(command.directories)));
}
