/** @module A change over HTTP is there whichever worker of the process is asked next. */

import assert from "node:assert/strict";
import { key, START } from "@/tests/api/config_resources/people.ts";
import { startProcess } from "@/tests/support/process.ts";

const ASKED = 12;

Deno.test({
  name: "the answer to a change comes when all workers have it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ ...START, args: ["--workers", "3"] });
    /** Sends on a connection of its own, so that any worker may get it. */
    const send = async (method: string, path: string, body?: unknown) => {
      using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
      const headers = { apikey: key("admin"), "content-type": "application/json" };
      const init = { method, headers, client, ...(body ? { body: JSON.stringify(body) } : {}) };
      const answer = await fetch(service.url + path, init);
      return { status: answer.status, text: await answer.text() };
    };
    const statuses = async (path: string) => {
      const answers = [];
      for (let time = 0; time < ASKED; time++) answers.push((await send("GET", path)).status);
      return [...new Set(answers)];
    };
    for (let round = 0; round < 4; round++) {
      const path = `/userdef/new${round}.json`;
      assert.equal((await send("POST", "/userdef.json", { user_id: `new${round}` })).status, 201);
      assert.deepEqual(await statuses(path), [200]);
      assert.equal((await send("DELETE", path)).status, 204);
      assert.deepEqual(await statuses(path), [404]);
    }
    const states = async () => {
      const answers = [];
      for (let time = 0; time < ASKED; time++) {
        answers.push(JSON.parse((await send("GET", "/settings/reflect-status/Demo.json")).text).state);
      }
      return [...new Set(answers)];
    };
    assert.equal((await send("POST", "/unload-model/Demo.json")).status, 200);
    assert.deepEqual(await states(), ["disconnected"]);
  },
});
