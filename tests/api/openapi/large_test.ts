import assert from "node:assert/strict";
import { startService } from "@/tests/support/service.ts";

const KEY = "0123456789abcdef0123456789abcdef";

/** The milliseconds of stage 4, in which the document is made. */
function made({ headers }: Response): number {
  return Number(/execute;dur=([\d.]+)/.exec(headers.get("server-timing") ?? "")?.[1]);
}

Deno.test("a document that is larger than the others together is made once, too, in steps: it takes seconds", async () => {
  const columns = Array.from({ length: 40 }, (_, index) => `"${"x".repeat(2000)}${index}" TEXT`).join();
  const tables = Array.from({ length: 100 }, (_, index) => `CREATE TABLE T${index} (${columns});`);
  await using service = await startService({
    files: {
      "config/users.cfg": `admin: {apikey: ${KEY}, databases: {Wide: {}}}\n`,
      "config/querydefs.cfg": "{}\n",
    },
    sqlite: { Wide: tables.join("\n") },
  });
  const order: string[] = [];
  const ask = async (path: string) => {
    const answer = await service.fetch(path, { headers: { apikey: KEY } });
    order.push(path);
    const { length } = await answer.text();
    return { time: made(answer), length };
  };
  const [first] = await Promise.all([ask("/openapi/Wide.json"), ask("/version.json")]);
  assert.deepEqual(order, ["/version.json", "/openapi/Wide.json"]);
  assert.ok(first.length > 32_000_000);
  const others = [await ask("/openapi/Wide.json"), await ask("/openapi/Wide.json")];
  // One of them may have been held up by other work on the machine.
  const times = others.map(({ time }) => time);
  assert.ok(Math.min(...times) < first.time / 4, [first.time, ...times].join());
});
