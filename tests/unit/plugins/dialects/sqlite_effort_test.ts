import assert from "node:assert/strict";
import process from "node:process";
import { measureEffort } from "@/plugins/dialects/sqlite/effort.ts";

Deno.test("waiting is no effort", async () => {
  const effort = measureEffort();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.ok(effort() < 150, String(effort()));
});

Deno.test("the work of the processor is the effort, and never more than the time that passed", () => {
  const began = performance.now();
  const effort = measureEffort();
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < 60_000);
  const measured = effort();
  assert.ok(measured >= 50 && measured <= performance.now() - began, String(measured));
});
