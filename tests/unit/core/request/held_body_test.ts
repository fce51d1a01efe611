import assert from "node:assert/strict";
import { BODIES, ClientMemory } from "@/core/base/client_memory.ts";
import { readText, withBody } from "@/core/request/body.ts";
import { HeldBody } from "@/core/request/held_body.ts";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";

const settings = { max_body_size: 300_000, "server.plugin_timeout": 60 };

function request(body: BodyInit | null): Request {
  return new Request("http://localhost", { method: "POST", body });
}

function held(body: BodyInit | null, bodyMemory = new ClientMemory(400_000, BODIES)) {
  const raw = request(body);
  const service = { bodyMemory, group: { workers: 1 }, settings, stopping: new AbortController().signal };
  const one = new HeldBody({ raw, service });
  const read = () =>
    withBody(
      {
        raw,
        held: one,
        headers: new Headers(),
        client: clientOf(),
        service,
        signal: new AbortController().signal,
      },
      (source) => readText(source, { limit: settings.max_body_size, label: "x", charset: "utf-8" }),
    );
  return { body: one, read, bodyMemory };
}

const digestOf = async (text: string, algorithm: "SHA-256" | "SHA-512") =>
  new Uint8Array(await crypto.subtle.digest(algorithm, new TextEncoder().encode(text)));

Deno.test("a body has its digests, and is read afterwards as if nothing had been asked", async () => {
  for (const text of ["", "short", "x".repeat(200_000)]) {
    const { body, read, bodyMemory } = held(text);
    assert.deepEqual(await body.digest("sha-256"), await digestOf(text, "SHA-256"));
    assert.deepEqual(await body.digest("sha-512"), await digestOf(text, "SHA-512"));
    assert.equal(await read(), text);
    body.close();
    assert.equal(bodyMemory.total, 0);
  }
  assert.deepEqual(await held(null).body.digest("sha-256"), await digestOf("", "SHA-256"));
});

Deno.test("attack: bodies of unknown senders take a quarter of the memory, whatever their networks", async () => {
  const memory = new ClientMemory(800_000, BODIES);
  const first = held("x".repeat(250_000), memory);
  await first.body.digest("sha-256");
  const second = held("x".repeat(250_000), memory);
  await assert.rejects(second.body.digest("sha-256"), { status: 503 });
  await assert.rejects(second.read(), { status: 503 });
  // Callers have the rest.
  using room = memory.open("192.0.2.1");
  room.add(200_000);
  first.body.close();
  await first.body.digest("sha-256");
  assert.equal(memory.total, 200_000);
});

Deno.test("attack: a body that is too large is refused while it comes, also if the method ignores that", async () => {
  const { body, read, bodyMemory } = held("x".repeat(300_001));
  await assert.rejects(body.digest("sha-256"), { status: 413 });
  await assert.rejects(read(), { status: 413 });
  body.close();
  assert.equal(bodyMemory.total, 0);
});

Deno.test("the memory of a body that still comes when its request is answered is counted to its end", async () => {
  const end = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(100_000));
      await end.promise;
      controller.enqueue(new Uint8Array(100_000));
      controller.close();
    },
  });
  const { body, bodyMemory } = held(stream);
  body.close();
  while (bodyMemory.total === 0) await new Promise((resolve) => setTimeout(resolve));
  assert.ok(body.receiving);
  end.resolve();
  await body.receiving;
  await body.digest("sha-256");
  assert.deepEqual([bodyMemory.total, body.receiving], [0, undefined]);
});
