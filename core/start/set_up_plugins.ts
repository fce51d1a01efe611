/**
 * Sets the enabled plugins up and collects their complaints.
 *
 * @module
 */

import { join } from "node:path";
import {
  cachePlacesOf,
  complaintAboutTable,
  type Configuration,
  formatComplaint,
  readSection,
  strayKeys,
} from "@/config/mod.ts";
import { inTime } from "@/core/base/in_time.ts";
import { pluginLog } from "@/core/base/named_log.ts";
import { guardDialect, type LoadedDialect, optionComplaints } from "@/core/database/guard_dialect.ts";
import { foundPlugins } from "@/core/definitions/plugin_list.ts";
import { withExtension } from "@/core/documents/references.ts";
import { messageIn, messageWithPlace } from "@/core/errors.ts";
import { complaintsAboutRoutes } from "@/core/http/open_paths.ts";
import { createAuthHost, type HostSurroundings, refuseService } from "@/core/login/auth_host.ts";
import { hiddenForms } from "@/core/login/login_page.ts";
import { complaintsAboutTypes, FormatTable, type NamedFormat } from "@/core/request/formats.ts";
import { guardFormat } from "@/core/request/guard_format.ts";
import { complaintsAboutCredentials, complaintsAboutParameters } from "@/core/request/own_parameters.ts";
import { pageFormat } from "@/core/respond/page.ts";
import type { NamedMethod } from "@/core/service.ts";
import {
  type AnyPlugin,
  type Cache,
  CONTRACT,
  type DialectHost,
  type Log,
  type Section,
} from "@/plugins/contract.ts";
import { KIND_NAMES, PluginError } from "@/plugins/discover.ts";
import { dialectKit } from "@/plugins/kit/dialect_kit.ts";
import { lendDialect } from "@/plugins/lend.ts";
import { loadDialect, type PluginName } from "@/plugins/load.ts";
import {
  requireDialect,
  requireFormat,
  requireMembers,
  requireMethod,
  requireOpens,
} from "./require_members.ts";

/** The plugins that the configuration names, and the parts of the service that they see. */
export interface PluginParts {
  readonly plugins: readonly AnyPlugin[];
  readonly configuration: Configuration;
  readonly prefix: string;
  readonly log: Log;
  /** The service only checks the configuration. */
  readonly checksOnly?: boolean;
  /** Absent: the process has one worker. */
  readonly group?: { readonly workers: number };
}

/** The service that plugins may use after the start. */
interface Surroundings extends Pick<HostSurroundings, "service"> {
  /** Called for mistakes that need not stop the start. Absent: they count as complaints. */
  tolerate?(complaint: string): void;
}

/** The plugins that were set up, and the complaints about the others. */
interface SetUp {
  readonly formats: FormatTable;
  readonly methods: readonly NamedMethod[];
  readonly dialects: ReadonlyMap<string, LoadedDialect>;
  readonly caches: ReadonlyMap<string, Cache>;
  readonly complaints: readonly string[];
  readonly warnings: readonly string[];
}

/** Only sets the plugins up; returns those that work, and the complaints about the others. */
export async function checkPlugins(parts: PluginParts): Promise<SetUp> {
  return await setUpAll({ ...parts, checksOnly: true }, { service: refuseService });
}

/** Sets all plugins up. Throws {@link PluginError} that names every plugin that refuses. */
export async function setUpPlugins(parts: PluginParts, surroundings: Surroundings): Promise<SetUp> {
  const { complaints: strays, warnings } = straySettings(parts);
  const setUp = await setUpAll(parts, surroundings);
  const complaints = [...setUp.complaints, ...strays];
  if (complaints.length > 0) throw new PluginError(complaints);
  for (const warning of [...warnings, ...setUp.warnings]) parts.log.warn(warning);
  return setUp;
}

/** Settings of service.ini that belong to no plugin, and those of plugins that are not enabled. */
export function straySettings(
  { configuration, plugins }: PluginParts,
  /** Enabled, but they cannot be loaded. */
  refused: readonly PluginName[] = [],
): Readonly<Record<"complaints" | "warnings", readonly string[]>> {
  const enabled = [...plugins, ...refused];
  const { complaints, warnings } = strayKeys(configuration, { enabled, found: foundPlugins(configuration) });
  return { complaints: complaints.map(formatComplaint), warnings: warnings.map(formatComplaint) };
}

/** Loads a dialect and sets it up, on its first use after the start. */
export async function setUpLater(name: string, parts: PluginParts): Promise<LoadedDialect> {
  const plugin = await loadDialect(name, parts.configuration.settings);
  const complaints: string[] = [];
  const dialect = (await setUpDialects({ ...parts, plugins: [plugin] }, complaints)).get(name);
  if (!dialect) throw new PluginError(complaints);
  return dialect;
}

async function setUpAll(parts: PluginParts, surroundings: Surroundings): Promise<SetUp> {
  const { configuration } = parts;
  const complaints: string[] = [];
  const formats = new FormatTable(await setUpFormats(parts, complaints));
  const methods = await setUpMethods(parts, surroundings, complaints);
  for (const { method, sentence } of complaintsAboutCredentials(methods, formats.parameters)) {
    complaints.push(`${pluginPlace("auth", method, configuration)}: ${sentence}`);
  }
  const dialects = await setUpDialects(parts, complaints);
  const caches = await setUpCaches(parts, complaints);
  complaints.push(...complaintsAboutOptions(configuration, dialects));
  const all = [...complaints, ...complaintsAboutRoutes({ methods })];
  const warnings = hiddenForms({ policies: configuration.authentication, methods }).map((name) => {
    const place = pluginPlace("auth", name, configuration);
    return `${place}: Its form is not on the login page: that of another method is`;
  });
  for (const { kind, name, contract } of parts.plugins) {
    if (contract === CONTRACT) continue;
    const place = pluginPlace(kind, name, configuration);
    const remedy = "docs/contract-changes.md tells what it has to change";
    warnings.push(`${place}: The ${KIND_NAMES[kind]} "${name}" is made for contract ${contract}: ${remedy}`);
  }
  if (pageFormat({ formats }) && !configuration.settings.formats.includes("json")) {
    const place = pluginPlace("format", "json", configuration);
    warnings.push(`${place}: Has no json, as which pages send their forms: they can change nothing`);
  }
  return { formats, methods, dialects, caches, complaints: all, warnings };
}

/** The file and the key that name a plugin. */
export function pluginPlace(
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

type PluginOf<Kind> = Extract<AnyPlugin, { readonly kind: Kind }>;

/** Sets the plugins of a kind up side by side, and adds the complaints of those that refuse. */
async function setUpEach<Kind extends AnyPlugin["kind"], Instance>(
  kind: Kind,
  { plugins, configuration }: PluginParts,
  complaints: string[],
  setUp: (plugin: PluginOf<Kind>, section: Section) => Promise<Instance>,
): Promise<readonly (readonly [name: string, instance: Instance])[]> {
  const own = plugins.filter((plugin): plugin is PluginOf<Kind> => plugin.kind === kind);
  const made = await Promise.all(own.map(async (plugin) => {
    const { name } = plugin;
    const { section, complaints: wrong } = readSection(plugin, configuration);
    if (wrong.length > 0) {
      complaints.push(...wrong.map(formatComplaint));
      return [];
    }
    try {
      const seconds = configuration.settings["server.plugin_timeout"];
      const late = () => new Error(`setup() has not ended after ${seconds} seconds (server.plugin_timeout)`);
      return [[name, await inTime(setUp(plugin, section), seconds, late)] as const];
    } catch (error) {
      const reason = messageWithPlace(error);
      const place = pluginPlace(kind, name, configuration);
      complaints.push(`${place}: The ${KIND_NAMES[kind]} "${name}" cannot be set up: ${reason}`);
      return [];
    }
  }));
  return made.flat();
}

async function setUpFormats(parts: PluginParts, complaints: string[]): Promise<readonly NamedFormat[]> {
  const { configuration, log } = parts;
  const { "branding.name": product, refid_prefix: refidPrefix, templates_path } = configuration.settings;
  const formats = await setUpEach("format", parts, complaints, async (plugin, section) => {
    const format = await plugin.setup(section, {
      product,
      refidPrefix,
      templates: templates_path,
      references: (tree) => withExtension(tree, refidPrefix, plugin.name),
      log: pluginLog(log, "format", plugin.name),
    });
    requireFormat(format);
    return guardFormat(plugin.name, format, configuration.settings["server.plugin_timeout"]);
  });
  const made = formats.map(([name, format]) => ({ name, format }));
  for (const { format, sentence } of [...complaintsAboutTypes(made), ...complaintsAboutParameters(made)]) {
    complaints.push(`${pluginPlace("format", format, configuration)}: ${sentence}`);
  }
  return made;
}

async function setUpMethods(
  parts: PluginParts,
  { service, tolerate = (complaint) => void complaints.push(complaint) }: Surroundings,
  complaints: string[],
): Promise<readonly NamedMethod[]> {
  const { configuration: { settings, directories: { config: directory } }, prefix, log } = parts;
  const complain = (key: string, message: string) =>
    tolerate(`${join(directory, "auth.cfg")}: authentication_policies.${key}: ${message}`);
  let ask: Surroundings["service"] = refuseService;
  const surroundings = { service: () => ask(), settings, prefix, log, directory, complain };
  const made = await setUpEach("auth", parts, complaints, async (plugin, section) => {
    const method = await plugin.setup(section, createAuthHost(plugin.name, surroundings));
    requireMethod(method);
    return method;
  });
  ask = service;
  return made.map(([name, method]) => ({ name, method }));
}

async function setUpDialects(
  parts: PluginParts,
  complaints: string[],
): Promise<ReadonlyMap<string, LoadedDialect>> {
  const { configuration: { settings, directories }, log, checksOnly = false, group } = parts;
  const hostOf = (dialect: string): DialectHost => {
    const own = pluginLog(log, "dialect", dialect);
    const host: DialectHost = {
      log: own,
      kit: dialectKit(own),
      lend: (name, parts) => lendDialect(name, parts, host),
      echo: settings["orm_sdb.engine_echo"],
      directory: directories.config,
      ignoreDefaultFields: settings.ignore_default_fields,
      checksOnly,
      workers: group?.workers ?? 1,
    };
    return host;
  };
  const dialects = await setUpEach("dialect", parts, complaints, async (plugin, section) => {
    const { options = {} } = plugin;
    const wrong = complaintAboutTable(options, { mayMap: true, maySecret: false });
    if (wrong !== undefined) throw new Error(`it ${wrong}`);
    const dialect = await plugin.setup(section, hostOf(plugin.name));
    requireDialect(dialect);
    return guardDialect(plugin.name, dialect, { options, directory: directories.config });
  });
  return new Map(dialects);
}

/** Opens each location once for a try, which connects to nothing: a wrong one stops the start. */
async function setUpCaches(
  parts: PluginParts,
  complaints: string[],
): Promise<ReadonlyMap<string, Cache>> {
  const { configuration: { settings, directories }, log } = parts;
  const caches = await setUpEach("cache", parts, complaints, async (plugin, section) => {
    const cache = await plugin.setup(section, {
      log: pluginLog(log, "cache", plugin.name),
      directory: directories.config,
    });
    requireMembers(cache, { open: "function" });
    for (const { name, location, locatedBy } of cachePlacesOf(settings)) {
      if (name !== plugin.name || location === undefined) continue;
      try {
        // Half of the time, so that it is not taken for that of setup().
        await requireOpens(cache, location, settings["server.plugin_timeout"] / 2);
      } catch (error) {
        throw new Error(`${locatedBy}: ${messageIn(error)}`);
      }
    }
    return cache;
  });
  return new Map(caches);
}

function complaintsAboutOptions(
  { databases, settings: { databases_path: file } }: Configuration,
  dialects: ReadonlyMap<string, LoadedDialect>,
): readonly string[] {
  return [...databases.values()].flatMap((definition) =>
    optionComplaints(definition, dialects.get(definition.dbType), file).map(formatComplaint)
  );
}
