/**
 * @module Faults that waiting does not mend say what they are: in the answer,
 * the log, `/readyz` and `/metrics`.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestProcess } from "@/tests/support/process.ts";
import { run } from "@/tests/support/servers/programs.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { until } from "@/tests/support/until.ts";
import { assertDocumented, create, limit, MOUNTS, processesOf, startFaulty } from "./faults.ts";

const ON_LINUX = { ignore: Deno.build.os !== "linux" };

async function assertRefused(response: Response, words: RegExp): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, 503, text);
  assert.equal(response.headers.get("Retry-After"), null);
  assert.match(text, words);
}

async function assertCreated(service: TestProcess): Promise<void> {
  const response = await create(service);
  assert.equal(response.status, 201, await response.text());
}

/**
 * The number that the next descriptor of a process gets: a limit is about
 * numbers, and closed ones leave gaps.
 */
function lowestFree(pid: number): number {
  const taken = new Set([...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) => Number(name)));
  let free = 0;
  while (taken.has(free)) free++;
  return free;
}

const STORAGE = {
  log: /ERROR Database Demo: its storage fails/,
  readyz: /^Demo: its storage fails/,
  metrics: /^rowhouse_database_faults_total.*storage.* [1-9]/,
};

Deno.test({
  ignore: !MOUNTS,
  name: "a full disk is named, once a minute, until there is room again",
  async fn() {
    const state = (home: string) => join(home, "state");
    await using service = await startFaulty((home) => mount(state(home)));
    const place = state(service.home);
    try {
      await assertCreated(service);
      const filler = join(place, "filler");
      await new Deno.Command("dd", { args: ["if=/dev/zero", `of=${filler}`, "bs=4096"], stderr: "null" })
        .output();
      await until(async () => await statusOf(create(service)) === 503);
      for (let time = 0; time < 3; time++) await assertRefused(await create(service), /storage fails/);
      assert.equal((await service.log()).split("its storage fails").length, 2, "one line a minute");
      await assertDocumented(service, "a full disk", STORAGE);
      await Deno.remove(filler);
      await assertCreated(service);
    } finally {
      await service.stop();
      await run(["umount", "-l", place]);
    }
  },
});

/** Puts the files of a directory onto a small disk. */
async function mount(directory: string): Promise<void> {
  const demo = await Deno.readFile(join(directory, "demo.db"));
  await run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", directory]);
  await Deno.writeFile(join(directory, "demo.db"), demo);
}

Deno.test({
  ...ON_LINUX,
  name: "a disk that refuses a write is named",
  async fn() {
    await using service = await startFaulty();
    await assertCreated(service);
    await limit(processesOf(service), "--fsize=1:unlimited");
    await assertRefused(await create(service), /storage fails/);
    await assertDocumented(service, "a disk that refuses a write", STORAGE);
    await limit(processesOf(service), "--fsize=unlimited:unlimited");
    await assertCreated(service);
  },
});

Deno.test({
  ...ON_LINUX,
  name: "missing descriptors are named",
  async fn() {
    await using service = await startFaulty();
    assert.equal((await service.fetch("/db/Demo/Amenity.json?limit=1")).status, 200);
    // Room for a request's connection and for the listener's next one, not for the pipes of a process.
    await limit([service.pid], `--nofile=${lowestFree(service.pid) + 2}:4096`);
    const refused = await create(service);
    await limit([service.pid], "--nofile=4096:4096");
    await assertRefused(refused, /storage fails/);
    await assertDocumented(service, "no descriptors left", STORAGE);
    await assertCreated(service);
  },
});

Deno.test({
  ...ON_LINUX,
  name: "a damaged file is named, and takes no more writes until another one is in its place",
  async fn() {
    let sound = new Uint8Array();
    await using service = await startFaulty(async (home) => {
      const file = join(home, "state", "demo.db");
      sound = await Deno.readFile(file);
      await damage(file);
    });
    const file = join(service.home, "state", "demo.db");
    await assertRefused(await service.fetch("/db/Demo/Booking.json?limit=5000"), /file is damaged/);
    await assertRefused(await create(service), /takes no more changes/);
    await assertDocumented(service, "a damaged file", {
      log: /ERROR Database Demo: its file is damaged/,
      readyz: /^Demo: its file is damaged/,
      metrics: /^rowhouse_database_faults_total.*corrupt.* [1-9]/,
    });
    await Deno.writeFile(`${file}.sound`, sound);
    await Deno.rename(`${file}.sound`, file);
    await until(async () => await statusOf(create(service)) === 201);
  },
});

Deno.test({
  ...ON_LINUX,
  name: "a damage that one worker finds ends the writes of all",
  async fn() {
    const damaged = (home: string) => damage(join(home, "state", "demo.db"));
    await using service = await startFaulty(damaged, ["--workers", "2"]);
    await assertRefused(await service.fetch("/db/Demo/Booking.json?limit=5000"), /file is damaged/);
    // Both workers have a part in the answer, and they hear of the damage before the question.
    assert.match(await (await service.fetch("/readyz")).text(), /^Demo: its file is damaged/m);
    // Requests at the same time have connections of their own, which the system spreads over the workers.
    const answers = await Promise.all(Array.from({ length: 30 }, () => statusOf(create(service))));
    assert.deepEqual(new Set(answers), new Set([503]));
  },
});

/** Overwrites a leaf page of the table with the bookings. */
async function damage(path: string): Promise<void> {
  const { default: Database } = await import("better-sqlite3");
  const database = new Database(path);
  const page = Number(
    database.prepare("SELECT max(pageno) FROM dbstat WHERE name = 'Booking'").pluck().get(),
  );
  const size = Number(database.pragma("page_size", { simple: true }));
  database.close();
  using file = await Deno.open(path, { write: true });
  await file.seek((page - 1) * size, Deno.SeekMode.Start);
  await file.write(new Uint8Array(size).fill(0xff));
}

Deno.test({
  ...ON_LINUX,
  name: "a process for statements that was killed is a warning with its signal",
  async fn() {
    await using service = await startFaulty();
    await assertCreated(service);
    for (const pid of processesOf(service)) Deno.kill(pid, "SIGKILL");
    await until(async () => (await service.log()).includes("were cut off"));
    await assertDocumented(service, "a killed SQLite process", {
      log: /WARN The dialect "sqlite": Statements of SQLite/,
      metrics: /^rowhouse_process_ends_total.* [1-9]/,
    });
    await assertCreated(service);
  },
});

Deno.test({
  ...ON_LINUX,
  name: "a log that takes a part of a line only is named",
  async fn() {
    await using service = await startFaulty();
    const { size } = await Deno.stat(join(service.home, "log", "rowhouse.log"));
    await limit([service.pid], `--fsize=${size + 10}:unlimited`);
    assert.equal(await statusOf(service.fetch("/version.json", { headers: { apikey: "wrong" } })), 403);
    const [line] = await service.said(/^Cannot write into a log: .*$/m);
    await assertDocumented(service, "a log that takes a part of a line only", {
      log: line,
      metrics: /^rowhouse_log_failures_total [1-9]/,
    });
    await limit([service.pid], "--fsize=unlimited:unlimited");
  },
});
