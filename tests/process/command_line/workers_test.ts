import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess } from "@/tests/support/process.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { until } from "@/tests/support/until.ts";
import { pluginFolder, pluginSource } from "@/tests/support/plugin_folder.ts";

const KEY = "admin-0123456789-0123456789-0123456789";

/** Ends the thread of its worker as soon as the file is there, which it removes. */
const ENDING = `() => {
  if ("WorkerGlobalScope" in globalThis) setInterval(() => {
    try { Deno.removeSync(new URL("../../end", import.meta.url)); } catch { return; }
    globalThis.close();
  }, 10);
  return { contentTypes: ["text/x-ending"], writer() {}, document() {}, problem() {} };
}`;

for (const adapter of ["deno", "node"] as const) {
  Deno.test(`a worker thread that ends itself is logged and replaced (${adapter})`, async () => {
    using folder = pluginFolder({ "formats/ending/mod.ts": pluginSource("format", "ending", ENDING) });
    const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,ending\n`;
    await using service = await startProcess({
      files: { "config/service.ini": settings },
      args: ["--workers", "2", "--adapter", adapter],
    });
    await Deno.writeTextFile(join(folder.path, "end"), "");
    await until(async () => /INFO Another worker thread has taken its place/.test(await service.log()));
    assert.match(await service.log(), /ERROR A worker thread is dead: it has ended itself\n/);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendRaw(service.port, { target: "/db/Demo/Port/PortId/1/Name.json" })),
    );
    assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['"Bergen"']));
    const metrics = await (await service.fetch("/metrics")).text();
    assert.match(metrics, /^rowhouse_worker_restarts_total 1$/m);
    assert.equal((await service.stop()).code, 0);
  });
}

Deno.test("a worker thread that takes the place of another follows the orders since the start", async () => {
  using folder = pluginFolder({ "formats/ending/mod.ts": pluginSource("format", "ending", ENDING) });
  const databases = "Demo: {db_type: sqlite, db_name: ../state/demo.db, autoconnect: false}\n";
  await using service = await startProcess({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${folder.path}\nformats = json,ending\n`,
      "config/databases.cfg": databases,
      "config/users.cfg": `admin: {apikey: ${KEY}}\npublic: {databases: {Demo: {}}}\n`,
      // An order to another process, before the start.
      "state/connections.yml": "Demo: connect 2026-01-01T00:00:00.000Z\n",
    },
    isAdministered: true,
    args: ["--workers", "2"],
  });
  const statuses = async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendRaw(service.port, { target: "/db/Demo/Port/PortId/1/Name.json" })),
    );
    return [...new Set(answers.map(({ status }) => status))];
  };
  assert.deepEqual(await statuses(), [503]);
  const order = { method: "POST", headers: { apikey: KEY } };
  assert.equal((await service.fetch("/load-model/Demo.json", order)).status, 200);
  await until(async () => (await statuses()).join() === "200");
  await Deno.writeTextFile(join(folder.path, "end"), "");
  await until(async () => /INFO Another worker thread has taken its place/.test(await service.log()));
  await until(async () => (await statuses()).join() === "200");
});

Deno.test("a worker thread that takes the place of another has the settings of the start", async () => {
  using folder = pluginFolder({ "formats/ending/mod.ts": pluginSource("format", "ending", ENDING) });
  const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,ending\n`;
  await using service = await startProcess({
    files: { "config/service.ini": settings },
    args: ["--workers", "2"],
  });
  // An operator prepares the next start.
  const path = join(service.home, "config", "service.ini");
  for (const prepared of ["branding.name = Other\n", "branding.nme = Other\n"]) {
    await Deno.writeTextFile(path, settings + prepared);
    const before = (await service.log()).length;
    await Deno.writeTextFile(join(folder.path, "end"), "");
    await until(async () => (await service.log()).slice(before).includes("Another worker thread has taken"));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => sendRaw(service.port, { target: "/db/Demo/Port.json?count" })),
    );
    assert.ok(answers.every(({ headers }) => headers.has("rowhouse-all-record-count")), prepared);
  }
});

/** Stops the thread of its worker for ever as soon as the file is there. */
const HANGING = ENDING.replace(
  "globalThis.close();",
  "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
).replace("x-ending", "x-hanging");

Deno.test("a worker thread that hangs is told by /healthz, and ends the process with 1", async () => {
  using folder = pluginFolder({ "formats/hanging/mod.ts": pluginSource("format", "hanging", HANGING) });
  const settings = `[service]\nplugins_path = ${folder.path}\nformats = json,hanging\n`;
  await using service = await startProcess({
    files: { "config/service.ini": settings },
    args: ["--workers", "2"],
  });
  // No signal that does anything: the service ends by itself.
  const end = service.stop("SIGCONT");
  // A request that the silent worker gets has no answer, and the other one waits a second for its counts.
  const ask = async (path: string) => {
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    const signal = AbortSignal.timeout(3000);
    return await fetch(service.url + path, { client, signal }).then((answer) => answer.text(), () => "");
  };
  const expected = ["a worker gives no sign of life\n", "\nrowhouse_workers_silent 1\n"];
  const told = new Set<string>();
  let hasEnded = false;
  void end.then(() => hasEnded = true);
  assert.equal(await ask("/healthz"), "ok\n");
  await Deno.writeTextFile(join(folder.path, "end"), "");
  while (!hasEnded && told.size < expected.length) {
    const paths = Array.from({ length: 6 }, () => ["/healthz", "/metrics"]).flat();
    const text = (await Promise.all(paths.map(ask))).join("");
    for (const each of expected) if (text.includes(each)) told.add(each);
  }
  assert.deepEqual([...told].toSorted(), expected.toSorted());
  assert.equal((await end).code, 1);
  assert.match(await service.log(), /ERROR A worker thread is dead.*: no sign of life for 30 seconds/);
});

Deno.test("mistakes in the configuration are logged once, however many workers there are", async () => {
  const users = "admin: {}\npublic: {databases: {Dmeo: {}}}\n";
  await using service = await startProcess({
    files: { "config/users.cfg": users },
    args: ["--workers", "3"],
  });
  const path = join(service.home, "config", "users.cfg");
  await Deno.writeTextFile(path, `${users}nobody: {shoe: 1}\n`);
  await until(async () => (await service.log()).includes("nobody.shoe"));
  await Deno.writeTextFile(path, `${users}anna: {apikey: short}\n`);
  // The number is that of the worker with the most of them.
  await until(async () => {
    const metrics = await (await service.fetch("/metrics")).text();
    return metrics.includes("\nrowhouse_configuration_complaints 0\n");
  });
  const lines = (await service.log()).split("\n");
  const told = [
    "public.databases.Dmeo",
    "nobody.shoe",
    "is in order again",
    "anna.apikey: the key has fewer",
  ];
  const counts = told.map((text) => lines.filter((line) => line.includes(text)).length);
  assert.deepEqual(counts, [1, 1, 1, 1]);
});
