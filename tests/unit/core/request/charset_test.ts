import assert from "node:assert/strict";
import { createEncoder } from "@/core/request/encoder.ts";

const references = (codePoint: number) => `&#${codePoint};`;

function bytesOf(label: string, text: string, escape?: (codePoint: number) => string): Uint8Array {
  const encoded = createEncoder(label).encode(text, escape);
  return typeof encoded === "string" ? new TextEncoder().encode(encoded) : encoded;
}

Deno.test("UTF-8 is left to the server: text stays text", () => {
  for (const label of ["utf-8", "UTF8", "utf-8 "]) {
    const encoder = createEncoder(label);
    assert.equal(encoder.charset, "utf-8");
    assert.equal(encoder.encode("Größe 😀", references), "Größe 😀");
  }
});

const CHARSETS: readonly (readonly [label: string, charset: string, text: string])[] = [
  ["windows-1252", "windows-1252", "Größe, naïve €"],
  ["iso-8859-1", "iso-8859-1", "Größe, naïve"],
  ["us-ascii", "us-ascii", "plain"],
  ["iso-8859-2", "iso-8859-2", "Łódź"],
  ["iso-8859-15", "iso-8859-15", "Œuvre €"],
  ["windows-1251", "windows-1251", "България"],
  ["koi8-r", "koi8-r", "Москва"],
  ["utf-16", "utf-16le", "Größe 😀 България"],
  ["utf-16le", "utf-16le", ""],
];

for (const [label, charset, text] of CHARSETS) {
  Deno.test(`${label} is sent as ${charset} and can be read back`, () => {
    assert.equal(createEncoder(label).charset, charset);
    const bytes = bytesOf(label, text, references);
    assert.equal(new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes), text);
  });
}

Deno.test("characters that a charset lacks are escaped as the format wants it, else written as ?", () => {
  const decoder = new TextDecoder();
  assert.equal(decoder.decode(bytesOf("iso-8859-1", "1 БГ 😀", references)), "1 &#1041;&#1043; &#128512;");
  assert.equal(decoder.decode(bytesOf("iso-8859-1", "1 БГ 😀")), "1 ?? ?");
});

Deno.test("ISO-8859-1 and US-ASCII have no character of windows-1252", () => {
  assert.deepEqual([...bytesOf("iso-8859-1", "ä€\u201c", references)], [
    0xe4,
    ...new TextEncoder().encode("&#8364;&#8220;"),
  ]);
  assert.equal(new TextDecoder().decode(bytesOf("us-ascii", "ä€~", references)), "&#228;&#8364;~");
});

Deno.test("a text that ISO-8859-1 holds is read back by readers that take it for windows-1252", () => {
  for (let code = 0; code < 256; code++) {
    const text = String.fromCharCode(code);
    const read = new TextDecoder("iso-8859-1").decode(bytesOf("iso-8859-1", text, references));
    assert.ok(read === text || read === references(code), `${code}: ${read}`);
  }
});

Deno.test("each of the 256 bytes that a charset defines comes back", () => {
  for (const label of ["windows-1252", "iso-8859-5", "koi8-u", "macintosh"]) {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const text = new TextDecoder(label).decode(all);
    const bytes = bytesOf(label, text);
    assert.equal(new TextDecoder(label).decode(bytes), text, label);
  }
});
