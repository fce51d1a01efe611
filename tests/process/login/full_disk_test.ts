/** @module Logins while the state directory and the logs take nothing more. */

import assert from "node:assert/strict";
import { assertDocumented } from "@/tests/process/faults/faults.ts";
import { startProcess } from "@/tests/support/process.ts";
import { homeOf, logIn, PASSWORD, sessionOf, whoIs } from "@/tests/api/login/home.ts";

Deno.test({
  name: "with a full disk people log in, and their sessions go on",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = await startProcess({ ...homeOf(), openFiles: 4096 });
    const before = await sessionOf(service, "anna", PASSWORD);
    // The limit refuses every write to a file, as a full disk does.
    const limit = await new Deno.Command("prlimit", { args: [`--pid=${service.pid}`, "--fsize=0"] }).output();
    assert.equal(limit.code, 0, new TextDecoder().decode(limit.stderr));
    const cookie = await sessionOf(service, "anna", PASSWORD);
    assert.equal(await whoIs(service, { Cookie: cookie }), "anna");
    assert.equal(await whoIs(service, { Cookie: before }), "anna");
    const refused = await logIn(service, "anna", "wrong");
    assert.equal(refused.status, 403, await refused.text());
    const line = /WARN New and changed sessions are in the memory of this worker only: .*File too large/;
    await service.said(line);
    const [told] = await service.said(/WARN New and changed sessions .*$/m);
    await assertDocumented(service, "a disk of state and logs that refuses writes", {
      log: told,
      readyz: /^state directory: /,
      metrics: /^rowhouse_part_down\{part="state directory"\} 1/,
    });
    assert.match(await (await service.fetch("/metrics")).text(), /^rowhouse_log_failures_total [1-9]/m);
    const { code, stderr } = await service.stop();
    assert.equal(code, 0);
    assert.equal(stderr.split("New and changed sessions").length, 2, "one line a minute");
    assert.match(stderr, /Login attempts are counted in memory only/);
    assert.match(stderr, /"user":"anna","action":"login","target":"\/login","outcome":"success"/);
  },
});
