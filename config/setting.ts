/**
 * The type of an entry in the table of settings.
 *
 * @module
 */

import type { SettingType } from "./setting_types.ts";

/** One setting of service.ini. */
export interface Setting<T> {
  readonly type: SettingType<Exclude<T, undefined>>;
  /**
   * As written in the file. `{config_dir}` and `{state_dir}` are directories; any other name in braces is the value of
   * that setting. Absent: unset.
   */
  readonly default?: string | ChosenDefault;
  /** One sentence for the documentation. */
  readonly doc: string;
  /** Never shown in complaints and logs. */
  readonly secret?: true;
  /** The limits of its effect. A text that begins with `Without effect: …` is logged when the setting is set. */
  readonly effect?: string;
  /** An accepted second name. */
  readonly alias?: string;
}

/** A default that depends on other settings. */
export interface ChosenDefault {
  /** For the documentation. */
  readonly shown: string;
  choose(given: (key: string) => string | undefined): string;
}

/** Further members of a setting. */
export type Extra = Pick<Setting<unknown>, "secret" | "effect" | "alias">;

/** A setting that always has a value. */
export function setting<T>(
  type: SettingType<T>,
  initial: string | ChosenDefault,
  doc: string,
  extra: Extra = {},
): Setting<T> {
  return { type: type as SettingType<Exclude<T, undefined>>, default: initial, doc, ...extra };
}

/** A setting that may be unset; `initial` names the setting that is its default. */
export function optional<T>(
  type: SettingType<T>,
  doc: string,
  extra: Extra & { initial?: string } = {},
): Setting<T | undefined> {
  const { initial, ...rest } = extra;
  const start = initial === undefined ? {} : { default: initial };
  return { type: type as SettingType<Exclude<T, undefined>>, doc, ...start, ...rest };
}
