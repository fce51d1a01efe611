import assert from "node:assert/strict";
import { loadConfiguration } from "@/config/mod.ts";
import { NO_AUDIT } from "@/core/audit.ts";
import { createService, type RunningService } from "@/core/create_service.ts";
import json from "@/formats/json/mod.ts";
import { TestDirectory } from "@/tests/config/directory.ts";

async function start(directory: TestDirectory, messages: string[] = []): Promise<RunningService> {
  const note = (message: string) => void messages.push(message);
  const places = { config: directory.path, state: directory.path, log: directory.path };
  return await createService({
    configuration: loadConfiguration(places, {}).configuration,
    environment: {},
    audit: NO_AUDIT,
    log: { info: note, warn: note, error: note },
    formats: [json],
    methods: [],
    dialects: [],
    loadDialect: () => Promise.reject(new Error("No dialect is needed")),
    formatSection: () => ({}),
    streamByDefault: () => false,
    prefix: "",
    version: "1",
  });
}

const logins = ({ service }: RunningService) => [...service.users.keys()];

Deno.test("what is changed while the service starts is in force when it has started", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\nbob: {}\n" });
  await using running = await start(directory);
  Deno.writeTextFileSync(directory.file("users.cfg"), "ann: {}\nbob: {enabled: false}\ncleo: {}\n");
  assert.deepEqual(logins(running), ["ann", "bob"]);
  await running.watch();
  assert.deepEqual(logins(running), ["ann", "cleo"]);
  assert.equal(running.service.files.reloads, 1);
});

Deno.test("a start without changes puts nothing in force anew", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\n" });
  await using running = await start(directory);
  const { service } = running;
  await running.watch();
  assert.equal(running.service, service);
  assert.equal(service.files.reloads, 0);
});

Deno.test("a file that was broken while the service started changes nothing but the log", async () => {
  using directory = new TestDirectory({ "users.cfg": "ann: {}\n" });
  const messages: string[] = [];
  await using running = await start(directory, messages);
  Deno.writeTextFileSync(directory.file("users.cfg"), "ann: {passwrd: x}\n");
  await running.watch();
  assert.deepEqual(logins(running), ["ann"]);
  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? "", /is not used: .*users\.cfg: ann\.passwrd: Unknown member/);
});
