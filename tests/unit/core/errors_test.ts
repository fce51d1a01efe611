import assert from "node:assert/strict";
import { ascii, quote, ServiceError, STATUS } from "@/core/errors.ts";

Deno.test("an error knows its status, headers and cause", () => {
  const cause = new Error("disk full");
  const error = new ServiceError("unavailable", "Try again", { cause, headers: { "Retry-After": "2" } });
  assert.equal(error.status, 503);
  assert.equal(error.name, "ServiceError");
  assert.equal(error.cause, cause);
  assert.deepEqual(error.headers, { "Retry-After": "2" });
  assert.equal("cause" in new ServiceError("internal", "x"), false);
});

Deno.test("every status of the specification has a code", () => {
  const statuses = new Set<number>(Object.values(STATUS));
  const expected = [400, 402, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429, 500, 501, 503, 504];
  assert.deepEqual(expected.filter((status) => !statuses.has(status)), []);
  assert.equal(statuses.has(401), false, "browsers would show a login box of their own");
});

const QUOTED: readonly (readonly [text: string, quoted: string])[] = [
  ["plain", '"plain"'],
  ["", '""'],
  ['say "hi"', '"say \\"hi\\""'],
  ["back\\slash", '"back\\\\slash"'],
  ["line\r\nbreak", '"line\\r\\nbreak"'],
  ["tab\t nul\0 del\x7f", '"tab\\t nul\\u0000 del\\u007f"'],
  ["Größe", '"Gr\\u00f6\\u00dfe"'],
  ["😀", '"\\ud83d\\ude00"'],
  ["\ud800", '"\\ufffd"'],
  ["\u2028", '"\\u2028"'],
  ["x".repeat(80), `"${"x".repeat(80)}"`],
  ["x".repeat(81), `"${"x".repeat(77)}..."`],
];

for (const [text, quoted] of QUOTED) {
  Deno.test(`the value ${quoted.slice(0, 30)} is quoted in ASCII`, () => {
    assert.equal(quote(text), quoted);
    assert.match(quote(text), /^[\x20-\x7e]*$/);
  });
}

Deno.test("a pair of surrogates that the cut would halve stays well-formed", () => {
  const cut = quote(`${"x".repeat(76)}😀${"x".repeat(20)}`);
  assert.equal(cut, `"${"x".repeat(76)}\\ufffd..."`);
});

Deno.test("text becomes ASCII and stays what it is", () => {
  assert.equal(ascii("a\nb\u00e9"), "a\\u000ab\\u00e9");
  assert.equal(ascii("plain ~ text"), "plain ~ text");
});
