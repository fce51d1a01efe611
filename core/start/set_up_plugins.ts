/**
 * Sets the enabled plugins up and collects their complaints.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { join } from "node:path";
import { cachePlacesOf, type Configuration, formatSection } from "@/config/mod.ts";
import { nearest } from "@/core/base/nearest.ts";
import { quote } from "@/core/errors.ts";
import { complaintsAboutRoutes } from "@/core/http/open_paths.ts";
import { createAuthHost, type HostSurroundings } from "@/core/login/auth_host.ts";
import { guardFormat } from "@/core/request/guard_format.ts";
import { complaintsAboutParameters } from "@/core/request/own_parameters.ts";
import { FormatTable, type NamedFormat } from "@/core/request/formats.ts";
import type { NamedMethod } from "@/core/service.ts";
import type {
  AnyPlugin,
  AuthPlugin,
  Cache,
  CachePlugin,
  Dialect,
  DialectHost,
  DialectPlugin,
  FormatPlugin,
  Log,
  Section,
} from "@/plugins/contract.ts";
import { PluginError } from "@/plugins/discover.ts";
import { dialectKit } from "@/plugins/kit/dialect_kit.ts";
import { withExtension } from "@/core/documents/references.ts";
import { loadDialect } from "@/plugins/load.ts";

/** The plugins that the configuration names, and the parts of the service that they see. */
export interface PluginParts {
  readonly configuration: Configuration;
  readonly formats: readonly FormatPlugin[];
  readonly methods: readonly AuthPlugin[];
  /** The dialects of the databases in the initial configuration. */
  readonly dialects: readonly DialectPlugin[];
  readonly caches: readonly CachePlugin[];
  readonly prefix: string;
  readonly log: Log;
  /** The service only checks the configuration. */
  readonly checksOnly?: boolean;
}

/** The service that plugins may use after the start. */
export interface Surroundings extends Pick<HostSurroundings, "service"> {
  /** Called for mistakes that need not stop the start. Absent: they count as complaints. */
  tolerate?(complaint: string): void;
}

/** The plugins that were set up, and the complaints about the others. */
export interface SetUp {
  readonly formats: FormatTable;
  readonly methods: readonly NamedMethod[];
  readonly dialects: ReadonlyMap<string, Dialect>;
  readonly caches: ReadonlyMap<string, Cache>;
  readonly complaints: readonly string[];
}

/** Only sets the plugins up; returns those that work, and the complaints about the others. */
export async function checkPlugins(parts: PluginParts): Promise<SetUp> {
  const service = () => {
    throw new Error("The service does not run: nothing can be asked of it");
  };
  return await setUpAll({ ...parts, checksOnly: true }, { service });
}

/** Sets all plugins up. Throws {@link PluginError} that names every plugin that refuses. */
export async function setUpPlugins(parts: PluginParts, surroundings: Surroundings): Promise<SetUp> {
  const setUp = await setUpAll(parts, surroundings);
  if (setUp.complaints.length > 0) throw new PluginError(setUp.complaints);
  return setUp;
}

/** Loads a dialect and sets it up, on its first use after the start. */
export async function setUpLater(name: string, parts: PluginParts): Promise<Dialect> {
  const plugin = await loadDialect(name, parts.configuration.settings.plugins_path);
  const complaints: string[] = [];
  const dialect = (await setUpDialects([plugin], parts, complaints)).get(name);
  if (!dialect) throw new PluginError(complaints);
  return dialect;
}

async function setUpAll(parts: PluginParts, surroundings: Surroundings): Promise<SetUp> {
  const complaints: string[] = [];
  const formats = new FormatTable(await setUpFormats(parts, complaints));
  const methods = await setUpMethods(parts, surroundings, complaints);
  const dialects = await setUpDialects(parts.dialects, parts, complaints);
  const caches = await setUpCaches(parts, complaints);
  const all = [...complaints, ...complaintsAboutRoutes({ methods })];
  return { formats, methods, dialects, caches, complaints: all };
}

/** The file and the key that name a plugin. */
export function placeOf(
  kind: AnyPlugin["kind"],
  name: string,
  { directories: { config }, settings, databases }: Configuration,
): string {
  if (kind === "format") return `${join(config, "service.ini")}: formats`;
  if (kind === "auth") return `${join(config, "auth.cfg")}: authentication_policies.${name}`;
  if (kind === "cache") {
    const place = cachePlacesOf(settings).find((each) => each.name === name);
    return `${join(config, "service.ini")}: ${place?.namedBy ?? "shared_cache"}`;
  }
  const user = databases.values().find(({ dbType }) => dbType === name);
  return user ? `${settings.databases_path}: ${user.id}.db_type` : settings.databases_path;
}

const WORDS = {
  format: "format",
  auth: "authentication method",
  dialect: "dialect",
  cache: "cache",
} as const;

/** Sets plugins up side by side, and adds the complaints of those that refuse. */
async function setUpEach<Plugin extends AnyPlugin, Instance>(
  plugins: readonly Plugin[],
  setUp: (plugin: Plugin) => Instance | Promise<Instance>,
  configuration: Configuration,
  complaints: string[],
): Promise<readonly (readonly [name: string, instance: Instance])[]> {
  const made = await Promise.all(plugins.map(async (plugin) => {
    const { kind, name } = plugin;
    try {
      const seconds = configuration.settings["server.plugin_timeout"];
      const late = () => new Error(`setup() has not ended after ${seconds} seconds (server.plugin_timeout)`);
      return [[name, await inTime(Promise.resolve(setUp(plugin)), seconds, late)] as const];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const place = placeOf(kind, name, configuration);
      complaints.push(`${place}: The ${WORDS[kind]} "${name}" cannot be set up: ${reason}`);
      return [];
    }
  }));
  return made.flat();
}

async function setUpFormats({ formats, configuration, log }: PluginParts, complaints: string[]) {
  const { "branding.name": product, refid_prefix: refidPrefix } = configuration.settings;
  const setUp = async (plugin: FormatPlugin) => {
    const format = await plugin.setup(formatSection(configuration, plugin.name), {
      product,
      refidPrefix,
      references: (tree) => withExtension(tree, refidPrefix, plugin.name),
      log,
    });
    requireMembers(format, {
      contentTypes: "list",
      writer: "function",
      document: "function",
      problem: "function",
    });
    if (format.contentTypes.length === 0) throw new Error("it names no content type");
    return guardFormat(plugin.name, format, configuration.settings["server.plugin_timeout"]);
  };
  const made = (await setUpEach(formats, setUp, configuration, complaints))
    .map(([name, format]) => ({ name, format }));
  complaints.push(...complaintsAboutTypes(made, configuration));
  for (const { format, sentence } of complaintsAboutParameters(made)) {
    complaints.push(`${placeOf("format", format, configuration)}: ${sentence}`);
  }
  return made;
}

/** Two formats with one content type: `Accept` and bodies would mean the one that is listed first. */
function complaintsAboutTypes(made: readonly NamedFormat[], configuration: Configuration): readonly string[] {
  const owners = new Map<string, string>();
  return made.flatMap(({ name, format }) =>
    format.contentTypes.flatMap((type) => {
      const owner = owners.get(type);
      owners.set(type, owner ?? name);
      if (owner === undefined || owner === name) return [];
      const place = placeOf("format", name, configuration);
      return [
        `${place}: The formats "${owner}" and "${name}" both have the content type ${type}: leave one out`,
      ];
    })
  );
}

async function setUpMethods(
  { methods, configuration, prefix, log }: PluginParts,
  { service, tolerate = (complaint) => void complaints.push(complaint) }: Surroundings,
  complaints: string[],
): Promise<readonly NamedMethod[]> {
  const { settings, authentication, directories: { config: directory } } = configuration;
  const complain = (key: string, message: string) =>
    tolerate(`${join(directory, "auth.cfg")}: authentication_policies.${key}: ${message}`);
  const surroundings = { service, settings, prefix, log, directory, complain };
  const setUp = async (plugin: AuthPlugin) => {
    const section = authentication.find(({ name }) => name === plugin.name)?.section ?? {};
    requireKnownKeys(plugin, section);
    const method = await plugin.setup(section, createAuthHost(plugin.name, surroundings));
    requireMembers(method, { authenticate: "function" });
    if (method.checkPassword !== undefined) requireMembers(method, { checkPassword: "function" });
    return method;
  };
  const made = await setUpEach(methods, setUp, configuration, complaints);
  return made.map(([name, method]) => ({ name, method }));
}

async function setUpDialects(
  dialects: readonly DialectPlugin[],
  { configuration, log, checksOnly = false }: PluginParts,
  complaints: string[],
): Promise<ReadonlyMap<string, Dialect>> {
  const { settings, directories } = configuration;
  const fileDirectories = settings["sqlite.directories"];
  const host: DialectHost = {
    log,
    kit: dialectKit(log),
    ...(fileDirectories ? { fileDirectories } : {}),
    echo: settings["orm_sdb.engine_echo"],
    directory: directories.config,
    ignoreDefaultFields: settings.ignore_default_fields,
    checksOnly,
  };
  const setUp = async (plugin: DialectPlugin) => {
    const dialect = await plugin.setup({}, host);
    requireMembers(dialect, { connect: "function" });
    return dialect;
  };
  return new Map(await setUpEach(dialects, setUp, configuration, complaints));
}

/** Opens each location once for a try, which connects to nothing: a wrong one stops the start. */
async function setUpCaches(
  { caches, configuration, log }: PluginParts,
  complaints: string[],
): Promise<ReadonlyMap<string, Cache>> {
  const { settings, directories } = configuration;
  const setUp = async (plugin: CachePlugin) => {
    const cache = await plugin.setup({}, { log, directory: directories.config });
    requireMembers(cache, { open: "function" });
    for (const { name, location, locatedBy } of cachePlacesOf(settings)) {
      if (name !== plugin.name || location === undefined) continue;
      try {
        await requireOpens(cache, location);
      } catch (error) {
        throw new Error(`${locatedBy}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return cache;
  };
  return new Map(await setUpEach(caches, setUp, configuration, complaints));
}

async function requireOpens(cache: Cache, location: string): Promise<void> {
  const opened = await cache.open(location);
  const names = ["get", "add", "replace", "touch", "remove"] as const;
  requireMembers(opened, Object.fromEntries(names.map((name) => [name, "function"])), "open");
  if (typeof opened[Symbol.asyncDispose] !== "function") {
    throw new Error("of what its open gives [Symbol.asyncDispose] must be a function");
  }
  await opened[Symbol.asyncDispose]();
}

/** Keys that every block of auth.cfg may have. */
const COMMON_KEYS: readonly string[] = ["enabled", "priority", "gui", "gui.visible"];

function requireKnownKeys({ keys }: AuthPlugin, section: Section): void {
  if (!keys) return;
  const known = [...COMMON_KEYS, ...keys];
  const unknown = Object.keys(section).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const complaints = unknown.map((key) => {
    const [meant] = nearest(key, known, 1);
    return `unknown key ${quote(key)}: ${
      meant === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${quote(meant)}?`
    }`;
  });
  throw new Error(complaints.join("; "));
}

/** Checks the members of a third-party plugin here, so that a mistake stops the start instead of a request. */
function requireMembers(
  instance: unknown,
  members: Readonly<Record<string, keyof typeof KINDS>>,
  giver = "setup",
): void {
  if (typeof instance !== "object" || instance === null) {
    throw new Error(`its ${giver} gives ${instance === null ? "null" : typeof instance}, not an object`);
  }
  const wrong = Object.entries(members).filter(([name, kind]) => !KINDS[kind](Reflect.get(instance, name)));
  if (wrong.length === 0) return;
  const told = wrong.map(([name, kind]) => `${name} must be a ${kind}`);
  throw new Error(`of what its ${giver} gives ${told.join(", ")}`);
}

const KINDS = {
  function: (value: unknown) => typeof value === "function",
  list: (value: unknown) => Array.isArray(value),
} as const;
