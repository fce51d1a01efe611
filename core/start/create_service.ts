/**
 * Builds the service from its configuration and the enabled plugins.
 *
 * @module
 */

import { type Configuration, type Environment, streamByDefault } from "@/config/mod.ts";
import { ANSWERS, BODIES, ClientMemory } from "@/core/base/client_memory.ts";
import { LoopDelay } from "@/core/base/loop_delay.ts";
import { runningLog } from "@/core/base/named_log.ts";
import { CutOffs } from "@/core/base/tally.ts";
import { foundPlugins } from "@/core/definitions/plugin_list.ts";
import { askMethods } from "@/core/login/ask_methods.ts";
import { openEntrance } from "@/core/login/open_entrance.ts";
import { collectAssets } from "@/core/request/assets.ts";
import { createEncoder } from "@/core/request/encoder.ts";
import type { FormatTable, Negotiated } from "@/core/request/formats.ts";
import { createGrammar } from "@/core/request/path_grammar.ts";
import type { Snapshots } from "@/core/service.ts";
import type { Audit } from "@/core/storage/audit.ts";
import type { LogFields } from "@/core/storage/log.ts";
import { RequestLog } from "@/core/storage/request_log.ts";
import type { WorkerGroup } from "@/core/storage/worker_group.ts";
import project from "@/deno.json" with { type: "json" };
import { type DialectType, readDialectTypes } from "@/plugins/dialect_type.ts";
import { type PluginParts, setUpLater, setUpPlugins } from "./set_up_plugins.ts";
import { createDialects, LiveService } from "./snapshots.ts";
import { startMethod } from "./start_method.ts";
import { LiveConfiguration } from "./watch_configuration.ts";

interface ServiceParts extends PluginParts {
  /** The values of `${NAME}` in configuration files. */
  readonly environment: Environment;
  readonly origin?: string;
  readonly firstRunToken: string;
  readonly audit: Audit;
  /**
   * Milliseconds that the start waits for databases to connect. Absent: until
   * each is connected or has failed.
   */
  readonly patience?: number | undefined;
  /** Aborted when the service is about to stop. */
  readonly stopping: AbortSignal;
  /** Writes the line of a request into the log. */
  readonly noteRequest: (fields: LogFields) => void;
  /** The other workers of this process. */
  readonly group: WorkerGroup;
  /** When the process was started, in milliseconds since 1970. */
  readonly began: number;
  /** Milliseconds since 1970, for watching the configuration files. Default: the clock. */
  readonly now?: () => number;
}

/** A service with its resources to close. */
export interface RunningService extends Snapshots, AsyncDisposable {
  /** Begins to watch the configuration files, so that outside changes take effect. */
  watch(): Promise<void>;
  /** One check of the configuration files, as the watch does periodically. */
  look(): Promise<void>;
}

/**
 * Sets the plugins up and connects the databases. Throws `PluginError` that names every plugin that refuses.
 */
export async function createService(parts: ServiceParts): Promise<RunningService> {
  const { configuration, log, audit, prefix, began, now, environment } = parts;
  const { settings, substitutions, directories: { state } } = configuration;
  await using stack = new AsyncDisposableStack();
  const { formats, methods, dialects, caches } = await setUpPlugins(parts, {
    service: () => live.service,
    tolerate: (complaint) => log.error(complaint),
  });
  const users = () => live.service.users;
  const refreshUsers = () => files.catchUp();
  const ask = (login: string, password: string) =>
    askMethods(login, password, { methods, settings, log: runningLog(log) });
  const entrance = await openEntrance({ ...parts, users, askMethods: ask, refreshUsers, caches }, stack);
  const grammar = createGrammar({ substitutions });
  const files = new LiveConfiguration({ state, environment, log, began, now, snapshots: () => live });
  const live: LiveService = new LiveService({
    ...entrance,
    ...answering(formats, configuration),
    ...memories(parts, stack),
    files,
    dialects: createDialects(dialects, (name) => setUpLater(name, parts)),
    dialectTypes: dialectTypesOf(parts),
    version: project.version,
    settings,
    policies: configuration.authentication,
    methods,
    credentialNames: new Set(methods.flatMap(({ method }) => method.queryParameters ?? [])),
    grammar,
    substitutions,
    links: { substitutions, grammar },
    prefix,
    ...(parts.origin === undefined ? {} : { origin: parts.origin }),
    firstRunToken: parts.firstRunToken,
    log,
    audit,
    requests: new RequestLog(),
    noteRequest: parts.noteRequest,
    stopping: parts.stopping,
    group: parts.group,
    loopDelay: stack.use(new LoopDelay()),
  });
  stack.use(live);
  stack.use(files);
  await live.start(configuration, parts.patience);
  for (const named of methods) stack.use(startMethod(named, { configuration, log }));
  const owned = stack.move();
  return {
    get service() {
      return live.service;
    },
    watch: () => files.watch(),
    look: () => files.look(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The parts that decide how answers are written. */
function answering(formats: FormatTable, configuration: Configuration) {
  const { settings } = configuration;
  const product = settings["branding.name"];
  const encoder = createEncoder(settings.output_encoding);
  const streamed = new Set(formats.names.filter((name) => streamByDefault(configuration, name)));
  return {
    product,
    encoder,
    countHeader: `${product}-All-Record-Count`,
    formats,
    assets: collectAssets(formats),
    streamByDefault: (format: string) => streamed.has(format),
    contentTypeOf: (format: Negotiated) => contentTypeOf(format, encoder.charset),
  };
}

/** The budgets of memory, which log what they refuse. */
function memories({ configuration: { settings }, log }: ServiceParts, stack: AsyncDisposableStack) {
  const refused = (what: "answer" | "body") => {
    const size = `server.${what}_memory = ${settings[`server.${what}_memory`]}`;
    const cutOffs = stack.use(
      new CutOffs(what, (count) => log.warn(`${size} is used up: ${count} refused with 503`)),
    );
    return () => cutOffs.note();
  };
  return {
    bodyMemory: new ClientMemory(settings["server.body_memory"], BODIES, refused("body")),
    answerMemory: new ClientMemory(settings["server.answer_memory"], ANSWERS, refused("answer")),
  };
}

function dialectTypesOf({ configuration, log }: ServiceParts): readonly DialectType[] {
  const { types, complaints } = readDialectTypes(foundPlugins(configuration));
  for (const complaint of complaints) log.warn(complaint);
  return types;
}

/** JSON is UTF-8 by default; text types are not. */
function contentTypeOf({ contentType, format }: Negotiated, charset: string): string {
  const isPlain = format.binary ||
    (charset === "utf-8" && !contentType.startsWith("text/") && !contentType.endsWith("xml"));
  return isPlain ? contentType : `${contentType}; charset=${charset}`;
}
