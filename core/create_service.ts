/**
 * Builds the service from what is configured and the plugins that were enabled for it.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Configuration } from "@/config/mod.ts";
import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  Dialect,
  DialectPlugin,
  Format,
  FormatPlugin,
  Log,
} from "@/plugins/contract.ts";
import { createEncoder } from "./charset.ts";
import { ManagedDatabase } from "./databases.ts";
import type { User } from "./model.ts";
import { FormatTable, type Negotiated } from "./negotiate.ts";
import { createGrammar } from "./path.ts";
import type { NamedMethod, Service } from "./service.ts";

/** Everything that main.ts brings together. */
export interface ServiceParts {
  readonly configuration: Configuration;
  readonly formats: readonly FormatPlugin[];
  readonly methods: readonly AuthPlugin[];
  readonly dialects: readonly DialectPlugin[];
  /** The settings of one format: what stands behind `{name}_sdb.`. */
  formatSection(name: string): Readonly<Record<string, unknown>>;
  streamByDefault(format: string): boolean;
  readonly prefix: string;
  readonly origin?: string;
  readonly version: string;
  readonly log: Log;
}

/** A service with what has to be closed at the end. */
export interface RunningService extends AsyncDisposable {
  readonly service: Service;
}

/** Sets the plugins up and connects the databases. Throws {@link SetupError} naming every plugin that refuses. */
export async function createService(parts: ServiceParts): Promise<RunningService> {
  const { configuration, log, prefix, version } = parts;
  const { settings, substitutions, users } = configuration;
  const setup = new Setup();
  const formats = new FormatTable(await setUpFormats(parts, setup));
  const methods = await setUpMethods(parts, setup);
  const dialects = await setUpDialects(parts, setup);
  setup.finish();
  const grammar = createGrammar({ substitutions });
  const links = { substitutions, grammar };
  const databases = createDatabases(parts, dialects, links);
  const encoder = createEncoder(settings.output_encoding);
  const service: Service = {
    product: settings["branding.name"],
    version,
    settings,
    encoder,
    countHeader: `${settings["branding.name"]}-All-Record-Count`,
    formats,
    policies: configuration.authentication,
    methods,
    users,
    databases,
    grammar,
    substitutions,
    links,
    prefix,
    ...(parts.origin === undefined ? {} : { origin: parts.origin }),
    log,
    credentialNames: new Set(methods.flatMap(({ method }) => method.queryParameters ?? [])),
    streamByDefault: memoize((format) => parts.streamByDefault(format)),
    contentTypeOf: (format) => contentTypeOf(format, encoder.charset),
  };
  await Promise.all([...databases.values()].map((database) => database.start()));
  return { service, [Symbol.asyncDispose]: () => disposeAll([...databases.values()]) };
}

/** Plugins refused to be set up; one sentence each. */
export class SetupError extends Error {
  constructor(readonly complaints: readonly string[]) {
    super(complaints.join("\n"));
    this.name = "SetupError";
  }
}

/** Collects what plugins complain of while they are set up. */
class Setup {
  readonly #complaints: string[] = [];

  async run<T>(what: string, make: () => T | Promise<T>): Promise<readonly T[]> {
    try {
      return [await make()];
    } catch (error) {
      this.#complaints.push(
        `The ${what} cannot be set up: ${error instanceof Error ? error.message : String(error)}`,
      );
      return [];
    }
  }

  finish(): void {
    if (this.#complaints.length > 0) throw new SetupError(this.#complaints);
  }
}

async function setUpFormats({ formats, formatSection, configuration, log }: ServiceParts, setup: Setup) {
  const host = {
    product: configuration.settings["branding.name"],
    refidPrefix: configuration.settings.refid_prefix,
    log,
  };
  const made = await Promise.all(formats.map(async (plugin) => {
    const instances = await setup.run<Format>(`format "${plugin.name}"`, async () => {
      const format = await plugin.setup(formatSection(plugin.name), host);
      requireMembers(format, {
        contentTypes: "object",
        writer: "function",
        document: "function",
        problem: "function",
      });
      if (format.contentTypes.length > 0) return format;
      throw new Error("it names no content type");
    });
    return instances.map((format) => ({ name: plugin.name, format }));
  }));
  return made.flat();
}

async function setUpMethods(
  { methods, configuration, log }: ServiceParts,
  setup: Setup,
): Promise<readonly NamedMethod[]> {
  const host = authHost(configuration, log);
  const sections = new Map(configuration.authentication.map(({ name, section }) => [name, section]));
  const made = await Promise.all(methods.map(async (plugin) => {
    const instances = await setup.run<AuthMethod>(`authentication method "${plugin.name}"`, async () => {
      const method = await plugin.setup(sections.get(plugin.name) ?? {}, host);
      requireMembers(method, { authenticate: "function" });
      return method;
    });
    return instances.map((method) => ({ name: plugin.name, method }));
  }));
  return made.flat();
}

async function setUpDialects(
  { dialects, configuration, log }: ServiceParts,
  setup: Setup,
): Promise<ReadonlyMap<string, Dialect>> {
  const host = {
    log,
    echo: configuration.settings["orm_sdb.engine_echo"],
    directory: configuration.directories.config,
    ignoreDefaultFields: configuration.settings.ignore_default_fields,
  };
  const made = await Promise.all(dialects.map(async (plugin) => {
    const instances = await setup.run<Dialect>(`dialect "${plugin.name}"`, async () => {
      const dialect = await plugin.setup({}, host);
      requireMembers(dialect, { connect: "function" });
      return dialect;
    });
    return instances.map((dialect) => [plugin.name, dialect] as const);
  }));
  return new Map(made.flat());
}

/** What a third-party plugin gives is checked here, so that a mistake stops the start and not a request. */
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

function authHost({ settings, users }: Configuration, log: Log): AuthHost {
  const byKey = new Map<string, User>();
  for (const user of users.values()) if (user.apikeyHash !== undefined) byKey.set(user.apikeyHash, user);
  return {
    log,
    setting: ((key: "appid_name") => settings[key]) as AuthHost["setting"],
    findUserByApiKey: createKeyLookup(byKey),
  };
}

/**
 * Finds users by the hash of a key. Keys that were found are remembered as they are, so that a client's later requests
 * cost no hash; keys that are wrong never are, so there are no more of them than users.
 */
function createKeyLookup(byHash: ReadonlyMap<string, User>): AuthHost["findUserByApiKey"] {
  const found = new Map<string, User>();
  return (key) => {
    const known = found.get(key);
    if (known) return known;
    const user = byHash.get(hash("sha256", key));
    if (user) found.set(key, user);
    return user;
  };
}

function createDatabases(
  { configuration, log }: ServiceParts,
  dialects: ReadonlyMap<string, Dialect>,
  links: Service["links"],
): ReadonlyMap<string, ManagedDatabase> {
  const automap = configuration.settings["orm_sdb.use_automap"];
  return new Map([...configuration.databases].flatMap(([id, definition]) => {
    const dialect = dialects.get(definition.dbType);
    return dialect ? [[id, new ManagedDatabase({ definition, dialect, links, automap, log })]] : [];
  }));
}

/** JSON is UTF-8 unless it says otherwise; text types are not. */
function contentTypeOf({ contentType, format }: Negotiated, charset: string): string {
  const isPlain = format.binary ||
    (charset === "utf-8" && !contentType.startsWith("text/") && !contentType.endsWith("xml"));
  return isPlain ? contentType : `${contentType}; charset=${charset}`;
}

function memoize<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

async function disposeAll(disposables: readonly AsyncDisposable[]): Promise<void> {
  for (const disposable of disposables.toReversed()) await disposable[Symbol.asyncDispose]();
}
