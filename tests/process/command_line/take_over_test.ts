import assert from "node:assert/strict";
import { tell } from "@/tests/support/figures.ts";
import { serve, type Served } from "@/tests/support/process.ts";
import { makeHome } from "@/tests/support/service.ts";
import { fetchInTime, until } from "@/tests/support/until.ts";

const KEY = "editor-0123456789-0123456789-0123456789";
const CALLERS = 6;
const HAND_OVERS = Number(Deno.env.get("ROWHOUSE_TEST_HAND_OVERS") ?? 2);
/** Milliseconds between the requests of a caller: the processes that start need the processors, too. */
const REST = 20;

/** Reads and writes over kept connections until it is ended. */
class Callers {
  answers = 0;
  #isOver = false;
  readonly #callers: readonly Promise<void>[];
  readonly #failures: unknown[] = [];

  constructor(url: string) {
    this.#callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let round = 0; !this.#isOver; round++) {
        await this.#call(url, `${caller}-${round}`, caller % 3 === 0);
        await new Promise((resolve) => setTimeout(resolve, REST));
      }
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
    assert.deepEqual(this.#failures, []);
  }

  async #call(url: string, name: string, writes: boolean): Promise<void> {
    const headers = { "Content-Type": "application/json", apikey: KEY };
    const answer = writes
      ? await fetchInTime(`${url}/db/Demo/Amenity.json`, {
        method: "POST",
        headers,
        body: `{"Name": "${name}"}`,
      })
      : await fetchInTime(`${url}/db/Demo/Port/PortId/1/Name.json`);
    assert.equal(answer.status, writes ? 201 : 200, await answer.text());
    this.answers++;
  }
}

for (const adapter of ["deno", "node"] as const) {
  Deno.test({
    name: `a process takes over the port of another without a failed request (${adapter})`,
    ignore: Deno.build.os !== "linux",
    async fn(t) {
      const users =
        `editor: {apikey: ${KEY}, databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\nadmin: {}\n`;
      const settings = "[service]\nserver.drain = 1\n";
      const home = await makeHome({ files: { "config/users.cfg": users, "config/service.ini": settings } });
      const args = ["--home", home, "--adapter", adapter, "--shared-port"];
      let serving: Served = await serve(args);
      const callers = new Callers(serving.url);
      try {
        for (let round = 0; round < HAND_OVERS; round++) {
          const before = callers.answers;
          await until(() => callers.answers > before + 50);
          const next = await serve([...args, "--port", String(serving.port)]);
          assert.equal((await serving.stop()).code, 0);
          serving = next;
        }
      } finally {
        await callers.end();
        await serving.stop();
        await Deno.remove(home, { recursive: true });
      }
      await tell(t, `${callers.answers} requests during ${HAND_OVERS} hand-overs, none failed`);
    },
  });
}
