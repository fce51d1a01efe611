/** @module A service whose database fails, and what its operator sees of it. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";
import { workersWith } from "@/tests/unit/plugins/dialects/sqlite/processes.ts";

/** Only somebody who may mount can fill a disk of their own. */
export const MOUNTS: boolean = Deno.build.os === "linux" && Deno.uid() === 0 &&
  (await new Deno.Command("unshare", { args: ["-m", "true"] }).output()).success;

const EDITOR = { apikey: "editor-0123456789-0123456789-0123456789" };
/** Every service here has it: operators ask why. */
export const ADMIN = { apikey: "administrator-0123456789-0123456789" };
const USERS =
  `admin: {apikey: ${ADMIN.apikey}}\npublic: {databases: {Demo: {}}}\neditor: {apikey: ${EDITOR.apikey}, databases: {Demo: {}}}\n`;

/** A service with descriptors enough that its files can be limited. */
export function startFaulty(
  prepare?: (home: string) => Promise<void>,
  args: readonly string[] = [],
): Promise<TestProcess> {
  return startProcess({
    args,
    files: { "config/users.cfg": USERS },
    openFiles: 4096,
    ...(prepare === undefined ? {} : { prepare }),
  });
}

/** Creates one record; `size` is the length of its text. */
export async function create(service: TestProcess, size = 8): Promise<Response> {
  const headers = { ...EDITOR, "Content-Type": "application/json" };
  const body = JSON.stringify({ Name: crypto.randomUUID().padEnd(size, "x") });
  return await service.fetch("/db/Demo/Amenity.json", { method: "POST", headers, body });
}

/** The service's processes for SQLite statements. */
export function processesOf({ pid, home }: TestProcess): readonly number[] {
  return workersWith(join(home, "state", "demo.db")).map(Number).filter((each) => each !== pid);
}

/** Sets a limit of running processes. */
export async function limit(pids: readonly number[], resource: string): Promise<void> {
  for (const pid of pids) {
    const { code, stderr } = await new Deno.Command("prlimit", { args: [`--pid=${pid}`, resource] }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  }
}

/**
 * What an operator sees: a line of the log, or the text of one on standard error; a line of
 * `/readyz` and one of `/metrics`, which may be missing.
 */
export interface Sight {
  readonly log: RegExp | string;
  readonly readyz?: RegExp;
  readonly metrics?: RegExp;
}

/**
 * Asserts that the table of `docs/faults.md` has this fault with the lines that the service shows, and
 * that `/settings/reflect-status` has its reason.
 */
export async function assertDocumented(service: TestProcess, fault: string, sight: Sight): Promise<void> {
  const find = (text: string, pattern?: RegExp) => {
    if (!pattern) return "–";
    const line = text.split("\n").find((each) => pattern.test(each));
    assert.ok(line, `no line like ${pattern} in:\n${text}`);
    return `\`${plain(line)}\``;
  };
  const ask = async (path: string, headers = {}) => await (await service.fetch(path, { headers })).text();
  const [readyz = "", metrics = ""] = await Promise.all(
    ["/readyz", "/metrics"].map((path) => ask(path)),
  );
  const [, id, reason] =
    /^(\w+): (.*)$/.exec(readyz.split("\n").find((each) => sight.readyz?.test(each)) ?? "") ??
      [];
  if (reason !== undefined) {
    const state = JSON.parse(await ask(`/settings/reflect-status/${id}.json`, ADMIN));
    assert.equal(reason.replace(/^disconnected: /, ""), state.reason, "reflect-status has the reason");
  }
  const cells = [
    fault,
    typeof sight.log === "string"
      ? `standard error: \`${plain(sight.log)}\``
      : find(await service.log(), sight.log),
    find(readyz, sight.readyz),
    find(metrics, sight.metrics),
  ];
  const row = cells.join(" | ");
  const rows = (await Deno.readTextFile(join(ROOT, "docs", "faults.md"))).split("\n")
    .map((line) => line.replace(/^\| | \|$/g, "").replace(/ +\| +/g, " | ").trim());
  assert.ok(rows.includes(row), `docs/faults.md lacks the row: | ${row} |`);
}

/** Without times, numbers of this run, and paths. */
function plain(line: string): string {
  return line.replace(/^\S+Z /, "").replace(/process \d+/, "process N")
    .replace(/\(\d+ requests? failed\)/, "(N requests failed)").replace(
      /(?<=^\w+_total(\{.*\})?) [1-9]\d*$/,
      " N",
    )
    .replace(/within \d+ s/, "within N s").replace(/:\d{4,5}\b/, ":N").replace(
      /only \d+ of \d+/,
      "only N of N",
    ).replace(/'\/[^']*'/g, "'…'")
    .replace(/"pg_tblspc[^"]*"/, '"…"').replace(/relation base\/\S+/, "relation …");
}
