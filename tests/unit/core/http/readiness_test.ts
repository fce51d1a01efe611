import assert from "node:assert/strict";
import { stateReasons } from "@/core/http/readiness.ts";
import type { Service } from "@/core/service.ts";

const reasonsOf = (state: string) => {
  return stateReasons({ configuration: { directories: { state } } } as unknown as Service);
};

Deno.test("a state directory that takes files has no reasons, and keeps none of them", async () => {
  const state = await Deno.makeTempDir();
  assert.deepEqual(await reasonsOf(state), []);
  assert.deepEqual([...Deno.readDirSync(state)], []);
  await Deno.remove(state);
});

Deno.test("a file in the place of the state directory is a reason, not a failure", async () => {
  const file = await Deno.makeTempFile();
  const [reason = "", ...others] = await reasonsOf(file);
  assert.match(reason, /^state directory: Not a directory/);
  assert.equal(others.length, 0);
  await Deno.remove(file);
});
