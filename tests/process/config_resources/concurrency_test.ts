import assert from "node:assert/strict";
import { join } from "node:path";
import { serve, type Served } from "@/tests/support/process.ts";
import { inHome, makeHome } from "@/tests/support/service.ts";
import { statusOf } from "@/tests/support/status_of.ts";
import { key, START } from "@/tests/api/config_resources/people.ts";

const EDITS = 60;

/** Two processes on the same files. */
class Pair implements AsyncDisposable {
  private constructor(readonly home: string, readonly processes: readonly [Served, Served]) {}

  static async start(): Promise<Pair> {
    const home = await makeHome(START);
    const one = await serve(["--home", home], START.env);
    return new Pair(home, [one, await serve(["--home", home], START.env)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.processes) await process.stop();
    await Deno.remove(this.home, { recursive: true });
  }
}

async function put({ url }: Served, path: string, body: unknown): Promise<number> {
  const headers = { apikey: key("admin"), "Content-Type": "application/json" };
  return await statusOf(fetch(url + path, { method: "PUT", headers, body: JSON.stringify(body) }));
}

Deno.test("two processes change the same files many times, and nothing is lost", async () => {
  await using pair = await Pair.start();
  const accounts = ["reader", "friend", "boss", "architect"];
  // Each process changes its own member in every account; the last value of each must be stored in the end.
  const edit = async (process: Served, member: "name" | "email") => {
    for (let number = 0; number < EDITS; number++) {
      const path = `/userdef/${accounts[number % accounts.length]}.json`;
      assert.equal(await put(process, path, { [member]: `${member} ${number}` }), 204);
    }
  };
  await Promise.all([edit(pair.processes[0], "name"), edit(pair.processes[1], "email")]);
  const text = Deno.readTextFileSync(join(pair.home, "config", "users.cfg"));
  for (const [position] of accounts.entries()) {
    const last = EDITS - accounts.length + position;
    for (const member of ["name", "email"]) assert.match(text, new RegExp(`${member}: ${member} ${last}\\b`));
  }
  assert.match(text, /^# Who looks after people\.$/m, "comments are still there");
});

Deno.test("a process that is killed while it changes files, many times, leaves them whole", async () => {
  await inHome(START, async (home) => {
    for (let round = 0; round < 5; round++) {
      const process = await serve(["--home", home], START.env);
      const editing = Array.from({ length: 3 }, async (_, lane) => {
        for (let number = 0;; number++) {
          await put(process, "/userdef/friend.json", { name: `${round} ${lane} ${number}`.repeat(200) });
        }
      }).map((work) => work.catch((error: unknown) => assert.ok(error instanceof TypeError)));
      // Each round kills the process at another point.
      for (let number = 0; number <= round; number++) {
        await put(process, "/userdef/boss.json", { name: `${number}` });
      }
      await process.stop("SIGKILL");
      await Promise.all(editing);
      const { text, whole } = await look(home);
      assert.ok(whole, text);
    }
  });
});

/** The file as another program reads it. */
async function look(home: string): Promise<{ readonly text: string; readonly whole: boolean }> {
  const text = await Deno.readTextFile(join(home, "config", "users.cfg"));
  const logins = [...text.matchAll(/^(\w+):$/gm)].map(([, login]) => login);
  const expected = ["public", "admin", "personnel", "architect", "reader", "friend", "boss"];
  return { text, whole: logins.join() === expected.join() && text.includes("# Who looks after people.") };
}
