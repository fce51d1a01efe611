/**
 * What plugins of every kind have in common.
 *
 * @module
 */

/** The version of this contract. A plugin that names another one is refused at start. */
export const CONTRACT = 1;

/** The settings of one plugin, as configured: what stands behind `{name}_sdb.` in service.ini, or its block in auth.cfg. */
export type Section = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

/** What every plugin is, whatever its kind. */
export interface Plugin<Kind extends string, Instance, Host> {
  readonly contract: typeof CONTRACT;
  readonly kind: Kind;
  /** Equals the name of the folder. */
  readonly name: string;
  /** Called once at start. What it throws stops the start and is shown to the operator. */
  setup(section: Section, host: Host): Instance | Promise<Instance>;
}
