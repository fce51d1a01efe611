/**
 * Settings that plugins declare as data: the service checks them, fills defaults in, and describes them.
 *
 * @module
 */

/** The values that a setting of each type has in `setup`. */
export interface SettingValue {
  /** Text that is not empty. */
  readonly text: string;
  /** `True` or `False`. */
  readonly boolean: boolean;
  /** A whole number. */
  readonly integer: number;
  /** A number that may have decimals. */
  readonly number: number;
  /** A file or directory, absolute; a relative one is below the configuration directory. */
  readonly path: string;
  /** Several texts without duplicates: with commas between them in service.ini, a list in other files. */
  readonly texts: readonly string[];
  /** Several paths, written like texts. */
  readonly paths: readonly string[];
  /** A block with members that the plugin checks itself; its values are never shown. Not in service.ini. */
  readonly mapping: Readonly<Record<string, unknown>>;
}

/** A setting of a plugin. */
export interface PluginSetting {
  /** The type of its value. */
  readonly type: keyof SettingValue;
  /** The value of an absent setting. A relative path is below the configuration directory. Absent: unset. */
  readonly default?: string | number | boolean | readonly string[];
  /** Its meaning, for operators, as one sentence. */
  readonly sentence: string;
  /** Its value is never shown, in complaints, logs and lists. */
  readonly secret?: true;
  /** A plugin without it is not set up. */
  readonly required?: true;
  /** The words that a text, or each of several texts, may be. */
  readonly values?: readonly string[];
  /** A regular expression for the whole text, or for each of several texts. */
  readonly pattern?: string;
  /** The expected value in words, for a setting with a {@link pattern}: `a URI`. */
  readonly expected?: string;
  /** The smallest number. */
  readonly least?: number;
  /** The largest number. */
  readonly most?: number;
}

/** The settings of a plugin by key: a letter, then letters, digits, `_`, `-` and dots. */
export type PluginSettings = Readonly<Record<string, PluginSetting>>;

/** The values of settings by key, as `setup` gets them, of a table that is declared `as const`. */
export type SettingValues<Table extends PluginSettings> = {
  readonly [Key in keyof Table]:
    | ValueOf<Table[Key]>
    | (Table[Key] extends { readonly default: unknown } | { readonly required: true } ? never : undefined);
};

type ValueOf<Setting extends PluginSetting> = Setting extends
  { readonly type: "text"; readonly values: readonly (infer Word)[] } ? Word
  : SettingValue[Setting["type"]];
