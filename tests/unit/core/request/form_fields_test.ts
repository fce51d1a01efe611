import assert from "node:assert/strict";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { ServiceError } from "@/core/errors.ts";
import { readForm } from "@/core/request/form_fields.ts";

const FORM = "application/x-www-form-urlencoded";
const LIMIT = 10_000_000;

async function read(type: string, text: string, more: Record<string, string> = {}) {
  return await readForm({
    headers: new Headers({ "Content-Type": type, ...more }),
    body: new Blob([text]).stream(),
    room: new ClientMemory(2 ** 30).open("192.0.2.1"),
    limits: { signal: new AbortController().signal, seconds: 30 },
  }, LIMIT);
}

const part = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

Deno.test("ten thousand fields are read, in both forms", async () => {
  const names = Array.from({ length: 9_998 }, (_, index) => `c.${index}`);
  const pairs = await read(FORM, names.map((name) => `${name}=1`).join("&"));
  const parts = await read(
    "multipart/form-data; boundary=x",
    `${names.map((name) => part(name, "--y")).join("")}--x--`,
  );
  assert.deepEqual([pairs.size, pairs.get("c.9997")], [9_998, ["1"]]);
  assert.deepEqual([parts.size, parts.get("c.9997")], [9_998, ["--y"]]);
});

Deno.test("a line break is one character, in names, too, in both forms", async () => {
  for (
    const [type, text] of [
      [FORM, "c.a%0D%0Ab=x%0D%0Ay"],
      ["multipart/form-data; boundary=x", `${part("c.a%0D%0Ab", "x\r\ny")}--x--`],
    ] as const
  ) {
    assert.deepEqual([...await read(type, text)], [["c.a\nb", ["x\ny"]]], type);
  }
});

Deno.test("a compressed form is refused: its bytes would be taken for its fields", async () => {
  await assert.rejects(
    read(FORM, "a=1", { "Content-Encoding": "gzip" }),
    (error) => error instanceof ServiceError && error.code === "unsupported-media-type",
  );
});

Deno.test("more fields are counted, not read: reading them would hold up all other requests", async () => {
  const pairs = "&a".repeat(LIMIT / 2);
  const began = performance.now();
  assert.equal([...new URLSearchParams(pairs)].length, LIMIT / 2);
  const reading = performance.now() - began;
  const parts = (type: string) => [`multipart/form-data; boundary=${type}`, part("a", "").repeat(150_000)];
  for (const [type = "", text = ""] of [[FORM, pairs], parts("x"), parts('"x"')]) {
    const start = performance.now();
    const error = await read(type, text).catch((error: unknown) => error);
    const spent = performance.now() - start;
    assert.ok(error instanceof ServiceError && /more than [13]0000 fields/.test(error.message), type);
    assert.ok(spent < reading / 2, `${type}: ${spent} ms, ${reading} ms to read them`);
  }
});

Deno.test("attack: the parts that are counted are those that are read, whatever other boundary the header has", async () => {
  const text = part("a", "").repeat(20_000);
  for (const parameters of ["xboundary=z; boundary=x", 'y="; boundary=z"; boundary=x', 'boundary="\\x"']) {
    await assert.rejects(
      read(`multipart/form-data; ${parameters}`, text),
      (error) => error instanceof ServiceError && /^Could not parse form: /.test(error.message),
      parameters,
    );
  }
  const few = `${part("a", "1")}--x--`;
  for (const parameters of ["boundary=x ; charset=utf-8", 'charset=utf-8; Boundary="x"']) {
    assert.deepEqual((await read(`multipart/form-data; ${parameters}`, few)).get("a"), ["1"], parameters);
  }
});
