/** @module Orders to connect and to disconnect a database, on a disk that takes nothing more. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { key, START } from "@/tests/api/config_resources/people.ts";
import { startProcess, type TestProcess } from "@/tests/support/process.ts";

const REFUSAL = 'Cannot disconnect database "Demo": the order cannot be stored; the log tells why';

async function disconnect(service: TestProcess) {
  const headers = { apikey: key("admin") };
  const answer = await service.fetch("/unload-model/Demo.json", { method: "POST", headers });
  return { status: answer.status, description: (await answer.json()).description };
}

async function state(service: TestProcess): Promise<string> {
  const headers = { apikey: key("admin") };
  return (await (await service.fetch("/settings/reflect-status/Demo.json", { headers })).json()).state;
}

Deno.test({
  name: "an order that cannot be stored is 503 and changes nothing, because others would not follow it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ ...START, openFiles: 4096 });
    const limit = await new Deno.Command("prlimit", { args: [`--pid=${service.pid}`, "--fsize=0"] }).output();
    assert.equal(limit.code, 0, new TextDecoder().decode(limit.stderr));
    assert.deepEqual(await disconnect(service), { status: 503, description: REFUSAL });
    await service.said(/WARN Cannot disconnect database Demo: .*File too large/);
    assert.equal(await state(service), "connected");
  },
});

Deno.test("an order beside a file that is no YAML is 503, too", async () => {
  await using service = await startProcess(START);
  const path = join(service.home, "state", "connections.yml");
  await Deno.writeTextFile(path, "[\n");
  assert.deepEqual(await disconnect(service), { status: 503, description: REFUSAL });
  assert.match(await service.log(), /WARN Cannot disconnect database Demo: .*connections\.yml: Line /);
  await Deno.remove(path);
  assert.equal((await disconnect(service)).status, 200);
  assert.equal(await state(service), "disconnected");
});
