import assert from "node:assert/strict";
// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import { startProcess } from "@/tests/support/process.ts";
import { type AnyShop, onEveryShop } from "./every_shop.ts";
import { sharedShop, Shop, shopHome } from "./shop.ts";

const test = onEveryShop();
const open = sharedShop();
const JSON_TYPE = { "Content-Type": "application/json" };
const CLIENTS = 20;

function clients<T>(work: (client: number) => Promise<T>, length = CLIENTS): Promise<readonly T[]> {
  return Promise.all(Array.from({ length }, (_, client) => work(client)));
}

async function send(
  shop: AnyShop,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await shop.service.fetch(path, {
    method,
    headers: { ...JSON_TYPE, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/**
 * Like `send`, but goes on asking while the database is busy. On a machine that is slow, a client of many may
 * wait longer for its turn than the service allows; such a request has changed nothing.
 */
async function sendInTurn(...request: Parameters<typeof send>): ReturnType<typeof send> {
  for (;;) {
    const answer = await send(...request);
    if (answer.status !== 503) return answer;
    assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/);
  }
}

function count(list: readonly number[]): Readonly<Record<number, number>> {
  return list.reduce<Record<number, number>>((all, each) => ({ ...all, [each]: (all[each] ?? 0) + 1 }), {});
}

test("records that are posted side by side get a key each", async (shop) => {
  const answers = await clients((client) =>
    sendInTurn(shop, "POST", "/db/Shop/Item.json", { Name: `n${client}` })
  );
  assert.deepEqual(count(answers.map(({ status }) => status)), { 201: CLIENTS });
  const paths = answers.map(({ text }) => text);
  assert.equal(new Set(paths).size, CLIENTS);
  for (const [client, path] of paths.entries()) {
    assert.equal((await sendInTurn(shop, "GET", `${path}/Name.json`)).text, `"n${client}"`);
  }
});

test("of records with one key that are posted side by side exactly one is created", async (shop) => {
  const answers = await clients((client) =>
    sendInTurn(shop, "POST", "/db/Shop/Tag.json", { Text: "x", Meaning: `${client}` })
  );
  assert.deepEqual(count(answers.map(({ status }) => status)), { 201: 1, 409: CLIENTS - 1 });
  const winner = answers.findIndex(({ status }) => status === 201);
  assert.deepEqual(await shop.look("SELECT Meaning FROM Tag WHERE Text = 'x'"), [`'${winner}'`]);
});

test("of changes to one version of a record exactly one wins, for each version", async (shop) => {
  const path = "/db/Shop/Tag/Text/plain.json";
  for (let round = 0; round < 3; round++) {
    const { headers } = await sendInTurn(shop, "GET", path);
    const etag = { "If-Match": headers.get("etag") ?? "" };
    const answers = await clients((client) =>
      sendInTurn(shop, "PUT", path, { Meaning: `${round} ${client}` }, etag)
    );
    assert.deepEqual(count(answers.map(({ status }) => status)), { 204: 1, 412: CLIENTS - 1 });
    const winner = answers.findIndex(({ status }) => status === 204);
    assert.deepEqual(await shop.look("SELECT Meaning FROM Tag WHERE Text = 'plain'"), [
      `'${round} ${winner}'`,
    ]);
  }
});

test("clients that read, add one and retry after 412 lose no addition", async (shop) => {
  const path = "/db/Shop/Item/ItemId/1.json";
  const addOne = async (): Promise<number> => {
    const { headers, text } = await sendInTurn(shop, "GET", path);
    const record = JSON.parse(text);
    const edited = { ...record, Quantity: record.Quantity + 1 };
    const { status } = await sendInTurn(shop, "PUT", path, edited, { "If-Match": headers.get("etag") ?? "" });
    return status === 412 ? 1 + await addOne() : 0;
  };
  const retries = await clients(addOne);
  assert.deepEqual(await shop.look("SELECT Quantity FROM Item WHERE ItemId = 1"), [String(5 + CLIENTS)]);
  assert.ok(Math.max(...retries) > 0, "they did get in each other's way");
});

test("changes that look at their record first wait for each other", async (shop) => {
  const work = (client: number) =>
    send(shop, "PUT", "/db/Shop/Tag/Text/plain.json", { Meaning: `${client}` }, { "If-Match": "*" });
  for (let round = 0; round < 5; round++) {
    const answers = await clients(work, 5);
    assert.deepEqual(count(answers.map(({ status }) => status)), { 204: 5 });
  }
});

test("a record that is deleted side by side is deleted once", async (shop) => {
  const answers = await clients(() => sendInTurn(shop, "DELETE", "/db/Shop/Tag/Text/plain.json"));
  assert.deepEqual(count(answers.map(({ status }) => status)), { 204: 1, 404: CLIENTS - 1 });
});

test("a record that is changed or deleted beside its creation is there or not; no rule is blamed", async (shop) => {
  for (let round = 0; round < 5; round++) {
    const answers = await clients(async (client) => {
      const Text = `${round} ${client}`;
      const path = `/db/Shop/Tag/Text/${encodeURIComponent(Text)}.json`;
      const other = client % 2
        ? sendInTurn(shop, "PUT", path, { Meaning: "changed" })
        : sendInTurn(shop, "DELETE", path);
      const created = await sendInTurn(shop, "POST", "/db/Shop/Tag.json", { Text });
      assert.equal(created.status, 201);
      return (await other).status;
    });
    for (const status of answers) assert.ok(status === 204 || status === 404, `${status}`);
  }
});

test("readers see all of a transaction or nothing of it", async (shop) => {
  let isWriting = true;
  const write = async () => {
    for (let round = 0; round < 20; round++) {
      const records = Array.from({ length: 50 }, (_, index) => ({ Text: `${round} ${index}` }));
      assert.equal((await sendInTurn(shop, "POST", "/db/Shop/Tag.json", records)).status, 201);
    }
    isWriting = false;
  };
  const read = async () => {
    while (isWriting) {
      const { headers } = await sendInTurn(shop, "GET", "/db/Shop/Tag.json?limit=0&count");
      assert.equal((Number(headers.get("rowhouse-all-record-count")) - 3) % 50, 0);
    }
  };
  await Promise.all([write(), read(), read()]);
  assert.deepEqual(await shop.look("SELECT count(*) FROM Tag"), ["1003"]);
});

Deno.test("while another program writes, a write is 503 with Retry-After, reading works, and nothing is half done", async () => {
  const shop = open();
  const before = await shop.dump();
  const other = new Sqlite(shop.file);
  other.exec("BEGIN IMMEDIATE");
  try {
    const requests = [
      send(shop, "POST", "/db/Shop/Tag.json", [{ Text: "a" }, { Text: "b" }]),
      send(shop, "PUT", "/db/Shop/Item.json?all", { Note: "x" }),
      send(shop, "DELETE", "/db/Shop/Journal.json?all"),
    ];
    assert.equal((await send(shop, "GET", "/db/Shop/Tag/Text/plain.json")).status, 200);
    for (const { status, headers } of await Promise.all(requests)) {
      assert.equal(status, 503);
      assert.match(headers.get("retry-after") ?? "", /^\d+$/);
      assert.equal(headers.get("warning"), "The database is busy or cannot be reached: try again later");
    }
  } finally {
    other.exec("ROLLBACK");
    other.close();
  }
  assert.deepEqual(await shop.dump(), before);
  assert.equal((await send(shop, "POST", "/db/Shop/Tag.json", { Text: "a" })).status, 201);
});

Deno.test("a write waits for another program that is done in time", async () => {
  const shop = open();
  const other = new Sqlite(shop.file);
  other.exec("BEGIN IMMEDIATE; INSERT INTO Tag VALUES ('other', NULL)");
  const posted = send(shop, "POST", "/db/Shop/Tag.json", { Text: "mine" });
  // The answer to a later request shows that the write is under way.
  assert.equal((await send(shop, "GET", "/db/Shop/Tag/Text/plain.json")).status, 200);
  other.exec("COMMIT");
  other.close();
  assert.equal((await posted).status, 201);
  assert.deepEqual(await shop.look("SELECT count(*) FROM Tag"), ["5"]);
});

/** A body that takes the database some time: every record fires a trigger. */
function bulk(count: number): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, index) => ({ Name: `n${index}`, Note: "x".repeat(100) })),
  );
}

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test(`a service that gets ${signal} in the middle of a bulk insert leaves all of it or nothing`, async () => {
    const service = await startProcess(shopHome());
    await using shop = new Shop(service);
    await shop.reset();
    const answer = shop.service.fetch("/db/Shop/Item.json", {
      method: "POST",
      headers: JSON_TYPE,
      body: bulk(50_000),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }), () => undefined);
    await untilWriting(shop);
    await service.stop(signal);
    const told = await answer;
    const created = await shop.look("SELECT count(*) FROM Item WHERE ItemId > 3");
    assert.deepEqual(created, [told?.status === 201 ? "50000" : "0"]);
    assert.deepEqual(await shop.look("PRAGMA integrity_check"), ["'ok'"]);
    assert.equal(
      told?.status,
      signal === "SIGTERM" ? 201 : undefined,
      "what is in flight is finished on SIGTERM",
    );
  });
}

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test(`a service that gets ${signal} while clients create records has every confirmed one`, async () => {
    const service = await startProcess(shopHome());
    await using shop = new Shop(service);
    await shop.reset();
    const confirmed: string[] = [];
    const running = clients(async (client) => {
      for (let round = 0;; round++) {
        const Text = `${client}-${round}`;
        const answer = await send(shop, "POST", "/db/Shop/Tag.json", { Text }).catch(() => undefined);
        if (!answer) return;
        if (answer.status === 201) confirmed.push(`'${Text}'`);
        else assert.equal(answer.status, 503);
      }
    });
    while (confirmed.length < 300) await new Promise((resolve) => setTimeout(resolve, 10));
    await service.stop(signal);
    await running;
    const stored = new Set(await shop.look("SELECT Text FROM Tag"));
    assert.deepEqual(confirmed.filter((text) => !stored.has(text)), []);
    assert.deepEqual(await shop.look("PRAGMA integrity_check"), ["'ok'"]);
  });
}

/** Waits until another connection holds the write lock of the shop's file. */
async function untilWriting(shop: Shop): Promise<void> {
  const other = new Sqlite(shop.file, { timeout: 0 });
  try {
    for (;;) {
      other.exec("BEGIN IMMEDIATE; ROLLBACK");
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    assert.match(String(error), /database is locked/);
  } finally {
    other.close();
  }
}
