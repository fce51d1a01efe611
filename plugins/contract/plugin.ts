/**
 * What plugins of every kind have in common.
 *
 * @module
 */

/** The version of this contract. A plugin that names another one is refused at start. */
export const CONTRACT = 1;

/** The settings of one plugin, as configured: what stands behind `{name}_sdb.` in service.ini, or its block in auth.cfg. */
export type Section = Readonly<Record<string, unknown>>;

/** Lines for operators, in the log file. Nothing secret belongs there. */
export interface Log {
  /** Something that happened. */
  info(message: string): void;
  /** Something that goes on working and should be looked at. */
  warn(message: string): void;
  /** Something that does not work; `cause` is written with its stack. */
  error(message: string, cause?: unknown): void;
}

/** What every plugin is, whatever its kind. */
export interface Plugin<Kind extends string, Instance, Host> {
  /** Always {@link CONTRACT}. */
  readonly contract: typeof CONTRACT;
  /** Which of the three kinds it is. */
  readonly kind: Kind;
  /** Equals the name of the folder. */
  readonly name: string;
  /** Called once at start. What it throws stops the start and is shown to the operator. */
  setup(section: Section, host: Host): Instance | Promise<Instance>;
}
