/**
 * Makes `docs/settings.md` from the table of settings. Run it after a change: `deno run -RW config/docs.ts`.
 *
 * @module
 */

import type { Setting } from "./setting.ts";
import { SETTING_GROUPS, SETTING_PATTERNS } from "./settings.ts";

const INTRODUCTION = `# Settings

Settings of \`service.ini\`, all under \`[service]\`. They are read at start: a change needs a restart. An unknown key or a value
of the wrong type stops the start. \`\${NAME}\` in a value is taken from the environment (\`$\${\` is the text \`\${\`); relative
paths are relative to \`{config_dir}\`. A value with \`;\` or \`#\` must stand in double quotes.

This page is generated from \`config/settings.ts\` by \`config/docs.ts\`.
`;

const HEADER = "| Setting | Type | Default | Meaning |\n|---|---|---|---|\n";

/** The whole page. */
export function settingsPage(): string {
  const groups = SETTING_GROUPS.map(([title, settings]) => {
    const rows = Object.entries(settings).map(([key, setting]) => settingRow(key, setting));
    return `\n## ${title}\n\n${HEADER}${rows.join("")}`;
  });
  const patterns = SETTING_PATTERNS.map((entry) =>
    row(code(entry.key), entry.type, entry.default, entry.doc)
  );
  return `${INTRODUCTION}${groups.join("")}\n## Settings with a name in their key\n\n${HEADER}${
    patterns.join("")
  }`;
}

function settingRow(key: string, setting: Setting<unknown>): string {
  const alias = setting.alias === undefined ? "" : ` Also written ${code(setting.alias)}.`;
  const effect = setting.effect === undefined ? "" : ` ${setting.effect}.`;
  return row(code(key), setting.type.noun, defaultCell(setting), `${setting.doc}${alias}${effect}`);
}

function defaultCell({ default: initial }: Setting<unknown>): string {
  if (initial === undefined) return "unset";
  if (typeof initial !== "string") return initial.shown;
  if (initial === "") return "empty";
  const [, other] = /^\{(?!config_dir|state_dir)([^}]+)\}$/.exec(initial) ?? [];
  return other === undefined ? code(initial) : `the value of ${code(other)}`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  await Deno.writeTextFile(new URL("../docs/settings.md", import.meta.url), settingsPage());
}
