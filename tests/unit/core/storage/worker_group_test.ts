/** @module The workers of a process answer together. */

import assert from "node:assert/strict";
import { WorkerGroup } from "@/core/storage/worker_group.ts";
import { until } from "@/tests/support/until.ts";

function groupOf(workers: number, beat = 1000): readonly WorkerGroup[] {
  const channel = crypto.randomUUID();
  return Array.from({ length: workers }, (_, at) => {
    const group = new WorkerGroup({ channel, workers, isKeeper: at === 0, beat });
    group.answers("number", () => at);
    return group;
  });
}

async function numbers(group: WorkerGroup | undefined): Promise<readonly string[]> {
  const parts = await group?.ask("number") ?? [];
  return parts.map(({ value, isPresent }) => `${value}${isPresent ? "" : " gone"}`).toSorted();
}

Deno.test("whichever worker is asked, all of them answer", async () => {
  const groups = groupOf(3);
  for (const group of groups) assert.deepEqual(await numbers(group), ["0", "1", "2"]);
  for (const group of groups) group[Symbol.dispose]();
});

Deno.test("a worker that is still starting has no part in the answer", async () => {
  const groups = groupOf(2);
  const [first, second] = groups;
  second?.answers("late", () => "there");
  assert.deepEqual(await first?.ask("late"), [{ value: "there", isPresent: true }]);
  first?.answers("late", () => "there, too");
  second?.answers("late", () => undefined);
  assert.deepEqual(await first?.ask("late"), [{ value: "there, too", isPresent: true }]);
  for (const group of groups) group[Symbol.dispose]();
});

Deno.test("news reach the other workers, not their teller", async () => {
  const groups = groupOf(3);
  const heard: string[] = [];
  groups.forEach((group, at) => group.hear((subject, news) => heard.push(`${at} ${subject} ${news}`)));
  groups[1]?.tell("Demo", "damaged");
  groups[1]?.tell("Demo", undefined);
  await until(() => heard.length === 4);
  assert.deepEqual(heard.toSorted(), [
    "0 Demo damaged",
    "0 Demo undefined",
    "2 Demo damaged",
    "2 Demo undefined",
  ]);
  for (const group of groups) group[Symbol.dispose]();
});

Deno.test("a single worker answers alone", async () => {
  const [only] = groupOf(1);
  assert.deepEqual(await numbers(only), ["0"]);
  assert.equal(only?.silent, 0);
});

Deno.test("what a dead worker has said last is told by every other one", async () => {
  const groups = groupOf(3);
  await numbers(groups[2]);
  groups[2]?.[Symbol.dispose]();
  for (const group of groups.slice(0, 2)) assert.deepEqual(await numbers(group), ["0", "1", "2 gone"]);
  for (const group of groups.slice(0, 2)) group[Symbol.dispose]();
});

Deno.test("a worker without a sign of life is silent, and one that takes its place is a restart", async () => {
  const [first, second] = groupOf(2, 10);
  await until(() => first?.restarts === 0 && first.silent === 0);
  second?.[Symbol.dispose]();
  await until(() => first?.silent === 1);
  first?.[Symbol.dispose]();
});
