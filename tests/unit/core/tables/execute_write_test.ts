import assert from "node:assert/strict";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { ServiceError } from "@/core/errors.ts";
import { BodyOptions, executeWrite, type WriteResult } from "@/core/tables/execute_write.ts";
import { InProcess } from "@/tests/unit/core/in_process.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

interface Sending {
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function execute(shop: InProcess, request: string, sending: Sending = {}): Promise<WriteResult> {
  const { body = "", headers = {}, signal = new AbortController().signal } = sending;
  const plan = shop.plan(request, headers);
  if (plan.kind !== "insert" && plan.kind !== "update" && plan.kind !== "delete") {
    throw new Error(`${request} is no write`);
  }
  const source = {
    headers: new Headers(headers),
    body: typeof body === "string" ? textStream(body) : body,
    room: new ClientMemory(2 ** 30).open("192.0.2.1"),
    limits: { signal: NEVER, seconds: 60 },
  };
  const exchange = { service: shop.service, requestId: "", turn: "", signal };
  return await executeWrite(plan, new BodyOptions(source, { parameters: {} }, exchange));
}

function textStream(text: string): ReadableStream<Uint8Array> {
  return new Response(text).body ?? new ReadableStream();
}

async function statusOf(work: Promise<unknown>): Promise<number> {
  const error = await work.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof ServiceError, String(error));
  return error.status;
}

Deno.test("new records are told by their paths, in the order of the body", async () => {
  await using shop = await InProcess.open();
  assert.deepEqual(
    await execute(shop, "POST /db/Shop/Tag.json", { body: '[{"Text": "b"}, {"Text": "a", "Meaning": "x"}]' }),
    { kind: "created", paths: ["/db/Shop/Tag/Text/b", "/db/Shop/Tag/Text/a"], isList: true },
  );
  assert.deepEqual(await execute(shop, "POST /db/Shop/Journal.json", { body: "{}" }), {
    kind: "created",
    paths: [null],
    isList: false,
  });
});

Deno.test("very many records of changing columns are all there, each where it belongs", async () => {
  await using shop = await InProcess.open();
  const records = Array.from({ length: 2500 }, (_, index) => {
    const Name = `n${index}`;
    return index % 1000 < 3 ? { Name, Note: "x" } : index % 700 === 0 ? { Name, Quantity: 2 } : { Name };
  });
  const result = await execute(shop, "POST /db/Shop/Item.json", { body: JSON.stringify(records) });
  assert.equal(result.kind, "created");
  const paths = result.kind === "created" ? result.paths : [];
  const rows = shop.look(
    "SELECT '/db/Shop/Item/ItemId/' || ItemId || ' ' || Name FROM Item WHERE ItemId > 3",
  );
  assert.deepEqual(rows.toSorted(), records.map(({ Name }, index) => `${paths[index]} ${Name}`).toSorted());
});

Deno.test("the last of very many records that violates takes all of them back", async () => {
  await using shop = await InProcess.open();
  const records = Array.from({ length: 3000 }, (_, index) => ({ Text: `t${index}` }));
  const body = JSON.stringify([...records, { Text: "plain" }]);
  assert.equal(await statusOf(execute(shop, "POST /db/Shop/Tag.json", { body })), 409);
  assert.deepEqual(shop.look("SELECT count(*) FROM Tag"), [3]);
});

Deno.test("a body that is still coming holds up nobody else's transaction", async () => {
  await using shop = await InProcess.open();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const slow = execute(shop, "POST /db/Shop/Tag.json", { body: readable });
  await writer.write(new TextEncoder().encode('[{"Text": "slow"}'));
  await execute(shop, "POST /db/Shop/Tag.json", { body: '{"Text": "quick"}' });
  assert.deepEqual(shop.look("SELECT count(*) FROM Tag"), [4]);
  await writer.write(new TextEncoder().encode("]"));
  await writer.close();
  await slow;
  assert.deepEqual(shop.look("SELECT count(*) FROM Tag"), [5]);
});

Deno.test("a body that breaks off writes nothing", async () => {
  await using shop = await InProcess.open();
  const broken = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('[{"Text": "x"},'));
      controller.error(new Deno.errors.ConnectionReset("gone"));
    },
  });
  await assert.rejects(execute(shop, "POST /db/Shop/Tag.json", { body: broken }), {
    code: "bad-request",
    message: "The body ended before it was complete: send it again",
  });
  assert.deepEqual(shop.look("SELECT count(*) FROM Tag"), [3]);
});

Deno.test("a caller who has gone writes nothing", async () => {
  await using shop = await InProcess.open();
  const signal = AbortSignal.abort(new Error("gone"));
  for (
    const [request, body] of [["POST /db/Shop/Tag.json", '{"Text": "x"}'], [
      "DELETE /db/Shop/Box.json?all",
      "",
    ]]
  ) {
    await assert.rejects(execute(shop, request ?? "", { body: body ?? "", signal }));
  }
  assert.deepEqual(shop.look("SELECT count(*) FROM Tag"), [3]);
  assert.deepEqual(shop.look("SELECT count(*) FROM Box"), [3]);
  await execute(shop, "POST /db/Shop/Tag.json", { body: '{"Text": "next"}' });
});

Deno.test("a change that finds nothing is 404 where a record was named, and done otherwise", async () => {
  await using shop = await InProcess.open();
  const body = '{"Note": "x"}';
  for (
    const path of [
      "Item/ItemId/9",
      "Item/ItemId/1/Name/x",
      "Maker/MakerId/9/Item",
      "Catalogue/ItemId/9",
      "Part/PartId/9/Item",
    ]
  ) {
    const sent = path.startsWith("Catalogue") ? '{"Name": "x"}' : body;
    assert.equal(await statusOf(execute(shop, `PUT /db/Shop/${path}.json`, { body: sent })), 404, path);
    assert.equal(await statusOf(execute(shop, `DELETE /db/Shop/${path}.json`)), 404, path);
  }
  for (const path of ["Item/Name/x", "Item/ItemId/8,9", "Maker/MakerId/3/Item", "Maker/Name/x/Item"]) {
    assert.deepEqual(await execute(shop, `PUT /db/Shop/${path}.json`, { body }), { kind: "done" }, path);
    assert.deepEqual(await execute(shop, `DELETE /db/Shop/${path}.json`), { kind: "done" }, path);
  }
  assert.deepEqual(shop.look("SELECT What FROM Change WHERE What NOT LIKE 'created %'"), []);
});

Deno.test("integrity is 422 for a change and 409 for anything else", async () => {
  await using shop = await InProcess.open();
  const put = execute(shop, "PUT /db/Shop/Tag/Text/plain.json", { body: '{"Text": "a/b"}' });
  await assert.rejects(put, {
    code: "update-conflict",
    message: "Commit failed during update: UNIQUE constraint failed: Tag.Text",
  });
  await assert.rejects(execute(shop, "POST /db/Shop/Tag.json", { body: '{"Text": "plain"}' }), {
    code: "conflict",
    message: /UNIQUE constraint failed: Tag\.Text$/,
  });
  await assert.rejects(execute(shop, "DELETE /db/Shop/Maker/MakerId/1.json"), {
    code: "conflict",
    message: /FOREIGN KEY constraint failed$/,
  });
});

Deno.test("a table that has changed since it was read is 503, then known as it is", async () => {
  await using shop = await InProcess.open();
  shop.run("ALTER TABLE Tag DROP COLUMN Meaning");
  const put = () => execute(shop, "PUT /db/Shop/Tag/Text/plain.json", { body: '{"Meaning": "x"}' });
  assert.equal(await statusOf(put()), 503);
  await shop.service.databases.get("Shop")?.connect();
  assert.equal(await statusOf(put()), 400);
});
