/**
 * Who may import whom, as a table: the first layer whose pattern fits a file is the file's layer.
 *
 * @module
 */

/** Files that may import the same. */
export interface Layer {
  /** Which files belong to it. What a group called `folder` matches, the file may import as its own folder. */
  readonly files: RegExp;
  /** Which files of the project it may import. */
  readonly mayImport: RegExp;
  /** The only npm packages it may import, and then no `node:` modules; absent: what `rowhouse/packages` allows. */
  readonly packages?: readonly string[];
  /** Packages may be imported for their types only. */
  readonly packageTypesOnly?: boolean;
  /** The rule in words, shown with every complaint. */
  readonly rule: string;
}

const NOTHING = /^$/;
const ANYTHING = /^/;

const LAYERS: readonly Layer[] = [
  {
    files: /^core\/(model|errors)\.ts$/,
    mayImport: NOTHING,
    packages: [],
    rule: "core/model.ts and core/errors.ts import nothing",
  },
  {
    files: /^core\/base\/nearest\.ts$/,
    mayImport: NOTHING,
    packages: ["fastest-levenshtein"],
    rule: "core/base/nearest.ts imports only fastest-levenshtein",
  },
  {
    files: /^plugins\/contract(\.ts|\/[^/]+)$/,
    mayImport: /^(core\/(model|errors)|plugins\/contract\/[^/]+)\.ts$/,
    packages: ["kysely"],
    packageTypesOnly: true,
    rule:
      "plugins/contract.ts imports only its folder plugins/contract/, core/model.ts, core/errors.ts and types of kysely",
  },
  {
    files: /^(?<folder>(?:formats|auth|plugins\/dialects)\/[^/]+)\//,
    mayImport: /^plugins\/(contract|kit\/[^/]+)\.ts$/,
    rule:
      "a plugin imports only its own folder (relatively), @/plugins/contract.ts, @/plugins/kit/, npm packages and node: modules",
  },
  {
    files: /^(?<folder>examples\/(?:.+))\/[^/]+$/,
    mayImport: /^plugins\/(contract|kit\/[^/]+)\.ts$/,
    rule:
      "an example imports what a third-party plugin may: its own folder, @/plugins/contract.ts and @/plugins/kit/",
  },
  {
    files: /^plugins\/kit\/match_user\.ts$/,
    mayImport: NOTHING,
    packages: ["re2js"],
    rule: "plugins/kit/match_user.ts imports only re2js",
  },
  {
    files: /^plugins\/kit\//,
    mayImport: /^plugins\/kit\//,
    packages: [],
    rule: "plugins/kit/ imports only itself: it works in a plugin's processes, too",
  },
  {
    files: /^plugins\/[^/]+$/,
    mayImport: /^(plugins\/[^/]+\.ts|core\/(errors|base\/nearest|model)\.ts)$/,
    rule: "plugins/*.ts import only each other, core/errors.ts, core/base/nearest.ts and core/model.ts",
  },
  {
    files: /^core\//,
    mayImport: /^(core\/.+|plugins\/[^/]+\.ts|config\/(mod|settings)\.ts|deno\.json)$/,
    rule: "core/ imports only core/, plugins/*.ts, config/mod.ts and config/settings.ts, never a plugin",
  },
  {
    files: /^config\//,
    mayImport: /^(config\/.+|core\/(model|errors|base\/nearest|identity\/passwords)\.ts)$/,
    rule: "config/ imports only config/ and core/{model,errors,base/nearest,identity/passwords}.ts",
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
