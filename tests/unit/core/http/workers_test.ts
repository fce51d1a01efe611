import assert from "node:assert/strict";
import { Workers } from "@/core/http/workers.ts";
import type { WorkerOrder } from "./serving_worker.ts";
import { ROOT } from "@/tests/support/root.ts";
import { until } from "@/tests/support/until.ts";

// A thread that has ended leaves its messages behind for a moment.
Deno.test.sanitizer({ ops: false, resources: false });

const MODULE = import.meta.resolve("./serving_worker.ts");

/** Workers with this fate, and the lines of their log. */
async function start(fate: string, options: { readonly patience?: number } = {}) {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, fate);
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const log = { info: note, warn: note, error: note };
  const order: WorkerOrder = { file };
  try {
    const workers = await Workers.start({ module: MODULE, count: 1, order, log, pause: 10, ...options });
    return { workers, lines, remove: () => Deno.remove(file) };
  } catch (error) {
    await Deno.remove(file);
    throw error;
  }
}

const REASONS = {
  close: /^A worker thread is dead: it has ended itself$/,
  exit: /^A worker thread is dead: it has ended itself$/,
  throw: /^A worker thread is dead: .*No such thing/,
  lose: /^A worker thread is dead: The port is gone$/,
};

for (const [fate, reason] of Object.entries(REASONS)) {
  Deno.test(`a worker thread that dies is logged and replaced (${fate})`, async () => {
    const { workers, lines, remove } = await start(fate);
    await until(() => lines.length >= 2);
    await workers.stop(1000);
    assert.match(lines[0] ?? "", reason);
    assert.deepEqual(lines.slice(1), ["Another worker thread has taken its place"]);
    await remove();
  });
}

Deno.test("a worker thread that cannot start stops the start", async () => {
  await assert.rejects(
    start("refuse"),
    /^ServiceError: A worker cannot start: Error: The configuration is wrong$/,
  );
});

Deno.test("a worker thread that lives stays, and ends when it is told", async () => {
  const { workers, lines, remove } = await start("live", { patience: 2 });
  await new Promise((resolve) => setTimeout(resolve, 4000));
  assert.deepEqual(await workers.stop(1000), { running: 2, cutOff: 1 });
  assert.deepEqual(lines, []);
  await remove();
});

Deno.test("a worker thread that never returns counts as dead, and holds up no stop", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "block");
  const program = `
    import { Workers } from ${JSON.stringify(import.meta.resolve("@/core/http/workers.ts"))};
    const log = { info() {}, warn() {}, error: (line) => console.log(line) };
    const options = { module: ${JSON.stringify(MODULE)}, count: 1, order: ${JSON.stringify({ file })}, log };
    const workers = await Workers.start({ ...options, patience: 2 });
    console.log((await workers.lost).message);
    await workers.stop(0);
    Deno.exit(7);
  `;
  // A process of its own, because Deno cannot end such a thread.
  const args = ["eval", "--cached-only", program];
  const { code, stdout } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  await Deno.remove(file);
  assert.equal(code, 7);
  assert.deepEqual(new TextDecoder().decode(stdout).trimEnd().split("\n"), [
    "A worker thread is dead: no sign of life for 2 seconds",
    "A worker thread is dead and does not end: no sign of life for 2 seconds",
  ]);
});
