/** @module The commands of an upgrade with systemd, as they stand in docs/operations.md. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "@/tests/support/servers/programs.ts";
import { ROOT } from "@/tests/support/root.ts";

/** Programs that the commands call: each `git pull` brings the next version, and one version is refused. */
const PROGRAMS = `
git() {
  if [ "$1" = pull ]; then echo "$NEXT" > clone/version; else tar -c -C clone version; fi
}
runuser() { :; }
systemctl() { echo "$1" >> systemctl.log; }
rowhouse() { ! grep -q refused "$PROGRAM/version"; }
`;

Deno.test({
  name: "each upgrade installs the version that was pulled and keeps the one before",
  ignore: Deno.build.os === "windows",
  async fn() {
    const text = await Deno.readTextFile(join(ROOT, "docs", "operations.md"));
    const [, commands = ""] = /^```sh\n(git pull\n[^]*?)^```$/m.exec(text) ?? [];
    const directory = await Deno.makeTempDir();
    const versionIn = (folder: string) => Deno.readTextFileSync(join(directory, folder, "version")).trim();
    const upgrade = (next: string) => {
      const script = `cd ${directory}\nNEXT='${next}'\n${PROGRAMS}${
        commands.replaceAll("/opt/", `${directory}/`)
      }`;
      return run(["sh", "-c", script]);
    };
    try {
      for (const folder of ["clone", "rowhouse"]) await Deno.mkdir(join(directory, folder));
      await Deno.writeTextFile(join(directory, "rowhouse", "version"), "1");
      await upgrade("2");
      assert.deepEqual([versionIn("rowhouse"), versionIn("rowhouse.old")], ["2", "1"]);
      await assert.rejects(upgrade("3, refused"));
      assert.deepEqual([versionIn("rowhouse"), versionIn("rowhouse.old")], ["2", "1"]);
      await upgrade("4");
      assert.deepEqual([versionIn("rowhouse"), versionIn("rowhouse.old")], ["4", "2"]);
      assert.equal(await Deno.readTextFile(join(directory, "systemctl.log")), "stop\nstart\nstop\nstart\n");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
