/**
 * Generates `docs/settings.md` from the table of settings, and the tables of `docs/configuration.md` from the member
 * tables. Run it after a change: `deno run -RW config/docs.ts`.
 *
 * @module
 */

import { DATABASE_MEMBERS } from "./databases.ts";
import type { AnyMembers } from "./definition_members.ts";
import { QUERY_MEMBERS } from "./queries.ts";
import type { Setting } from "./setting_types.ts";
import { SETTING_GROUPS, SETTING_PATTERNS } from "./settings.ts";
import { USER_MEMBERS } from "./users.ts";

const INTRODUCTION = `# Settings

Settings of \`service.ini\`, all under \`[service]\`. They are read at start: a change needs a restart. An unknown key or a value
of the wrong type stops the start. \`\${NAME}\` in a value is taken from the environment (\`$\${\` is the text \`\${\`); relative
paths are relative to \`{config_dir}\`. A value with \`;\` or \`#\` must stand in double quotes.

This page is generated from \`config/settings.ts\` by \`config/docs.ts\`.
`;

const HEADER = "| Setting | Type | Default | Meaning |\n|---|---|---|---|\n";

/** The whole page. */
export function settingsPage(): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, settings]) => {
    const rows = Object.entries<Setting<unknown>>(settings).map(([key, setting]) => settingRow(key, setting));
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

const MEMBER_TABLES: readonly (readonly [heading: string, members: AnyMembers])[] = [
  ["Databases", DATABASE_MEMBERS],
  ["Users", USER_MEMBERS],
  ["Queries", QUERY_MEMBERS],
];

/** The page of `docs/configuration.md` with its generated tables of members. */
export function configurationPage(page: string): string {
  return MEMBER_TABLES.reduce((text, [heading, members]) => {
    const table = new RegExp(`(?<=\\n## ${heading}\\n(?:(?!\\n## )[^])*?)\\| Member [^]*?\\n(?=\\n)`);
    return text.replace(table, () => memberTable(members));
  }, page);
}

/** In the layout of `deno fmt`. Members with the same meaning share a row. */
function memberTable(members: AnyMembers): string {
  const names = Map.groupBy(Object.values(members), ({ doc }) => doc);
  const rows = [...names].flatMap(([doc, group]) =>
    doc === undefined ? [] : [[group.map(({ wire }) => code(wire)).join(", "), doc] as const]
  );
  const width = Math.max(...rows.map(([name]) => name.length));
  const length = Math.max(...rows.map(([, doc]) => doc.length));
  return [["Member", "Meaning"], ["-".repeat(width), "-".repeat(length)], ...rows]
    .map(([name = "", doc = ""]) => `| ${name.padEnd(width)} | ${doc.padEnd(length)} |\n`).join("");
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  await Deno.writeTextFile(new URL("../docs/settings.md", import.meta.url), settingsPage());
  const configuration = new URL("../docs/configuration.md", import.meta.url);
  await Deno.writeTextFile(configuration, configurationPage(await Deno.readTextFile(configuration)));
}
