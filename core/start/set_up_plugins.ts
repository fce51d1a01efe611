/**
 * Sets the enabled plugins up and collects their complaints.
 *
 * @module
 */

import { join } from "node:path";
import { createAuthHost, type HostSurroundings } from "@/core/login/auth_host.ts";
import type { ServiceParts } from "./parts.ts";
import { quote } from "@/core/errors.ts";
import { nearest } from "@/core/base/nearest.ts";
import { FormatTable } from "@/core/request/formats.ts";
import { complaintsAboutRoutes } from "@/core/http/open_paths.ts";
import type { NamedMethod } from "@/core/service.ts";
import type { Configuration } from "@/config/mod.ts";
import type {
  AnyPlugin,
  AuthMethod,
  AuthPlugin,
  Dialect,
  DialectPlugin,
  Format,
  Section,
} from "@/plugins/contract.ts";

/** The plugins that were set up. */
export interface ReadyPlugins {
  readonly formats: FormatTable;
  readonly methods: readonly NamedMethod[];
  readonly dialects: ReadonlyMap<string, Dialect>;
}

/** Only sets the plugins up; returns those that work, and the complaints about the others. */
export async function checkPlugins(parts: ServiceParts): Promise<SetUp> {
  const entrance = () => {
    throw new Error("The service does not run: nothing can be asked of it");
  };
  const nobody = {
    users: () => new Map(),
    methods: () => [],
    findUserByApiKey: () => undefined,
    requireLicence: () => {},
  };
  return await setUpAll({ ...parts, checksOnly: true }, { entrance, ...nobody });
}

/** Services that plugins may use after the start; not available during setup. */
export interface Surroundings
  extends Pick<HostSurroundings, "entrance" | "users" | "methods" | "findUserByApiKey" | "requireLicence"> {
  /** Called for mistakes that need not stop the start. Absent: they count as complaints. */
  tolerate?(complaint: string): void;
}

/** The plugins that were set up, and the complaints about the others. */
export interface SetUp extends ReadyPlugins {
  readonly complaints: readonly string[];
}

/** Sets all plugins up. Throws {@link SetupError} that names every plugin that refuses. */
export async function setUpPlugins(parts: ServiceParts, surroundings: Surroundings): Promise<ReadyPlugins> {
  const { complaints, ...ready } = await setUpAll(parts, surroundings);
  if (complaints.length > 0) throw new SetupError(complaints);
  return ready;
}

async function setUpAll(parts: ServiceParts, surroundings: Surroundings): Promise<SetUp> {
  const setup = new Setup();
  const formats = new FormatTable(await setUpFormats(parts, setup));
  const methods = await setUpMethods(parts, surroundings, setup);
  const dialects = await setUpDialects(parts.dialects, parts, setup);
  for (const complaint of complaintsAboutRoutes({ methods })) setup.complain(complaint);
  return { formats, methods, dialects, complaints: setup.complaints };
}

/** Plugins refused to be set up; one sentence each. */
export class SetupError extends Error {
  constructor(readonly complaints: readonly string[]) {
    super(complaints.join("\n"));
    this.name = "SetupError";
  }
}

/** The file and the key that name a plugin. */
export function placeOf(
  kind: AnyPlugin["kind"],
  name: string,
  { directories: { config }, settings, databases }: Configuration,
): string {
  if (kind === "format") return `${join(config, "service.ini")}: formats`;
  if (kind === "auth") return `${join(config, "auth.cfg")}: authentication_policies.${name}`;
  const user = databases.values().find(({ dbType }) => dbType === name);
  return user ? `${settings.databases_path}: ${user.id}.db_type` : settings.databases_path;
}

/** Collects the complaints of plugins while they are set up. */
class Setup {
  readonly complaints: string[] = [];

  /** `place` is the file and the key that name the plugin. */
  async run<T>(place: string, what: string, make: () => T | Promise<T>): Promise<readonly T[]> {
    try {
      return [await make()];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.complain(`${place}: The ${what} cannot be set up: ${reason}`);
      return [];
    }
  }

  complain(complaint: string): void {
    this.complaints.push(complaint);
  }

  finish(): void {
    if (this.complaints.length > 0) throw new SetupError(this.complaints);
  }
}

async function setUpFormats({ formats, formatSection, configuration, log }: ServiceParts, setup: Setup) {
  const host = {
    product: configuration.settings["branding.name"],
    refidPrefix: configuration.settings.refid_prefix,
    log,
  };
  const made = await Promise.all(formats.map(async (plugin) => {
    const instances = await setup.run<Format>(
      placeOf("format", plugin.name, configuration),
      `format "${plugin.name}"`,
      async () => {
        const format = await plugin.setup(formatSection(plugin.name), host);
        requireMembers(format, {
          contentTypes: "object",
          writer: "function",
          document: "function",
          problem: "function",
        });
        if (format.contentTypes.length > 0) return format;
        throw new Error("it names no content type");
      },
    );
    return instances.map((format) => ({ name: plugin.name, format }));
  }));
  return made.flat();
}

async function setUpMethods(
  { methods, configuration, prefix, log }: ServiceParts,
  { tolerate = (complaint) => setup.complain(complaint), ...given }: Surroundings,
  setup: Setup,
): Promise<readonly NamedMethod[]> {
  const { settings, authentication, directories: { config: directory } } = configuration;
  const complain = (key: string, message: string) =>
    tolerate(`${join(directory, "auth.cfg")}: authentication_policies.${key}: ${message}`);
  const surroundings = { ...given, settings, prefix, log, directory, complain };
  const sections = new Map(authentication.map(({ name, section }) => [name, section]));
  const made = await Promise.all(methods.map(async (plugin) => {
    const instances = await setup.run<AuthMethod>(
      placeOf("auth", plugin.name, configuration),
      `authentication method "${plugin.name}"`,
      async () => {
        const section = sections.get(plugin.name) ?? {};
        requireKnownKeys(plugin, section);
        const method = await plugin.setup(section, createAuthHost(plugin.name, surroundings));
        requireMembers(method, { authenticate: "function" });
        return method;
      },
    );
    return instances.map((method) => ({ name: plugin.name, method }));
  }));
  return made.flat();
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

async function setUpDialects(
  dialects: readonly DialectPlugin[],
  { configuration, log, checksOnly = false }: ServiceParts,
  setup: Setup,
): Promise<ReadonlyMap<string, Dialect>> {
  const fileDirectories = configuration.settings["sqlite.directories"];
  const host = {
    log,
    ...(fileDirectories ? { fileDirectories } : {}),
    echo: configuration.settings["orm_sdb.engine_echo"],
    directory: configuration.directories.config,
    ignoreDefaultFields: configuration.settings.ignore_default_fields,
    checksOnly,
  };
  const made = await Promise.all(dialects.map(async (plugin) => {
    const instances = await setup.run<Dialect>(
      placeOf("dialect", plugin.name, configuration),
      `dialect "${plugin.name}"`,
      async () => {
        const dialect = await plugin.setup({}, host);
        requireMembers(dialect, { connect: "function" });
        return dialect;
      },
    );
    return instances.map((dialect) => [plugin.name, dialect] as const);
  }));
  return new Map(made.flat());
}

/** Sets up a dialect on its first use after the start. */
export async function setUpLater(name: string, parts: ServiceParts): Promise<Dialect> {
  const setup = new Setup();
  const dialects = await setUpDialects([await parts.loadDialect(name)], parts, setup);
  setup.finish();
  const dialect = dialects.get(name);
  if (!dialect) throw new SetupError([`There is no dialect "${name}"`]);
  return dialect;
}

/** Checks the members of a third-party plugin here, so that a mistake stops the start instead of a request. */
function requireMembers(
  instance: unknown,
  members: Readonly<Record<string, "function" | "object">>,
): void {
  const memberOf = (name: string): unknown =>
    typeof instance === "object" && instance !== null ? Reflect.get(instance, name) : undefined;
  const isThere = (name: string) => {
    const member = memberOf(name);
    return members[name] === "function" ? typeof member === "function" : typeof member === "object";
  };
  const missing = Object.keys(members).filter((name) => !isThere(name));
  if (missing.length > 0) throw new Error(`what its setup gives lacks ${missing.join(", ")}`);
}
