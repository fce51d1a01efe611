import assert from "node:assert/strict";
import { formatSequence, listSequences, parseSequence, playSequence, sequenceFile } from "./sequences.ts";
import { sharedShop } from "./shop.ts";

const open = sharedShop();

for (const name of listSequences()) {
  Deno.test(`the sequence ${name} goes as written`, async () => {
    const shop = open();
    const text = Deno.readTextFileSync(sequenceFile(name));
    let before = shop.dump();
    const played = await playSequence(
      parseSequence(text),
      shop,
      ({ status, headers, text }, { method, target }) => {
        const after = shop.dump();
        if (status >= 300 || method === "GET") {
          assert.deepEqual(after, before, `${status} ${method} ${target} changed nothing`);
        }
        before = after;
        assert.equal(headers.has("warning"), status >= 400);
        assert.match(headers.get("warning") ?? "", /^[\x20-\x7e]{0,500}$/);
        assert.equal(text === "" || status !== 204, true, "204 has no body");
      },
    );
    assert.equal(formatSequence(played), text);
  });
}
