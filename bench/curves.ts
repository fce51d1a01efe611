/**
 * Measures how time and memory grow with rows, columns, tables, users and connections, on SQLite.
 *
 * Usage: deno task bench:curves --help
 *
 * @module
 */

import { parseArgs } from "node:util";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { hashedKey } from "@/config/users.ts";
import { print } from "@/core/start/console.ts";
import { writeSection } from "./document.ts";
import { interruption } from "./http.ts";
import { type Measured, measureServer, median } from "./load.ts";
import { type CommandLine, findAll, withOptions } from "./options.ts";
import { peakMegabytes, resetPeak } from "./process_usage.ts";
import { API_KEY } from "./scenarios.ts";
import { Server } from "./server.ts";

/** One row of a curve's table: the figures at a size, by heading. */
type Figures = Readonly<Record<string, number>>;

/** What grows, its sizes, and what is measured at each. */
interface Curve {
  readonly name: string;
  readonly title: string;
  readonly sizes: readonly number[];
  measure(size: number): Promise<Figures>;
}

const SECONDS = 2;
const CONNECTIONS = 50;
const RECORD = "/db/Curve/Thing0/id/7.json";
const LIST = "/db/Curve/Thing0.json?limit=100";

const CURVES: readonly Curve[] = [
  {
    name: "rows",
    title: "Rows of the table",
    sizes: [10, 1000, 100_000, 1_000_000],
    measure: (rows) => withTable({ rows, columns: 8 }, measureReads),
  },
  {
    name: "columns",
    title: "Columns of the table",
    sizes: [1, 10, 50, 200],
    measure: (columns) => withTable({ rows: 1000, columns }, measureReads),
  },
  {
    name: "tables",
    title: "Tables of the database",
    sizes: [10, 100, 1000, 5000],
    measure: (tables) =>
      withTable({ rows: 10, columns: 8, tables }, async (server, started) => ({
        "start s": started,
        ...await measureRecord(server),
        "list of tables CPU ms": (await measure(server, "/db/Curve.json")).cpu / 1000,
      })),
  },
  {
    name: "users",
    title: "Users, each with an API key",
    sizes: [10, 100, 1000, 10_000],
    measure: (users) =>
      withTable({ rows: 10, columns: 8, users }, async (server, started) => ({
        "start s": started,
        ...await measureRecord(server),
        "change of a user ms": await changeUser(server),
      })),
  },
  {
    name: "connections",
    title: "Connections",
    sizes: [1, 10, 100, 1000, 2000],
    measure: (connections) =>
      withTable({ rows: 1000, columns: 8 }, (server) => measureRecord(server, connections)),
  },
];

const USAGE = `Measures how time and memory grow on SQLite; needs wrk.

Usage: deno task bench:curves [options]

  --only NAMES   curves, comma-separated: ${CURVES.map(({ name }) => name).join(", ")}
  --write        puts the tables into docs/benchmarks.md
  --help         this text
`;

interface Options {
  readonly curves: readonly Curve[];
  readonly write: boolean;
}

/** The command line of this benchmark. */
export const GROWTH: CommandLine<Options> = { usage: USAGE, parse: parseOptions };

if (import.meta.main) Deno.exit(await withOptions(Deno.args, GROWTH, main));

function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const curves = values.only === undefined ? CURVES : findAll("curve", values.only, CURVES);
  return { curves, write: values.write };
}

async function main({ curves, write }: Options): Promise<void> {
  const tables: string[] = [];
  for (const curve of curves) {
    const table = await Promise.race([draw(curve), interruption()]);
    print(`${table}\n`);
    tables.push(table);
  }
  if (write) await writeSection("curves", tables.join("\n"));
}

/** A table in Markdown. */
async function draw({ title, sizes, measure }: Curve): Promise<string> {
  const found: (readonly [number, Figures])[] = [];
  for (const size of sizes) found.push([size, await measure(size)]);
  const headings = Object.keys(found[0]?.[1] ?? {});
  const lines = found.map(([size, figures]) =>
    `| ${[size.toLocaleString("en"), ...headings.map((name) => shown(figures[name] ?? NaN))].join(" | ")} |`
  );
  const head = [`| ${[title, ...headings].join(" | ")} |`, `| ${"--: | ".repeat(headings.length)}--: |`];
  return [...head, ...lines, ""].join("\n");
}

function shown(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}

interface Sizes {
  readonly rows: number;
  readonly columns: number;
  readonly tables?: number;
  readonly users?: number;
}

/** `started`: seconds until the service answered the first request for a record. */
async function withTable(
  sizes: Sizes,
  measure: (server: Server, started: number) => Promise<Figures>,
): Promise<Figures> {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-bench-" });
  try {
    makeDatabase(`${directory}/curve.db`, sizes);
    await writeConfiguration(directory, sizes.users ?? 1);
    const began = performance.now();
    await using server = await Server.start(["main.ts", "serve", "--home", directory, "--port", "0"]);
    await ask(server.url + RECORD);
    return await measure(server, (performance.now() - began) / 1000);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

function makeDatabase(file: string, { rows, columns, tables = 1 }: Sizes): void {
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.exec("BEGIN");
  const names = Array.from({ length: columns - 1 }, (_, index) => `c${index}`);
  const declared = ["id INTEGER PRIMARY KEY", ...names.map((name) => `${name} TEXT`)].join(", ");
  for (let table = 0; table < tables; table++) database.exec(`CREATE TABLE Thing${table} (${declared})`);
  const values = ["value", ...names.map((name) => `'text of ${name}'`)].join(", ");
  database.exec(
    `WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ${rows})
     INSERT INTO Thing0 SELECT ${values} FROM number`,
  );
  database.exec("COMMIT");
  database.close();
}

async function writeConfiguration(directory: string, users: number): Promise<void> {
  const others = Array.from({ length: users }, (_, index) => {
    const key = hashedKey(`${API_KEY}-${index}`);
    return `user${index}:\n  apikey: ${key}\n  databases: {Curve: {access: {"*": [read]}}}\n`;
  });
  const files = {
    "service.ini": "[service]\nserver.max_connections = 4000\n",
    "auth.cfg": "authentication_policies:\n  apikey: {enabled: true, priority: 1}\n",
    "databases.cfg": `Curve:\n  db_type: sqlite\n  db_name: ${directory}/curve.db\n`,
    "users.cfg":
      `admin:\n  apikey: ${hashedKey(API_KEY)}\npublic:\n  databases: {Curve: {access: {"*": [read]}}}\n` +
      others.join(""),
  };
  await Deno.mkdir(`${directory}/config`);
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${directory}/config/${name}`, text);
  }
}

async function measureReads(server: Server): Promise<Figures> {
  return {
    ...await measureRecord(server),
    "list of 100 CPU µs": (await measure(server, LIST)).cpu,
    ...await measureStream(server),
  };
}

async function measureRecord(server: Server, connections: number = CONNECTIONS): Promise<Figures> {
  const { requestsPerSecond, p99, cpu } = await measure(server, RECORD, connections);
  return {
    "records per second": requestsPerSecond,
    "p99 ms": p99,
    "CPU µs": cpu,
    "peak MB": peakMegabytes(server.pid),
  };
}

/** Measures after a second of the same load. */
async function measure(server: Server, path: string, connections: number = CONNECTIONS): Promise<Measured> {
  const load = { path, headers: {}, connections };
  await measureServer(server, { ...load, seconds: 1 });
  resetPeak(server.pid);
  return await measureServer(server, { ...load, seconds: SECONDS });
}

/** The whole table in one answer. */
async function measureStream({ url, pid }: Server): Promise<Figures> {
  resetPeak(pid);
  const began = performance.now();
  const answer = await ask(`${url}/db/Curve/Thing0.json?stream`);
  for await (const _ of answer.body ?? []) { /* read and forgotten */ }
  return { "whole table ms": performance.now() - began, "its peak MB": peakMegabytes(pid) };
}

/** Milliseconds of the median of five changes. */
async function changeUser({ url }: Server): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 5; count++) {
    const began = performance.now();
    await ask(`${url}/userdef/user3.json`, {
      method: "PUT",
      headers: { apikey: API_KEY, "Content-Type": "application/json" },
      body: JSON.stringify({ email: `number${count}@example.org` }),
    });
    times.push(performance.now() - began);
  }
  return median(times);
}

async function ask(url: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return answer;
}
