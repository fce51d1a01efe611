/**
 * @module Writes that share commits, while processes are killed and the disk is full:
 * what was acknowledged is stored.
 */

import assert from "node:assert/strict";
import { serve, type Served } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";
import { workersWith } from "@/tests/unit/plugins/dialects/sqlite/processes.ts";
import { assertDurable, Clients, Home } from "./acknowledged.ts";

const ROUNDS = 10;
/** Acknowledged writes before each failure; the number differs, so that other moments are hit. */
const ENOUGH = 60;

const ON_LINUX = { ignore: Deno.build.os !== "linux" };

Deno.test({
  name: "a service that is killed in the middle of shared commits has every acknowledged write",
  async fn() {
    await using home = await Home.make();
    const clients = new Clients();
    for (let round = 0; round < ROUNDS; round++) {
      const service = await serve(["--home", home.directory]);
      clients.start(service.url);
      await clients.untilMore(ENOUGH + round * 7);
      await service.stop("SIGKILL");
      await clients.stop();
      // Its workers end with it, after the commit that they have begun.
      await until(() => workersWith(home.file).length === 0);
      assertDurable(home, clients);
    }
  },
});

for (const threads of [1, 2]) {
  Deno.test({
    ...ON_LINUX,
    name:
      `a worker that is killed in the middle of shared commits loses no acknowledged write (--workers ${threads})`,
    async fn() {
      await using home = await Home.make();
      const clients = new Clients();
      const service = await serve(["--home", home.directory, "--workers", String(threads)]);
      clients.start(service.url);
      for (let round = 0; round < ROUNDS; round++) {
        await clients.untilMore(ENOUGH + round * 7);
        for (const pid of workersOf(service, home)) Deno.kill(pid, "SIGKILL");
        await clients.untilMore(ENOUGH);
      }
      await clients.stop();
      await service.stop();
      assertDurable(home, clients);
    },
  });
}

Deno.test({
  ...ON_LINUX,
  name: "a disk that is full in the middle of shared commits refuses whole requests, and loses none",
  async fn() {
    await using home = await Home.make();
    const clients = new Clients();
    const service = await serve(["--home", home.directory], {}, 4096);
    clients.start(service.url);
    for (let round = 0; round < ROUNDS; round++) {
      await clients.untilMore(ENOUGH);
      // The log of the file grows until it reaches the limit; a commit that does not fit is cut off.
      const limit = 100_000 + round * 37_000;
      const limited = workersOf(service, home);
      await limitFiles(limited, limit);
      await clients.untilRefused();
      await limitFiles(limited, "unlimited");
      await clients.untilMore(ENOUGH);
    }
    await clients.stop();
    await service.stop();
    assertDurable(home, clients);
  },
});

function workersOf({ pid }: Served, { file }: Home): number[] {
  const workers = workersWith(file).map(Number).filter((each) => each !== pid);
  assert.notEqual(workers.length, 0);
  return workers;
}

/** Sets the soft limit of the size of files: a write beyond it fails, as on a full disk. */
async function limitFiles(pids: readonly number[], bytes: number | "unlimited"): Promise<void> {
  for (const pid of pids) {
    const args = [`--pid=${pid}`, `--fsize=${bytes}:unlimited`];
    const { code, stderr } = await new Deno.Command("prlimit", { args }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  }
}
