/**
 * The parts that plugins of every kind have.
 *
 * @module
 */

import type { PluginSettings } from "./settings.ts";

/**
 * The version of this contract. A member is added without a new number, and removed or changed only with one.
 * Plugins of this version and of the one before are loaded.
 */
export const CONTRACT = 2;

/**
 * The settings of one plugin, checked by {@link Plugin.settings} and with its defaults:
 * the keys `{name}_sdb.…` of service.ini for a format, `{name}.…` for a dialect or a cache,
 * and the block of a method in auth.cfg.
 */
export type Section = Readonly<Record<string, unknown>>;

/**
 * Lines in the log file, for operators, which begin with the kind and the name of the
 * plugin. They must not contain secrets.
 */
export interface Log {
  /** An event. */
  info(message: string): void;
  /** A problem that does not stop anything but needs attention. */
  warn(message: string): void;
  /** A failure; `cause` is written with its stack. */
  error(message: string, cause?: unknown): void;
}

/** The members of every plugin. */
export interface Plugin<Kind extends string, Instance, Host> {
  /** The version that the plugin was made for: {@link CONTRACT}, or the one before. */
  readonly contract: typeof CONTRACT | 1;
  /** The kind of the plugin. */
  readonly kind: Kind;
  /** Equals the name of the folder. That of a format is also its extension in URLs: `.csv`. */
  readonly name: string;
  /** The plugin's own version, for lists: `1.4.0`. */
  readonly version?: string;
  /**
   * The settings that it has; any other key stops the start. Absent: none. Plugins of contract
   * 1 get any key, as it is written.
   */
  readonly settings?: PluginSettings;
  /** Called once at the start, by each worker. An exception stops the start and is shown to the operator. */
  setup(section: Section, host: Host): Instance | Promise<Instance>;
}
