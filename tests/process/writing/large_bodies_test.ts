import assert from "node:assert/strict";
import { startProcess } from "@/tests/support/process.ts";
import type { TestService } from "@/tests/support/service.ts";
import { sharedShop } from "@/tests/api/writing/shop.ts";

/** MiB for everything that the service's JavaScript holds; beyond it the process ends. */
const HEAP = 512;
/** Near `max_body_size`. */
const SIZE = 10 * 2 ** 20 - 1000;
const AT_ONCE = 2;

const env = { DENO_V8_FLAGS: `--max-old-space-size=${HEAP}` };
const shop = sharedShop({}, (options) => startProcess({ ...options, env }));

/** As many records as fit, all of about the same size. */
function filled(begin: string, record: (index: number) => string, end: string): string {
  const parts = [begin];
  for (let size = begin.length + end.length, index = 0; size < SIZE; index++) {
    const part = record(index);
    size += part.length;
    parts.push(part);
  }
  return parts.join("") + end;
}

const wordsOf = (index: number) => `${"many words ".repeat(5)}${index}`;

const VALID = [
  [
    "json",
    "application/json",
    () => filled("[", (index) => `{"Words":"${wordsOf(index)}","Number":${index}},`, '{"Words":"last"}]'),
  ],
  [
    "xml",
    "text/xml",
    () => {
      const record = (index: number) =>
        `<Journal><Words>${wordsOf(index)}</Words><Number>${index}</Number></Journal>`;
      return filled('<Rowhouse xmlns="urn:rowhouse">', record, "</Rowhouse>");
    },
  ],
  ["csv", "text/csv", () => filled("Words,Number\n", (index) => `${wordsOf(index)},${index}\n`, "last,1\n")],
] as const;

/** Many small items: the bodies that need most memory for their size. */
const REFUSED = [
  ["json", "application/json", "Journal", () => filled("[", () => "{},", "{}]")],
  ["json", "application/json", "Address", () => filled("[", () => '{"City":[]},', "{}]")],
  ["csv", "text/csv", "Journal", () => filled("Words\n", () => "x\n", "")],
  [
    "xml",
    "text/xml",
    "Journal",
    () => filled('<Rowhouse xmlns="urn:rowhouse">', () => "<Journal/>", "</Rowhouse>"),
  ],
] as const;

for (const [format, type, make] of VALID) {
  Deno.test(`bodies of 10 MiB in ${format}, ${AT_ONCE} at once, are written within ${HEAP} MiB of memory`, async () => {
    const { service, look } = opened();
    const body = make();
    const send = () => post(service, { table: "Journal", format, type, body });
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, send));
    const written = answers.filter(({ status }) => status === 201);
    // A writer may have waited too long for the other one.
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 503 || status === 504),
      statuses(answers),
    );
    assert.ok(written.length > 0, statuses(answers));
    const lines = written.map(({ text }) => text.split("\n").length);
    const before = 3;
    assert.deepEqual(look("SELECT count(*) FROM Journal"), [
      String(lines.reduce((sum, each) => sum + each, before)),
    ]);
    assert.ok((lines[0] ?? 0) > 80_000, String(lines));
  });
}

for (const [format, type, table, make] of REFUSED) {
  Deno.test(`a body of 10 MiB that is no end of small things in ${format} is refused within ${HEAP} MiB: ${table}`, async () => {
    const { service, look } = opened();
    const { status, text } = await post(service, { table, format, type, body: make() });
    assert.equal(status, 400, text);
    assert.deepEqual(look(`SELECT count(*) FROM ${table}`), [table === "Journal" ? "3" : "1"]);
  });
}

Deno.test(`a million records without a column are written within ${HEAP} MiB of memory`, async () => {
  const { service, look } = opened();
  const body = `[${"{},".repeat(999_999)}{}]`;
  const { status, text } = await post(service, {
    table: "Journal",
    format: "json",
    type: "application/json",
    body,
  });
  // A slow machine may not be done in time: then nothing of it is there.
  assert.ok(status === 201 || status === 504, text.slice(0, 300));
  assert.deepEqual(look("SELECT count(*) FROM Journal"), [status === 201 ? "1000003" : "3"]);
});

interface Sent {
  readonly table: string;
  readonly format: string;
  readonly type: string;
  readonly body: string;
}

interface Received {
  readonly status: number;
  readonly text: string;
}

async function post(service: TestService, { table, format, type, body }: Sent): Promise<Received> {
  const answer = await service.fetch(`/db/Shop/${table}.${format}`, {
    method: "POST",
    headers: { "Content-Type": type },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

function statuses(answers: readonly Received[]): string {
  return answers.map(({ status, text }) => `${status}: ${text.slice(0, 200)}`).join("\n");
}

/** The shop as at the beginning. */
function opened() {
  const each = shop();
  return { service: each.service, look: (sql: string) => each.look(sql) };
}
