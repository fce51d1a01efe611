import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import type { Substitution } from "@/config/mod.ts";
import { type LinkStyle, printKey, printName, printValue } from "@/core/request/print_path.ts";
import { createGrammar, cutExtension, readName, readValue } from "@/core/request/path_grammar.ts";

const DEFAULT = styleOf([{ sequence: "_dot", character: "." }, { sequence: "__", character: "/" }]);

/** Valid configurations: sequences of unreserved characters, one character each, the longest first. */
const STYLES = fc.uniqueArray(
  fc.record({
    sequence: fc.string({
      minLength: 1,
      maxLength: 5,
      unit: fc.oneof(
        fc.constantFrom(..."nul_~-dot0123C6E"),
        fc.constantFrom(..."ABCXYZabcxyz0123456789_~-"),
      ),
    }),
    character: fc.oneof(
      fc.constantFrom("/", ".", ",", "*", "~", "<", "_", "%", "a"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
  }),
  { selector: ({ sequence }) => sequence, maxLength: 4 },
).map((list) => styleOf(list.toSorted((a, b) => b.sequence.length - a.sequence.length)));

const PIECES = [
  "__",
  "_dot",
  "_",
  ".",
  "..",
  ".json",
  "/",
  ",",
  "*",
  "~",
  "<null>",
  "%",
  "%2C",
  "%3Cnull%3E",
  " ",
  "ä",
  "日",
  "😀",
];
/** Text of every kind, and text of characters with a meaning in URLs. */
const TEXT = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme-ascii" }),
  fc.string({ unit: fc.constantFrom(...PIECES, ..."anul013CE-") }),
);

function styleOf(substitutions: readonly Substitution[]): LinkStyle {
  return { substitutions, grammar: createGrammar({ substitutions }) };
}

Deno.test("values are printed as URLs have them", () => {
  const cases = [
    ["USA", "USA"],
    ["", ""],
    ["AC/DC", "AC__DC"],
    ["a.b", "a_dotb"],
    ["..", "_dot_dot"],
    ["a__b", "a%5F%5Fb"],
    ["___", "%5F%5F%5F"],
    ["_dot", "%5Fdot"],
    ["a_b", "a_b"],
    ["a,b", "a%2Cb"],
    ["*", "%2A"],
    ["<null>", "%3C%6Eull%3E"],
    ["100%", "100%25"],
    ["größe", "gr%C3%B6%C3%9Fe"],
    ["😀", "%F0%9F%98%80"],
    ["a'b\"c", "a%27b%22c"],
    ["(a)!", "%28a%29%21"],
  ] as const;
  for (const [text, printed] of cases) assert.equal(printValue(text, DEFAULT), printed);
});

Deno.test("names are printed as URLs have them, a leading tilde as no negation", () => {
  const cases = [
    ["Customer", "Customer"],
    ["~x", "%7Ex"],
    ["a__b", "a__b"],
    ["a/b", "a__b"],
    ["1.0 x", "1_dot0%20x"],
    ["a,b", "a%2Cb"],
  ] as const;
  for (const [name, printed] of cases) assert.equal(printName(name, DEFAULT), printed);
});

Deno.test("keys are printed by their type", () => {
  const cases = [
    [5, "5"],
    [-7, "-7"],
    [9223372036854775807n, "9223372036854775807"],
    [1.5, "1_dot5"],
    [true, "true"],
    [new Uint8Array([0xfb, 0xff]), "%2B__8%3D"],
    ["2009-01-01T00:00:00", "2009-01-01T00%3A00%3A00"],
    [null, null],
  ] as const;
  for (const [value, printed] of cases) assert.equal(printKey(value, DEFAULT), printed);
});

Deno.test("every value has a segment that reads as exactly this value", () => {
  fc.assert(fc.property(TEXT, (text) => assertFound(text, DEFAULT)), { numRuns: 5000 });
});

Deno.test("every value has a segment under any substitutions", () => {
  fc.assert(fc.property(TEXT, STYLES, assertFound), { numRuns: 5000 });
});

Deno.test("every number has a segment under any substitutions", () => {
  fc.assert(fc.property(fc.oneof(fc.integer(), fc.bigInt()), STYLES, (number, style) => {
    const printed = printKey(number, style);
    assert.deepEqual(readValue(printed ?? "", style.grammar), [{ kind: "equal", text: String(number) }]);
  }));
});

Deno.test("half a surrogate pair, which no URL can hold, is printed as the replacement character", () => {
  assert.equal(printValue("a\ud800", DEFAULT), "a%EF%BF%BD");
});

Deno.test("every name has a segment that reads as this name", () => {
  fc.assert(
    fc.property(TEXT, fc.oneof(fc.constant(DEFAULT), STYLES), (name, style) => {
      const printed = printName(name, style);
      assertPlain(printed);
      assert.ok(!printed.startsWith("~"));
      const { literal, substituted } = readName(printed, style.grammar);
      assert.ok(literal === name || substituted === name, printed);
    }),
    { numRuns: 5000 },
  );
});

function assertFound(text: string, style: LinkStyle): void {
  const printed = printValue(text, style);
  assertPlain(printed);
  assert.deepEqual(readValue(printed, style.grammar), [{ kind: "equal", text }], printed);
}

/** Asserts a segment that has no extension to cut off and needs no escaping in JSON, XML or HTML. */
function assertPlain(printed: string): void {
  assert.match(printed, /^(?:[A-Za-z0-9_~-]|%[0-9A-F]{2})*$/);
  const extensions = new Set(["json"]);
  assert.deepEqual(cutExtension(`/${printed}`, extensions), { path: `/${printed}` });
  assert.deepEqual(cutExtension(`/${printed}.json`, extensions), { path: `/${printed}`, extension: "json" });
}
