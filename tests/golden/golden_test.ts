import assert from "node:assert/strict";
import { type RawAnswer, sendRaw } from "@/tests/raw_request.ts";
import type { TestService } from "@/tests/service.ts";
import { describeAnswer, formatGolden, type Golden, parseGolden } from "./golden.ts";
import { listGoldens, readGolden, startGoldenService } from "./service.ts";

let service: TestService | undefined;

Deno.test.beforeAll(async () => {
  service = await startGoldenService();
});

Deno.test.afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

for (const name of listGoldens()) {
  Deno.test(`the request of ${name} has its answer`, async () => {
    const golden = parseGolden(readGolden(name));
    const answer = await sendRaw(portOf(service), golden.request);
    assert.equal(formatGolden({ ...golden, answer: comparable(answer, golden) }), formatGolden(golden));
    assertCommon(answer);
  });
}

function portOf(running: TestService | undefined): number {
  if (!running) throw new Error("The service has not started");
  return running.port;
}

/** The answer with the headers that the file names; an unexpected `Location` or `Warning` is there, too. */
function comparable(answer: RawAnswer, { answer: expected }: Golden): Required<Golden>["answer"] {
  return describeAnswer(answer, (expected?.headers ?? []).map(([name]) => name));
}

/** What holds for every answer there is. */
function assertCommon({ status, headers, text }: RawAnswer): void {
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.has("warning"), status >= 400);
  assert.match(headers.get("warning") ?? "", /^[\x20-\x7e]{0,500}$/);
  if (status < 400 || text === "" || headers.get("content-type") !== "application/json") return;
  const { http_code, description } = JSON.parse(text);
  assert.deepEqual([http_code, description], [status, headers.get("warning")]);
}
