import { readOptions } from "@/config/mod.ts";
import { formatComplaint } from "@/config/configuration.ts";
import type { PluginSettings, SettingValues } from "@/plugins/contract.ts";

/** The values that a plugin's `setup` gets for these settings, with its defaults. Throws for wrong ones. */
export function sectionOf<Table extends PluginSettings>(
  { settings }: { readonly settings?: Table | undefined },
  given: Readonly<Record<string, unknown>> = {},
): SettingValues<Table> {
  const { section, complaints } = readOptions(settings ?? {}, given, "/");
  if (complaints.length > 0) throw new Error(complaints.map(formatComplaint).join("\n"));
  // The table gives each key its type.
  return section as SettingValues<Table>;
}
