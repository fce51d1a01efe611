/**
 * Measures the service beside other servers that put HTTP in front of SQLite, each with a copy of one table.
 * They are installed by npm into a folder outside of the project, on the first use.
 *
 * Usage: deno task bench:peers --help
 *
 * @module
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { print } from "@/core/start/console.ts";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { writeSection } from "./document.ts";
import { writeConfiguration } from "./home.ts";
import { interruption } from "./http.ts";
import { inRounds, type Measured, measureServer, median, medianRatio } from "./load.ts";
import { type CommandLine, count, withOptions } from "./options.ts";
import { API_KEY } from "./scenarios.ts";
import { Server, stop } from "./server.ts";

const USAGE = `Measures the service beside soul and Platformatic DB on SQLite; needs npm and wrk.

Usage: deno task bench:peers [options]

  --folder PATH   where the peers are installed (a folder for caches of the user)
  --rounds N      measurements of each, alternately (3)
  --seconds N     seconds of each measurement (2)
  --write         puts the table into docs/benchmarks.md
  --help          this text
`;

const PACKAGES = ["soul-cli@0.8.2", "@platformatic/db@2.61.0"];
/** Those with native parts, whose scripts npm may leave out. */
const NATIVE = ["better-sqlite3", "bcrypt"];
const CONNECTIONS = 50;
const ROWS = 3000;
/** Milliseconds. */
const START_TIMEOUT = 30_000;

const ASKED = [
  { name: "record", description: "one record by key" },
  { name: "list", description: "list of 100" },
  { name: "post", description: "one new record" },
] as const;

type Asked = (typeof ASKED)[number]["name"];

interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server that runs. */
interface Running extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

interface Contestant {
  readonly name: string;
  readonly requests: Readonly<Record<Asked, Request>>;
  start(folder: string, database: string): Promise<Running>;
}

const JSON_BODY = { "Content-Type": "application/json" };
const VALUES = { bookingId: 1, fareCode: "ADULT", passenger: "Ada", price: 12.5 };
const NEW = JSON.stringify({ BookingId: 1, FareCode: "ADULT", Passenger: "Ada", Price: 12.5 });

const CONTESTANTS: readonly Contestant[] = [
  {
    name: "Rowhouse",
    requests: {
      record: { path: "/db/Demo/tickets/TicketId/1832.json" },
      list: { path: "/db/Demo/tickets.json?limit=100" },
      post: { path: "/db/Demo/tickets.json", headers: { ...JSON_BODY, apikey: API_KEY }, body: NEW },
    },
    async start(_folder, database) {
      const home = await Deno.makeTempDir({ prefix: "rowhouse-bench-" });
      writeConfiguration(home, {
        database: `  db_type: sqlite\n  db_name: ${database}\n`,
        login: "",
        quote: "",
      });
      const server = await Server.start(["main.ts", "serve", "--home", home, "--port", "0"]);
      const end = async () => {
        await server[Symbol.asyncDispose]();
        await Deno.remove(home, { recursive: true });
      };
      return { url: server.url, pid: server.pid, [Symbol.asyncDispose]: end };
    },
  },
  {
    name: "soul 0.8.2",
    requests: {
      record: { path: "/api/tables/tickets/rows/1832" },
      list: { path: "/api/tables/tickets/rows?_limit=100" },
      post: {
        path: "/api/tables/tickets/rows",
        headers: JSON_BODY,
        body: JSON.stringify({ fields: JSON.parse(NEW) }),
      },
    },
    start: (folder, database) => {
      const port = freePort();
      const program = join(folder, "node_modules", "soul-cli", "src", "server.js");
      return startNode([program, "-d", database, "-p", String(port)], port, folder);
    },
  },
  {
    name: "Platformatic DB 2.61.0",
    requests: {
      record: { path: "/tickets/1832" },
      list: { path: "/tickets/?limit=100" },
      post: { path: "/tickets/", headers: JSON_BODY, body: JSON.stringify(VALUES) },
    },
    async start(folder, database) {
      const port = freePort();
      const place = await Deno.makeTempDir({ dir: folder, prefix: "platformatic-" });
      const configuration = join(place, "watt.json");
      await Deno.writeTextFile(
        configuration,
        JSON.stringify({
          $schema: "https://schemas.platformatic.dev/@platformatic/db/2.61.0.json",
          db: { connectionString: `sqlite://${database}` },
          server: { hostname: "127.0.0.1", port, logger: { level: "warn" } },
          watch: false,
        }),
      );
      const program = join(folder, "node_modules", "@platformatic", "db", "db.mjs");
      return await startNode([program, "start", "-c", configuration], port, place);
    },
  },
];

interface Options {
  /** Where the peers are installed. */
  readonly folder: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly write: boolean;
}

/** The command line of this benchmark. */
export const PEERS: CommandLine<Options> = { usage: USAGE, parse: parseOptions };

if (import.meta.main) Deno.exit(await withOptions(Deno.args, PEERS, main));

function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "2" },
      write: { type: "boolean", default: false },
    },
  });
  const caches = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "", ".cache");
  return {
    folder: values.folder ?? join(caches, "rowhouse-bench"),
    rounds: count(values, "rounds"),
    seconds: count(values, "seconds"),
    write: values.write,
  };
}

async function main(options: Options): Promise<void> {
  await install(options.folder);
  const table = await Promise.race([compare(options), interruption()]);
  print(table);
  if (options.write) await writeSection("peers", table);
}

/** Installs the peers unless they are there. */
async function install(folder: string): Promise<void> {
  const done = join(folder, "installed.txt");
  const wanted = PACKAGES.join("\n");
  if (await Deno.readTextFile(done).catch(() => "") === wanted) return;
  await Deno.mkdir(folder, { recursive: true });
  print(`Installing ${PACKAGES.join(" and ")} into ${folder}: this takes some minutes.\n`);
  await npm(folder, ["install", "--no-audit", "--no-fund", ...PACKAGES]);
  await npm(folder, ["rebuild", ...NATIVE]);
  await Deno.writeTextFile(done, wanted);
}

async function npm(folder: string, args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command("npm", { args: [...args], cwd: folder, stdout: "null" })
    .output();
  if (!success) throw new Error(`npm ${args.join(" ")} failed in ${folder}`);
}

async function compare({ folder, ...extent }: Options): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const runs = new Map<string, { readonly contestant: Contestant; readonly running: Running }>();
  for (const contestant of CONTESTANTS) {
    const database = await makeDatabase(folder, contestant.name.replaceAll(/\W+/g, "-"), stack);
    const running = stack.use(await contestant.start(folder, database));
    runs.set(contestant.name, { contestant, running });
  }
  const lines = [
    "| Request | Server | per second | CPU µs | Rowhouse is |",
    "| --- | --- | --: | --: | --: |",
  ];
  for (const { name, description } of ASKED) {
    for (const { contestant, running } of runs.values()) {
      await requireAnswer(contestant.requests[name], running);
    }
    const measured = await inRounds(
      runs,
      extent,
      ({ contestant, running }, seconds) => measure(contestant.requests[name], running, seconds),
    );
    const all = (server: string, member: "requestsPerSecond" | "cpu") =>
      (measured.get(server) ?? []).map((one) => one[member]);
    for (const server of measured.keys()) {
      const [rates, cpu] = [all(server, "requestsPerSecond"), all(server, "cpu")];
      const ratio = medianRatio(all("Rowhouse", "requestsPerSecond"), rates);
      const times = server === "Rowhouse" ? "" : `${ratio.toFixed(1)} times as fast`;
      lines.push(
        `| ${[description, server, median(rates).toFixed(0), median(cpu).toFixed(0), times].join(" | ")} |`,
      );
    }
  }
  return lines.join("\n") + "\n";
}

/** A failing request says why before it is measured. */
async function requireAnswer({ path, headers = {}, body }: Request, { url }: Running): Promise<void> {
  const answer = await fetch(url + path, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Cannot measure ${url}${path}: ${answer.status} ${text.slice(0, 300)}`);
}

function measure(request: Request, running: Running, seconds: number): Promise<Measured> {
  const load = { headers: {}, ...request, name: request.path, seconds, connections: CONNECTIONS };
  return measureServer(running, load);
}

/** One table, whose name every contestant can put into a URL. */
async function makeDatabase(folder: string, name: string, stack: AsyncDisposableStack): Promise<string> {
  const directory = await Deno.makeTempDir({ dir: folder, prefix: `${name}-` });
  stack.defer(() => Deno.remove(directory, { recursive: true }));
  const file = join(directory, "tickets.db");
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.exec(`CREATE TABLE tickets (TicketId INTEGER PRIMARY KEY, BookingId INTEGER NOT NULL,
    FareCode TEXT NOT NULL, Passenger TEXT NOT NULL, Seat TEXT, Price REAL NOT NULL, CheckedInAt TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO tickets SELECT i, i % 500 + 1, 'ADULT', 'Passenger ' || i, NULL, 12.5, '2025-05-01 19:12:00' FROM n`);
  database.close();
  return file;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Starts a program of Node.js and waits until it answers anything. */
async function startNode(args: readonly string[], port: number, cwd: string): Promise<Running> {
  const child = new Deno.Command("node", { args: [...args], cwd, stdout: "null", stderr: "null" }).spawn();
  const end = () => stop(child);
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + START_TIMEOUT;
  while (performance.now() < until) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer) return { url, pid: child.pid, [Symbol.asyncDispose]: end };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await end();
  throw new Error(`${args[0]} does not answer`);
}
