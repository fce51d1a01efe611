import assert from "node:assert/strict";
import { ROOT } from "@/tests/support/root.ts";

/** In a process of its own: the other tests of this one work as well. */
const SCRIPT = `
  import process from "node:process";
  import { measureEffort } from "@/plugins/dialects/sqlite/effort.ts";
  const waiting = measureEffort();
  await new Promise((resolve) => setTimeout(resolve, 500));
  console.log(waiting());
  const began = performance.now();
  const working = measureEffort();
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < 60_000);
  console.log(working(), performance.now() - began);
`;

Deno.test("waiting is no effort; work of the processor is, for no more than the time that passed", async () => {
  const args = ["eval", "--no-check", "--cached-only", "--ext=ts", SCRIPT];
  const options = { args, cwd: ROOT, env: { NO_COLOR: "1" } };
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), options).output();
  const [waiting = NaN, working = NaN, passed = NaN] = new TextDecoder().decode(stdout).split(/\s/).map(
    Number,
  );
  assert.ok(waiting < 250, `${waiting} ${new TextDecoder().decode(stderr)}`);
  assert.ok(working >= 50 && working <= passed, `${working} of ${passed}`);
});
