/**
 * The permitted imports as a table: the first layer whose pattern matches a file is the file's layer.
 *
 * @module
 */

/** Files that may import the same. */
export interface Layer {
  /** The files of the layer. A file may import the files that share its group `folder`. */
  readonly files: RegExp;
  /** The files of the project that it may import. */
  readonly mayImport: RegExp;
  /**
   * The only npm packages that it may import, without `node:` modules; absent: as `rowhouse/packages` allows.
   */
  readonly packages?: readonly string[];
  /** Packages may be imported for their types only. */
  readonly packageTypesOnly?: boolean;
  /** The rule in words, shown with every complaint. */
  readonly rule: string;
}

const NOTHING = /^$/;
const ANYTHING = /^/;

/**
 * The rooms of core, lower first: a file imports only its own room and rooms that stand before it. A
 * name without a folder is a file.
 */
const CORE = [
  ...["base", "storage", "request", "schema", "identity", "sql", "database", "service.ts", "exchange.ts"],
  ...[
    "plan.ts",
    "tables",
    "documents",
    "queries",
    "summaries",
    "definitions",
    "login",
    "openapi",
    "pages",
    "resources.ts",
  ],
  ...["execute.ts", "respond", "http", "start"],
];

/** The imports of every room beside lower rooms; only `start` may import commands and the sample. */
const COMMON =
  "core\\/(model|catalog|errors)\\.ts|plugins\\/([^/]+|kit\\/(bag|bounded|database_failure|deadline|dialect_kit|network_turns|numbers|password_attempt|timer_queue))\\.ts|config\\/(mod|settings)\\.ts|deno\\.json";

function coreLayer(room: string, position: number): Layer {
  const below = [...CORE.slice(0, position), room].map(roomPattern).join("|");
  const more = room === "start" ? "|config\\/.+" : "";
  return {
    files: new RegExp(`^${roomPattern(room)}$`),
    mayImport: new RegExp(`^(${below}|${COMMON}${more})$`),
    rule:
      `core/${room} imports only itself and rooms of core below it, plugins/*.ts, plugins/kit/{bag,bounded,database_failure,deadline,dialect_kit,network_turns,numbers,password_attempt,timer_queue}.ts, ` +
      "config/mod.ts and config/settings.ts, never a plugin",
  };
}

function roomPattern(room: string): string {
  return room.endsWith(".ts") ? `core\\/${room.replace(".", "\\.")}` : `core\\/${room}\\/.+`;
}

const LAYERS: readonly Layer[] = [
  {
    files: /^core\/(model|errors)\.ts$/,
    mayImport: NOTHING,
    packages: [],
    rule: "core/model.ts and core/errors.ts import nothing",
  },
  {
    files: /^core\/catalog\.ts$/,
    mayImport: /^core\/model\.ts$/,
    packages: [],
    rule: "core/catalog.ts imports only core/model.ts",
  },
  {
    files: /^core\/base\/nearest\.ts$/,
    mayImport: /^core\/errors\.ts$/,
    packages: ["fastest-levenshtein"],
    rule: "core/base/nearest.ts imports only core/errors.ts and fastest-levenshtein",
  },
  {
    files: /^plugins\/contract(\.ts|\/[^/]+)$/,
    mayImport: /^(core\/(model|catalog|errors)|plugins\/contract\/[^/]+)\.ts$/,
    packages: ["kysely"],
    packageTypesOnly: true,
    rule:
      "plugins/contract.ts imports only its folder plugins/contract/, core/{model,catalog,errors}.ts and types of kysely",
  },
  {
    files: /^(?<folder>(?:formats|auth|plugins\/(?:dialects|caches))\/[^/]+)\//,
    mayImport: /^plugins\/(contract|kit\/.+)\.ts$/,
    rule:
      "a plugin imports only its own folder (relatively), @/plugins/contract.ts, @/plugins/kit/, npm packages and node: modules",
  },
  { files: /^examples\/.+_test\.ts$/, mayImport: ANYTHING, rule: "tests of examples import everything" },
  {
    files: /^(?<folder>examples\/(?:.+))\/[^/]+$/,
    mayImport: /^plugins\/(contract|kit\/.+)\.ts$/,
    rule:
      "an example imports what a third-party plugin may: its own folder, @/plugins/contract.ts and @/plugins/kit/",
  },
  {
    files: /^plugins\/kit\/providers\/(match_user|provider_login)\.ts$/,
    mayImport: /^plugins\/(contract\.ts|kit\/)/,
    rule:
      "plugins/kit/providers/{match_user,provider_login}.ts import plugins/kit/, plugins/contract.ts, re2js and node:",
  },
  {
    files: /^plugins\/kit\/(formats|members)\.ts$/,
    mayImport: /^(core\/(errors|base\/(nearest|defined))|plugins\/contract)\.ts$/,
    packages: [],
    rule:
      "plugins/kit/formats.ts and members.ts import only plugins/contract.ts, core/errors.ts and core/base/{nearest,defined}.ts",
  },
  {
    files: /^plugins\/kit\//,
    mayImport: /^plugins\/(contract\.ts|kit\/)/,
    packages: [],
    rule: "plugins/kit/ imports only itself and plugins/contract.ts: it works in a plugin's processes, too",
  },
  {
    files: /^plugins\/[^/]+$/,
    mayImport: /^(plugins\/[^/]+\.ts|core\/(errors|model|catalog|base\/(nearest|in_time))\.ts)$/,
    rule:
      "plugins/*.ts import only each other, core/{errors,model,catalog}.ts, core/base/nearest.ts and in_time.ts",
  },
  ...CORE.map(coreLayer),
  {
    files: /^config\/docs\.ts$/,
    mayImport: /^(config|plugins)\/[^/]+\.ts$/,
    rule: "config/docs.ts, which generates documentation, imports only config/ and plugins/*.ts",
  },
  {
    files: /^config\//,
    mayImport:
      /^(config\/.+|plugins\/(contract|kit\/members)\.ts|core\/(model|catalog|errors|base\/nearest|storage\/shared_file|identity\/passwords)\.ts)$/,
    rule:
      "config/ imports only config/, plugins/contract.ts, plugins/kit/members.ts and core/{model,catalog,errors,base/nearest,storage/shared_file,identity/passwords}.ts",
  },
  {
    files: /^main\.ts$/,
    mayImport: /^(?!tests\/|bench\/|examples\/)/,
    rule: "main.ts imports everything but tests/, bench/ and examples/",
  },
  { files: /^(tests|bench)\//, mayImport: ANYTHING, rule: "tests/ and bench/ import everything" },
];

/** The layer that a file belongs to; undefined for a file that has no place in the design. */
export function layerOf(path: string): Layer | undefined {
  return LAYERS.find((layer) => layer.files.test(path));
}
