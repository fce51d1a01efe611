/**
 * Runs a service for minutes under mixed load, with kills, outages, slow and leaving clients. Fails
 * if an acknowledged write is missing, if an answer is an error of the service's own, or if the
 * memory of the service or of a process of SQLite, descriptors or files grow in the last half. Linux
 * only; needs PostgreSQL's programs.
 *
 * Usage: deno task soak --help
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { print } from "@/core/start/console.ts";
import { assertDurable, Clients, Home } from "@/tests/process/writing/acknowledged.ts";
import { serve, type Served } from "@/tests/support/process.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";
import { type OwnServer, startServer } from "@/tests/support/servers/mod.ts";
import { writeSection } from "./document.ts";
import { ownMegabytes, processesOf, residentMegabytes } from "./process_usage.ts";

/** Seconds between two samples, and between two events. */
const STEP = 5;
/** Requests that are repeated, each by a client of its own. */
const PATHS = [
  "/db/Demo/Ticket/TicketId/1832.json",
  "/db/Demo/Ticket.json?limit=1000",
  "/db/Demo/Ticket.html",
  "/db/Demo/Booking.json?limit=200&depth=1",
  "/db/Demo/Ticket.csv?stream",
  "/db/Log/Entry.json?limit=100&sort=-Id",
  "/db/Far/thing.json",
  "/db/Far/thing.xml?limit=10",
  "/metrics",
];
/** More than sockets keep. */
const LARGE = "/db/Demo/Ticket.json?depth=1";
/** Largest growth of a figure from the third quarter of the time to the last one. */
const GROWTH = 1.25;
/** Descriptors of the service for each process of SQLite. */
const PIPES = 3;
/** Those of two workers, each with `pool.max` (10) and a writer for two databases, and the service itself. */
const MOST_PROCESSES = 45;

const USAGE = `Runs the service under load, kills and outages; needs PostgreSQL's programs.

Usage: deno task soak [MINUTES] [options]

  MINUTES    length (10)
  --write    puts the table into docs/faults.md
  --help     this text
`;

interface Sample {
  readonly minute: number;
  /** Of the service, and of each process of SQLite. */
  readonly megabytes: number;
  readonly each: number;
  readonly descriptors: number;
  readonly processes: number;
  readonly files: number;
  readonly writes: number;
}

/** The service, its clients and what they have seen. */
interface Subject {
  readonly home: Home;
  readonly far: OwnServer;
  readonly writers: Clients;
  served: Served;
  isOver: boolean;
  /** Answers by status, `none` for a broken connection. */
  readonly answers: Map<string, number>;
  readonly events: Map<string, number>;
}

if (import.meta.main) await main(Deno.args);

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { write: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) return print(USAGE);
  const minutes = Number(positionals[0] ?? 10);
  if (!(minutes > 0)) throw new TypeError(`Cannot run for ${positionals[0]} minutes`);
  await using far = await startServer("postgresql", { durable: true });
  const database = await far.createDatabase("soak");
  await far.exec(
    "CREATE TABLE thing AS SELECT id, 'thing ' || id AS name FROM generate_series(1, 500) id",
    database,
  );
  await far.exec("ALTER TABLE thing ADD PRIMARY KEY (id)", database);
  const login = `dbuser: ${far.user}, dbpass: '${far.password}'`;
  await using home = await Home.make({
    Demo: { members: "db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'" },
    Far: {
      members: `db_type: postgresql, db_name: ${database}, db_host: ${far.host}, db_port: ${far.port}, ` +
        `autoload_user: {${login}}`,
      login,
    },
  });
  const subject: Subject = {
    home,
    far,
    writers: new Clients(),
    served: await start(home),
    isOver: false,
    answers: new Map(),
    events: new Map(),
  };
  const samples = await run(subject, minutes);
  const { code } = await subject.served.stop();
  assert.equal(code, 0, "The service has not ended in order");
  assertDurable(home, subject.writers);
  const text = report(subject, samples);
  print(text);
  if (values.write) await writeSection("soak", text, "faults.md");
  assertFlat(samples.slice(samples.length / 2));
  const wrong = [...subject.answers.keys()].filter((status) => !["200", "503", "none"].includes(status));
  assert.deepEqual(wrong, [], "Answers that no client should see");
}

/** Temporary files are below the home, too, where they are counted. */
function start(home: Home): Promise<Served> {
  return serve(["--home", home.directory, "--workers", "2"], { TMPDIR: home.directory });
}

async function run(subject: Subject, minutes: number): Promise<readonly Sample[]> {
  subject.writers.start(subject.served.url);
  const clients = [...PATHS.map((path) => read(subject, path)), leave(subject), stall(subject)];
  const samples: Sample[] = [];
  const steps = Math.round(minutes * 60 / STEP);
  for (let step = 1; step <= steps; step++) {
    await seconds(STEP);
    samples.push(sample(subject, step));
    if (step < steps) await disturb(subject, step, step > steps / 2);
  }
  subject.isOver = true;
  await Promise.all([subject.writers.stop(), ...clients]);
  return samples;
}

/** In the last half the service lives on, because its memory is looked at. */
async function disturb(subject: Subject, step: number, isLate: boolean): Promise<void> {
  if (step % 4 === 1) {
    const workers = processesOf(subject.served.pid).slice(1);
    const pid = workers[step % workers.length];
    if (pid !== undefined) Deno.kill(pid, "SIGKILL");
    note(subject.events, "SQLite process killed");
  } else if (step % 4 === 3) {
    note(subject.events, "PostgreSQL killed");
    await subject.far.kill();
    await seconds(2);
    await subject.far.restart();
  } else if (!isLate && step % 4 === 0) {
    note(subject.events, "service killed");
    await subject.served.stop("SIGKILL");
    await subject.writers.stop();
    subject.served = await start(subject.home);
    subject.writers.start(subject.served.url);
  }
}

async function read(subject: Subject, path: string): Promise<void> {
  while (!subject.isOver) await ask(subject, path);
}

/** Clients that go away in the middle. */
async function leave(subject: Subject): Promise<void> {
  for (let count = 0; !subject.isOver; count++) {
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), count % 50);
    await ask(subject, PATHS[count % PATHS.length] ?? "/", leaving.signal);
  }
}

async function ask({ served, answers }: Subject, path: string, signal?: AbortSignal): Promise<void> {
  try {
    const answer = await fetch(served.url + path, signal ? { signal } : {});
    await answer.arrayBuffer();
    note(answers, String(answer.status));
    // A refused client comes back later.
    if (answer.status !== 200) await seconds(0.1);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    if (!signal) note(answers, "none");
    await seconds(0.05);
  }
}

/** Clients that take nothing of large answers, twenty at a time. */
async function stall(subject: Subject): Promise<void> {
  while (!subject.isOver) {
    const open = () => RawStream.open(subject.served.port, LARGE);
    const opened = await Promise.allSettled(Array.from({ length: 20 }, open));
    await seconds(STEP);
    for (const stream of opened) if (stream.status === "fulfilled") stream.value[Symbol.dispose]();
  }
}

function sample({ served, home, writers }: Subject, step: number): Sample {
  const processes = processesOf(served.pid);
  const megabytes = ownMegabytes(served.pid);
  return {
    minute: step * STEP / 60,
    megabytes,
    each: (residentMegabytes(served.pid) - megabytes) / Math.max(1, processes.length - 1),
    descriptors: [...Deno.readDirSync(`/proc/${served.pid}/fd`)].length,
    processes: processes.length,
    files: countFiles(home.directory),
    writes: writers.texts.length,
  };
}

function countFiles(directory: string): number {
  return [...Deno.readDirSync(directory)].reduce((sum, { name, isDirectory }) => {
    return sum + (isDirectory ? countFiles(join(directory, name)) : 1);
  }, 0);
}

/**
 * Throws if a figure of the last half grows. There are as many processes of
 * SQLite as long reads at the same time.
 */
function assertFlat(samples: readonly Sample[]): void {
  const middle = samples.length / 2;
  const [before, after] = [samples.slice(0, middle), samples.slice(middle)];
  const figures: Readonly<Record<string, (sample: Sample) => number>> = {
    "megabytes of the service": ({ megabytes }) => megabytes,
    "megabytes of a process of SQLite": ({ each }) => each,
    descriptors: ({ descriptors, processes }) => descriptors - PIPES * processes,
    files: ({ files }) => files,
  };
  for (const [name, figure] of Object.entries(figures)) {
    const [early, late] = [before, after].map((part) => Math.max(...part.map(figure)));
    assert.ok((late ?? 0) <= (early ?? 0) * GROWTH, `${name} have grown from ${early} to ${late}`);
  }
  const most = Math.max(...samples.map(({ processes }) => processes));
  assert.ok(most <= MOST_PROCESSES, `There were ${most} processes`);
}

/** The curve in at most twelve lines, and what has happened. */
function report({ answers, events }: Subject, samples: readonly Sample[]): string {
  const every = Math.ceil(samples.length / 12);
  const lines = samples.filter((_, at) => (at + 1) % every === 0).map((each) =>
    `| ${each.minute.toFixed(1)} | ${each.megabytes.toFixed(0)} | ${
      each.each.toFixed(0)
    } | ${each.descriptors} | ${each.processes} | ` +
    `${each.files} | ${each.writes.toLocaleString("en")} |`
  );
  const counts = (map: ReadonlyMap<string, number>) =>
    [...map].toSorted().map(([name, count]) => `${name} ${count.toLocaleString("en")}`).join(", ");
  return [
    "| minute | MB of the service | MB of a SQLite process | descriptors | processes | files | acknowledged records |",
    "| --: | --: | --: | --: | --: | --: | --: |",
    ...lines,
    "",
    `Events: ${counts(events)}. Answers by status: ${counts(answers)}.`,
    "",
  ].join("\n");
}

function note(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000));
}
