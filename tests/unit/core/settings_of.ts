/**
 * Settings for tests: the defaults with a test's changes.
 *
 * @module
 */

import { loadConfiguration, type Settings } from "@/config/mod.ts";

/** The defaults of an empty configuration with these changes. */
export function settingsOf(changes: Partial<Settings> = {}): Settings {
  const directories = { config: "/nowhere/config", state: "/nowhere/state", log: "/nowhere/log" };
  return { ...loadConfiguration(directories, {}).settings, ...changes };
}
