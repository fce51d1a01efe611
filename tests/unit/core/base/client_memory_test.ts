import assert from "node:assert/strict";
import { BODIES, ClientMemory } from "@/core/base/client_memory.ts";

const BUSY = { code: "unavailable", headers: { "Retry-After": "10" } };

Deno.test("one address has a quarter of the memory, however many answers it asks for", () => {
  const memory = new ClientMemory(4000);
  const [first, second] = [memory.open("192.0.2.1"), memory.open("192.0.2.1")];
  first.add(600);
  second.add(400);
  assert.throws(() => second.add(1), BUSY);
  memory.open("192.0.2.2").add(1000);
  first.release(600);
  second.add(600);
  assert.equal(memory.total, 1600, "a refused answer has given its room back");
});

Deno.test("of answers that grow side by side some are refused, never all", () => {
  const memory = new ClientMemory(4000);
  const growing = new Map(["a", "b", "c"].map((name) => [name, memory.open("192.0.2.1")]));
  for (let step = 0; step < 9; step++) {
    for (const [name, room] of growing) {
      try {
        room.add(100);
      } catch {
        growing.delete(name);
      }
    }
  }
  assert.equal(growing.size, 1);
  assert.equal(memory.total, 900);
});

Deno.test("all together have the memory and no more", () => {
  const memory = new ClientMemory(4000);
  const rooms = [1, 2, 3, 4].map((host) => memory.open(`192.0.2.${host}`));
  for (const room of rooms) room.add(1000);
  const late = memory.open("192.0.2.5");
  assert.throws(() => late.add(1), BUSY);
  rooms[0]?.close();
  late.add(1000);
  for (const room of [...rooms, late]) room.close();
  assert.equal(memory.total, 0);
});

Deno.test("an answer that never finds room is refused for good", () => {
  const room = new ClientMemory(4000).open("192.0.2.1");
  room.add(1000);
  assert.throws(() => room.add(1), { code: "bad-request", message: /^The answer is too large/ });
});

Deno.test("a body that is there alone finds room, however large it is; then others find none beyond their first bytes", () => {
  const memory = new ClientMemory(4000, BODIES);
  const [large, neighbour, stranger] = ["192.0.2.1", "192.0.2.1", "192.0.2.2"].map((host) => {
    return memory.open(host, 10);
  });
  large?.add(3010);
  neighbour?.add(10);
  assert.throws(() => neighbour?.add(1), BUSY);
  stranger?.add(1010);
  assert.throws(() => stranger?.add(1), BUSY);
  large?.add(2000);
  assert.equal(memory.total, 5000);
  large?.close();
  neighbour?.add(1);
});
