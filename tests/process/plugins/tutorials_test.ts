/**
 * Runs the tutorials of docs/plugins.md as they stand there, except for the port.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { freePort } from "@/tests/support/servers/programs.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";

/** A command takes several lines; steps are counted in commands of the shell's first level. */
const MOST_STEPS = 15;

const page = await Deno.readTextFile(join(ROOT, "docs/plugins.md"));
const [, tutorials = ""] = /^## Tutorials\n([^]*?)^## /m.exec(page) ?? [];
const TUTORIALS = [...tutorials.matchAll(/^### (.*)\n\n```sh\n([^]*?)```\n\n```\n([^]*?)```$/gm)];

Deno.test("there is a tutorial for each kind of plugin", () => {
  assert.deepEqual(TUTORIALS.map(([, title]) => title), [
    "A format",
    "An authentication method",
    "A dialect",
    "A cache",
  ]);
});

for (const [, title, script = "", output = ""] of TUTORIALS) {
  Deno.test(`the tutorial works as it is written: ${title}`, async () => {
    using bin = pluginFolder({
      rowhouse: `#!/bin/sh\nexec "${Deno.execPath()}" run -A "${ROOT}/main.ts" "$@"\n`,
    });
    using empty = pluginFolder({});
    await Deno.chmod(join(bin.path, "rowhouse"), 0o755);
    const commands = script.split("\n").filter((line) => /^(rowhouse|cat|echo|curl|kill|mkdir)\b/.test(line));
    assert.ok(commands.length <= MOST_STEPS);
    const args = ["-euc", `${script.replaceAll("8080", String(freePort()))}wait`];
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args,
      cwd: empty.path,
      env: { PATH: `${bin.path}:${Deno.env.get("PATH")}`, NO_COLOR: "1" },
      signal: AbortSignal.timeout(60_000),
    }).output();
    const text = new TextDecoder();
    assert.ok(
      text.decode(stdout).trimEnd().endsWith(output.trimEnd()),
      text.decode(stdout) + text.decode(stderr),
    );
    assert.equal(code, 0, text.decode(stderr));
  });
}
