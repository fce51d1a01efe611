/**
 * One worker: everything that serves on one thread.
 *
 * @module
 */

import type { ServeCommand } from "@/config/command_line.ts";
import type { Configuration, Environment } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import { canReturnMemory, returnMemory } from "@/core/base/process_memory.ts";
import { wantedPlugins } from "@/core/definitions/plugin_list.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { createApp } from "@/core/http/app.ts";
import { type ConnectionLimit, connectionLimit } from "@/core/http/connection_limit.ts";
import { listen, type Server } from "@/core/http/listen.ts";
import { isLoopback } from "@/core/http/probes.ts";
import type { Serving } from "@/core/http/workers.ts";
import { loadLicence, withLicensedMethods } from "@/core/identity/licence.ts";
import { isFirstRunPending } from "@/core/login/first_run.ts";
import { type Audit, openAudit } from "@/core/storage/audit.ts";
import { openLog, type ServiceLog } from "@/core/storage/log.ts";
import { WorkerGroup } from "@/core/storage/worker_group.ts";
import type { Log } from "@/plugins/contract.ts";
import { PluginError } from "@/plugins/discover.ts";
import { inspectPlugins } from "@/plugins/load.ts";
import { createService } from "./create_service.ts";
import { pluginPlace } from "./set_up_plugins.ts";
import { onHangUp } from "./signals.ts";

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
interface Place {
  readonly port: number;
  /** Number of workers on the port. */
  readonly workers: number;
  /** Limit of open files. */
  readonly hardLimit: number;
  readonly firstRunToken: string;
  /** When the process was started, in milliseconds since 1970. */
  readonly began: number;
  /** The name under which the workers of this process find each other. Absent: there is one worker. */
  readonly channel?: string;
  /** The main thread. */
  readonly isKeeper?: boolean;
}

/** The command, the address and the configuration of one worker. */
export interface WorkerStart {
  readonly command: ServeCommand;
  readonly place: Place;
  readonly written: Configuration;
  readonly environment: Environment;
  /**
   * Milliseconds that listening waits for databases to connect. Absent: until
   * each is connected or has failed.
   */
  readonly patience?: number;
  /** Handles failed promises of the process until disposed of. Absent: they are not handled. */
  guard?(log: Log): Disposable;
}

/** Loads everything and listens. Every worker does this itself, because workers share only the port. */
export async function startWorker({ command, place, ...given }: WorkerStart): Promise<Started> {
  const { port, workers, hardLimit, firstRunToken, began, channel = "", isKeeper = false } = place;
  const { written, environment, patience, guard } = given;
  const { configuration, off } = withLicensedMethods(written, await loadLicence(written.settings));
  const { settings } = configuration;
  await using stack = new AsyncDisposableStack();
  const { log, audit } = openLogs(configuration, guard, stack);
  const stopping = new AbortController();
  const group = stack.use(new WorkerGroup({ channel, workers, isKeeper }));
  const noticed = off.map((method) => `Authentication by ${method} is off: the licence does not have it`);
  if (group.isKeeper) { for (const warning of [...configuration.warnings, ...noticed]) log.warn(warning); }
  if (group.isKeeper && canReturnMemory()) stack.use(returnMemory({ workers }));
  const { plugins, refused } = await inspectPlugins(wantedPlugins(configuration), settings);
  if (refused.length > 0) {
    throw new PluginError(
      refused.map((each) => `${pluginPlace(each.kind, each.name, configuration)}: ${each.complaint}`),
    );
  }
  const running = stack.use(
    await createService({
      plugins,
      configuration,
      environment,
      prefix: prefixOf(command),
      ...(command.baseUrl === undefined ? {} : { origin: new URL(command.baseUrl).origin }),
      firstRunToken,
      began,
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
  const { requests } = running.service;
  const owned = stack.move();
  return {
    server,
    log,
    adapter,
    limit,
    settings,
    isFirstRun: isFirstRunPending(running.service),
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

/** Opens both logs until the stack is disposed of. SIGHUP reopens their files. */
function openLogs(
  { settings, directories }: Configuration,
  guard: WorkerStart["guard"],
  stack: AsyncDisposableStack,
): { readonly log: ServiceLog; readonly audit: Audit } {
  const rotation = { maxSize: settings["log.max_size"], kept: settings["log.kept"] };
  const log = stack.use(openLog(directories.log, rotation, settings["log.format"]));
  if (guard) stack.use(guard(log));
  const audit = stack.use(openAudit(directories.log, rotation));
  stack.use(onHangUp(() => {
    log.reopen();
    audit.reopen();
  }));
  return { log, audit };
}

function adapterFor({ settings }: Configuration, host: string): "deno" | "node" {
  const configured = settings["server.adapter"];
  if (configured !== "auto") return configured;
  return isLoopback(host) ? "deno" : "node";
}

/** The path of `--base-url`, without a slash at its end. */
export function prefixOf({ baseUrl }: ServeCommand): string {
  return baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/+$/, "");
}

/**
 * Throws a {@link ServiceError} while Deno exports traces and a method takes credentials from the query: the
 * exporter sends whole URLs to its collector, and nothing can change them before.
 */
function refuseExporter(credentialNames: ReadonlySet<string>, environment: Environment): void {
  if (!/^(true|1)$/i.test(environment["OTEL_DENO"] ?? "")) return;
  if (credentialNames.size === 0) return;
  const names = [...credentialNames].map(quote).join(", ");
  throw new ServiceError(
    "internal",
    `Cannot start with OTEL_DENO: traces would have the credentials in URLs, ${names}; ` +
      "unset OTEL_DENO, or disable the methods of auth.cfg that look for them there, if only to refuse them",
  );
}
