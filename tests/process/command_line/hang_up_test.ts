/** @module SIGHUP: the logs that another program has moved away are opened anew, by every worker. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { startProcess } from "@/tests/support/process.ts";
import { until } from "@/tests/support/until.ts";

Deno.test({
  name: "after SIGHUP every worker goes on in new files, and serves",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = await startProcess({
      args: ["--workers", "2"],
      files: { "config/service.ini": "[service]\nlog.requests = all\n" },
    });
    const log = join(service.home, "log", "rowhouse.log");
    const audit = join(service.home, "log", "audit.log");
    const refuse = async () => {
      const { body } = await service.fetch("/db.json", { headers: { apikey: "wrong" } });
      await body?.cancel();
    };
    await refuse();
    for (const file of [log, audit]) await Deno.rename(file, `${file}-moved`);
    Deno.kill(service.pid, "SIGHUP");
    await until(async () => {
      using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
      await (await fetch(`${service.url}/version.json`, { client })).body?.cancel();
      const text = await Deno.readTextFile(log).catch(() => "");
      return text.split("target=/version.json").length > 20;
    });
    await refuse();
    assert.match(await Deno.readTextFile(audit), /^\{.*"action":"authenticate".*\}\n$/);
    const before = (await Deno.readTextFile(`${log}-moved`)).length;
    for (let time = 0; time < 20; time++) {
      using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
      await (await fetch(`${service.url}/version.json`, { client })).body?.cancel();
    }
    assert.equal(
      (await Deno.readTextFile(`${log}-moved`)).length,
      before,
      "no worker writes into the old file",
    );
    assert.equal((await service.stop()).code, 0);
  },
});
