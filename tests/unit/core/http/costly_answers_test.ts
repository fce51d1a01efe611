import assert from "node:assert/strict";
import { createApp } from "@/core/http/app.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";

const COSTLY = {
  "related records": "/db/Shop/Tag.json?depth=1",
  "columns": "/db/Shop/Tag.json?transpose",
  "a long page for people": "/db/Shop/Tag.html?limit=5000",
  "numbers of related records": "/db/Shop/Maker.html?limit=10&ui.counts",
  "a list without a page": "/db/Shop/Tag.json",
  "a long page": "/db/Shop/Tag.json?limit=5000",
  "an OpenAPI document": "/openapi.json",
};

/** A clock on which every piece of work takes long, so that the size of the answers does not matter. */
function slowClock(): Disposable {
  const { now } = performance;
  let time = now.call(performance);
  performance.now = () => time += 5;
  return { [Symbol.dispose]: () => void (performance.now = now) };
}

for (const [name, path] of Object.entries(COSTLY)) {
  Deno.test(`answers that cost much take turns, and a record by key passes them (${name})`, async () => {
    await using home = await InProcess.open();
    const { service } = home;
    const app = createApp({ service });
    const order: string[] = [];
    const send = async (what: string, target: string) => {
      const answer = await app.fetch(new Request(`http://localhost${target}`), { peer: "127.0.0.1" });
      order.push(`${what} ${answer.status}`);
      await answer.body?.cancel();
    };
    // The first request of a kind compiles it.
    await send("first", path);
    using _clock = slowClock();
    await Promise.all([
      ...Array.from({ length: 4 }, () => send("costly", path)),
      send("small", "/db/Shop/Person/PersonId/1.json"),
    ]);
    const [, ...others] = order;
    assert.ok([0, 1].includes(others.indexOf("small 200")), others.join());
    assert.equal(others.filter((each) => each === "costly 200").length, 4, others.join());
  });
}
