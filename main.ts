/**
 * The composition root: command line, configuration, plugins, service, server.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { type Command, parseCommand, type ServeCommand, UsageError } from "@/config/command_line.ts";
import type { LicenceWishes } from "@/config/licence_command.ts";
import {
  type Configuration,
  ConfigurationError,
  type Directories,
  firstOf,
  formatComplaint,
  formatSection,
  inspectConfiguration,
  loadConfiguration,
  streamByDefault,
} from "@/config/mod.ts";
import { readDemo, writeSample } from "@/config/sample.ts";
import { createApp } from "@/core/http/app.ts";
import { type Audit, NO_AUDIT, openAudit } from "@/core/storage/audit.ts";
import {
  checkPlugins,
  createService,
  placeOf,
  type RunningService,
  SetupError,
} from "@/core/start/create_service.ts";
import { ServiceError } from "@/core/errors.ts";
import { FIRST_RUN } from "@/core/identity/first_run.ts";
import { loadLicence, lockOf, usageOf, withLicensedMethods } from "@/core/identity/licence_file.ts";
import { connectionLimit, hardFileLimit } from "@/core/http/connection_limit.ts";
import { listen, type Server } from "@/core/http/listen.ts";
import { checkNames } from "@/core/definitions/name_complaints.ts";
import type { Rotation } from "@/core/storage/rotating_file.ts";
import { openLog } from "@/core/storage/log.ts";
import { logStrayFailures } from "@/core/storage/stray_failures.ts";
import { runAsWorker, startWorkers } from "@/core/http/workers.ts";
import type { Log } from "@/plugins/contract.ts";
import { PluginError } from "@/plugins/discover.ts";
import { inspectPlugins, loadDialect, loadPlugins, type WantedPlugins } from "@/plugins/load.ts";
import project from "./deno.json" with { type: "json" };

/** Milliseconds that requests in flight have to finish when the service stops. */
const GRACE = 10_000;
/** Milliseconds after which another SIGINT ends the process at once: the first may have come twice. */
const INSISTENCE = 2000;
/** The exit code of a program that SIGINT has ended. */
const INTERRUPTED = 130;

/** Runs one command and gives the exit code: 0, 1 for what is wrong with files or surroundings, 2 for usage. */
async function main(args: readonly string[]): Promise<number> {
  let command: Command | undefined;
  try {
    command = parseCommand(args, Deno.env.toObject());
    return await run(command);
  } catch (error) {
    if (error instanceof UsageError) return fail(2, [error.message]);
    const complaints = firstOf(complaintsIn(error));
    if (command?.name === "serve") logComplaints(complaints, command.directories);
    return fail(1, complaints);
  }
}

/** What an operator is told of an error. Throws what is no complaint. */
function complaintsIn(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.complaints.map(formatComplaint);
  if (error instanceof PluginError || error instanceof SetupError) return error.complaints;
  if (error instanceof ServiceError) return [error.message];
  if (isRefusedBySystem(error)) return [`The operating system refuses: ${error.message}`];
  throw error;
}

/**
 * Why the service does not start is in its log, too, where one can be written: standard error has it in any case. The
 * settings of the log may not be known, so these are the defaults.
 */
function logComplaints(complaints: readonly string[], { log: directory }: Directories): void {
  try {
    using log = openLog(directory, { maxSize: 10_485_760, kept: 5 });
    for (const complaint of complaints) log.error(`The service does not start: ${complaint}`);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** A failure of the file system: a directory that is full, read-only or somebody else's. The message names the path. */
function isRefusedBySystem(error: unknown): error is Error {
  return error instanceof Error && /\(os error \d+\)/.test(error.message);
}

async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      print(command.text);
      return 0;
    case "check":
      return await check(command.directories);
    case "init":
      for (const path of await initialize(command.directory)) print(`${path}\n`);
      return 0;
    case "set-password":
      return await setPassword(command);
    case "licence issue":
      return await issue(command.wishes);
    case "licence show":
      return await showLicence(command.directories);
    case "serve":
      return await serve(command);
  }
}

async function check(directories: Directories): Promise<number> {
  if (!await isThere(directories.config)) {
    return fail(1, [
      `${directories.config}: there is no such directory; main.ts init writes a sample configuration into one`,
    ]);
  }
  const { configuration, complaints } = inspectConfiguration(directories, Deno.env.toObject());
  const { refused, ...plugins } = await inspectPlugins(
    wantedOf(configuration),
    configuration.settings.plugins_path,
  );
  const unusable = refused.map(({ kind, name, complaint }) =>
    `${placeOf(kind, name, configuration)}: ${complaint}`
  );
  const parts = { ...plugins, ...surroundingsOf(configuration), prefix: "", log: SILENT, audit: NO_AUDIT };
  const setUp = await checkPlugins(parts);
  const areDefined = complaints.every(({ file }) => file !== configuration.settings.databases_path);
  const names = areDefined
    ? await checkNames(configuration, setUp.dialects, SILENT)
    : { complaints: [], unreachable: [] };
  const warnings = [...configuration.warnings, ...names.unreachable.map(formatComplaint)];
  for (const warning of warnings) print(`warning: ${warning}\n`);
  const found = [...complaints, ...names.complaints].map(formatComplaint);
  const all = [...found, ...unusable, ...setUp.complaints, ...await licenceComplaints(configuration)];
  if (all.length > 0) return fail(1, all);
  print("The configuration is in order\n");
  return 0;
}

async function licenceComplaints(configuration: Configuration): Promise<readonly string[]> {
  const { settings } = configuration;
  const lock = lockOf(await loadLicence(settings), usageOf(configuration), Date.now());
  return lock === undefined ? [] : [`${settings.license}: ${lock}`];
}

/** Nobody reads a log of a check: what is wrong is printed. */
const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };

async function setPassword(command: Extract<Command, { name: "set-password" }>): Promise<number> {
  const { changePassword } = await import("@/config/set_password.ts");
  const configuration = read(command.directories);
  await changePassword(configuration, command.user, await readPassword());
  print(`The password of ${command.user} is set\n`);
  return 0;
}

/** From the environment, else standard input without its line break. */
async function readPassword(): Promise<string> {
  const given = Deno.env.get("ROWHOUSE_PASSWORD");
  if (given !== undefined) return given;
  return (await new Response(Deno.stdin.readable).text()).replace(/\r?\n$/, "");
}

/** The licence goes to standard output, what to do with it to standard error. */
async function issue(wishes: LicenceWishes): Promise<number> {
  const { issueLicence, makePrivateKey, publicKeyOf } = await import("@/core/identity/issue_licence.ts");
  const { privateKey: path, days, ...rest } = wishes;
  if (!await isThere(path)) {
    const made = Deno.writeTextFile(path, makePrivateKey(), { mode: 0o600, createNew: true });
    await attempt(`write the private key "${path}"`, made);
  }
  const key = await attempt(`read the private key "${path}"`, Deno.readTextFile(path));
  const exp = Math.floor(Date.now() / 1000) + days * 86_400;
  const licence = issueLicence({ ...rest, exp }, key);
  tell([`license.public_key = ${publicKeyOf(key)}`]);
  print(`${licence}\n`);
  return 0;
}

async function showLicence(directories: Directories): Promise<number> {
  const configuration = read(directories);
  const licence = await loadLicence(configuration.settings);
  const lock = lockOf(licence, usageOf(configuration), Date.now());
  if (licence === undefined) print("There is no licence: this is the open edition\n");
  if (licence && "claims" in licence) print(`${JSON.stringify(licence.claims, null, 2)}\n`);
  return lock === undefined ? 0 : fail(1, [`${configuration.settings.license}: ${lock}`]);
}

async function serve(command: ServeCommand): Promise<number> {
  await prepareFirstRun(command.directories);
  const configuration = read(command.directories);
  const firstRunToken = randomBytes(15).toString("base64url");
  const hardLimit = await hardFileLimit();
  const place = { port: command.port, workers: command.workers, hardLimit, firstRunToken };
  await using first = await start(command, place, configuration);
  const signals = listenForSignals();
  const at = { ...place, port: first.server.port };
  const workers = await startWorkers<Order>(import.meta.url, command.workers - 1, { command, at });
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
 * Tells the operator how to begin: on standard error, which is the console, and in no log, because the token is a secret
 * as long as the first run lasts.
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

function read(directories: Directories): Configuration {
  return loadConfiguration(directories, Deno.env.toObject()).configuration;
}

/** Writes the sample configuration where there is none yet, and makes the demo database that it defines. */
async function prepareFirstRun({ config, state }: Directories): Promise<void> {
  const demo = join(state, "demo.db");
  await attempt(`make directory "${state}"`, Deno.mkdir(state, { recursive: true }));
  await writeSampleIfNew(config);
  if (!await wantsDemo(config, demo)) return;
  const { createDatabase } = await import("@/plugins/dialects/sqlite/create.ts");
  createDatabase(demo, readDemo());
}

/** The sample's definition of the demo database is still there, and the database is not. */
async function wantsDemo(config: string, demo: string): Promise<boolean> {
  if (await isThere(demo)) return false;
  const databases = join(config, "databases.cfg");
  return await isThere(databases) &&
    (await Deno.readTextFile(databases)).includes("${ROWHOUSE_STATE}/demo.db");
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A failure of the file system as a sentence for the operator. */
async function attempt<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new ServiceError("internal", `Cannot ${what}: ${cause.message}`, { cause });
  }
}

async function initialize(directory: string): Promise<readonly string[]> {
  return await attempt(`write the sample configuration into "${directory}"`, writeSample(directory));
}

async function writeSampleIfNew(config: string): Promise<void> {
  if (!await isThere(join(config, "service.ini"))) await initialize(config);
}

interface Started extends AsyncDisposable {
  readonly server: Server;
  /** Nobody can administer the service yet. */
  readonly isFirstRun: boolean;
}

/** Where and how one worker listens. */
interface Place {
  readonly port: number;
  /** So many workers listen on one port. */
  readonly workers: number;
  /** Of open files. */
  readonly hardLimit: number;
  readonly firstRunToken: string;
}

/** What a worker is told to do. */
interface Order {
  readonly command: ServeCommand;
  readonly at: Place;
}

/** Loads everything and listens. Every worker does this on its own; they share nothing but the port. */
async function start(
  command: ServeCommand,
  { port, workers, hardLimit, firstRunToken }: Place,
  written: Configuration,
): Promise<Started> {
  const { configuration, off } = withLicensedMethods(written, await loadLicence(written.settings));
  await using stack = new AsyncDisposableStack();
  const rotation = rotationOf(configuration);
  const log = stack.use(openLog(configuration.directories.log, rotation));
  stack.use(logStrayFailures(log));
  const audit = stack.use(openAudit(configuration.directories.log, rotation));
  for (const warning of configuration.warnings) log.warn(warning);
  for (const method of off) log.warn(`Authentication by ${method} is off: the licence does not have it`);
  const running = stack.use(await build({ command, configuration, firstRunToken, log, audit }));
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
  readonly firstRunToken: string;
  readonly log: Log;
  readonly audit: Audit;
}

async function build({ command, configuration, firstRunToken, ...logs }: Building): Promise<RunningService> {
  return await createService({
    ...await partsOf(configuration),
    prefix: prefixOf(command),
    ...(command.baseUrl === undefined ? {} : { origin: new URL(command.baseUrl).origin }),
    firstRunToken,
    ...logs,
  });
}

/** What a service is made of. */
async function partsOf(configuration: Configuration) {
  const plugins = await loadPlugins(wantedOf(configuration), configuration.settings.plugins_path);
  return { ...plugins, ...surroundingsOf(configuration) };
}

function surroundingsOf(configuration: Configuration) {
  return {
    configuration,
    environment: Deno.env.toObject(),
    loadDialect: (name: string) => loadDialect(name, configuration.settings.plugins_path),
    formatSection: (name: string) => formatSection(configuration, name),
    streamByDefault: (format: string) => streamByDefault(configuration, format),
    version: project.version,
  };
}

/** When logs are put aside. */
function rotationOf({ settings }: Configuration): Rotation {
  return { maxSize: settings["log.max_size"], kept: settings["log.kept"] };
}

/** Which plugins the configuration asks for. */
function wantedOf({ settings, authentication, databases }: Configuration): WantedPlugins {
  return {
    formats: settings.formats,
    methods: authentication.filter((policy) => policy.enabled).map(({ name }) => name),
    dialects: [...new Set([...databases.values()].map(({ dbType }) => dbType))],
  };
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

/** What signals ask for. */
interface Signals {
  /** The first SIGTERM or SIGINT: the service stops. */
  readonly first: Promise<void>;
  /** A SIGINT that comes later: it does not wait for what is in flight. */
  readonly insistence: Promise<void>;
}

/**
 * The listeners stay until the process ends: service managers and Ctrl-C also signal the program that started this one,
 * which passes the signal on, and one without a listener ends the process.
 */
function listenForSignals(): Signals {
  const first = Promise.withResolvers<void>();
  const insistence = Promise.withResolvers<void>();
  let since = Infinity;
  const stop = () => {
    since = Math.min(since, performance.now());
    first.resolve();
  };
  Deno.addSignalListener("SIGTERM", stop);
  Deno.addSignalListener("SIGINT", () => {
    if (performance.now() - since > INSISTENCE) insistence.resolve();
    stop();
  });
  return { first: first.promise, insistence: insistence.promise };
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

/** On standard error. */
function tell(messages: readonly string[]): void {
  Deno.stderr.writeSync(new TextEncoder().encode(messages.map((message) => `${message}\n`).join("")));
}

function fail(code: number, messages: readonly string[]): number {
  tell(messages);
  return code;
}

if ("WorkerGlobalScope" in globalThis) {
  runAsWorker<Order>(async ({ command, at }) => await start(command, at, read(command.directories)));
} else if (import.meta.main) Deno.exit(await main(Deno.args));
