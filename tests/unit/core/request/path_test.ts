import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { ServiceError } from "@/core/errors.ts";
import {
  createGrammar,
  cutExtension,
  type Operand,
  readName,
  readValue,
  splitList,
} from "@/core/request/path_grammar.ts";

const SUBSTITUTIONS = [{ sequence: "_dot", character: "." }, { sequence: "__", character: "/" }];
const GRAMMAR = createGrammar({ substitutions: SUBSTITUTIONS });
const EXTENSIONS = new Map([["json", 1], ["csv", 2]]);

const equal = (text: string): Operand => ({ kind: "equal", text });
const like = (...literals: string[]): Operand => ({ kind: "like", literals });
const NULL: Operand = { kind: "null" };

const VALUES: readonly (readonly [string, ...Operand[]])[] = [
  ["USA", equal("USA")],
  ["", equal("")],
  ["USA,Canada", equal("USA"), equal("Canada")],
  [",", equal(""), equal("")],
  ["a%2Cb", equal("a,b")],
  ["<null>", NULL],
  ["%3Cnull%3E", NULL],
  ["%3cnull%3e", NULL],
  ["%3C%6Eull%3E", equal("<null>")],
  ["<NULL>", equal("<NULL>")],
  ["x<null>", equal("x<null>")],
  ["1,<null>", equal("1"), NULL],
  ["1..10", { kind: "range", from: "1", to: "10" }],
  ["1..", { kind: "range", from: "1" }],
  ["..10", { kind: "range", to: "10" }],
  ["-5..-1.5", { kind: "range", from: "-5", to: "-1.5" }],
  ["1..2..3", { kind: "range", from: "1", to: "2..3" }],
  ["1...5", { kind: "range", from: "1", to: ".5" }],
  ["1%2E.3", equal("1..3")],
  ["1_dot_dot3", equal("1..3")],
  ["a__b..c_dotd", { kind: "range", from: "a/b", to: "c.d" }],
  ["A*", like("A", "")],
  ["*son", like("", "son")],
  ["*li*", like("", "li", "")],
  ["*", like("", "")],
  ["A*,B*", like("A", ""), like("B", "")],
  ["A%2A*", like("A*", "")],
  ["a__*", like("a/", "")],
  ["100%25", equal("100%")],
  ["1..3,7,9..", { kind: "range", from: "1", to: "3" }, equal("7"), { kind: "range", from: "9" }],
  ["AC__DC", equal("AC/DC")],
  ["AC%2FDC", equal("AC/DC")],
  ["AC%5F%5FDC", equal("AC__DC")],
  ["___", equal("/_")],
  ["____", equal("//")],
  ["gr%C3%B6%C3%9Fe", equal("größe")],
  ["größe", equal("größe")],
  ["a+b", equal("a+b")],
  ["%00", equal("\0")],
];

Deno.test("a raw value is read as its operands", () => {
  for (const [raw, ...operands] of VALUES) assert.deepEqual(readValue(raw, GRAMMAR), operands, raw);
});

Deno.test("a raw value that is none is refused with 400", () => {
  for (
    const raw of [
      "..",
      "a,..",
      "<null>..1",
      "1..<null>",
      "1..%3Cnull%3E",
      "A*..B",
      "1..*",
      "%",
      "%ZZ",
      "%FF",
      "%C3",
    ]
  ) {
    assert.throws(() => readValue(raw, GRAMMAR), { name: "ServiceError", code: "bad-request" }, raw);
  }
});

Deno.test("a request's markers take the place of the usual ones", () => {
  const grammar = createGrammar({
    substitutions: SUBSTITUTIONS,
    separator: ";",
    wildcard: "$",
    nullMarker: "NIL",
    placeholder: "~~",
  });
  assert.deepEqual(readValue("a,b;*$;NIL;<null>;a~~b__c_dotd", grammar), [
    equal("a,b"),
    like("*", ""),
    NULL,
    equal("<null>"),
    equal("a/b__c.d"),
  ]);
  assert.deepEqual(splitList("A;B,C", grammar), ["A", "B,C"]);
});

Deno.test("a percent sign may be a marker, as in SQL", () => {
  const wildcard = createGrammar({ substitutions: SUBSTITUTIONS, wildcard: "%" });
  for (const raw of ["A%25", "A%"]) assert.deepEqual(readValue(raw, wildcard), [like("A", "")]);
  assert.deepEqual(readValue("%25%C3%BC%2a%25", wildcard), [like("", "ü*", "")]);
  const separator = createGrammar({ substitutions: SUBSTITUTIONS, separator: "%" });
  assert.deepEqual(splitList("A%25B%2CC", separator), ["A", "B%2CC"]);
});

Deno.test("a marker is found as URL parsers encode it", () => {
  const grammar = createGrammar({
    substitutions: SUBSTITUTIONS,
    separator: "|",
    nullMarker: "ä<",
    placeholder: "é",
  });
  const operands = [equal("a"), equal("b/c"), NULL];
  assert.deepEqual(readValue("a|bé%63|ä<", grammar), operands);
  assert.deepEqual(readValue("a%7Cb%C3%A9c%7c%C3%A4%3C", grammar), operands);
});

Deno.test("one known extension is cut off the last segment", () => {
  const cases = [
    ["/db/x.json", "/db/x", "json"],
    ["/db/15...json", "/db/15..", "json"],
    ["/db/..10.json", "/db/..10", "json"],
    ["/db/State/.json", "/db/State/", "json"],
    ["/db/a.json.csv", "/db/a.json", "csv"],
    ["/db/x.JSON", "/db/x.JSON", undefined],
    ["/db/x.constructor", "/db/x.constructor", undefined],
    ["/db/x.json/y", "/db/x.json/y", undefined],
    ["/db/x%2Ejson", "/db/x%2Ejson", undefined],
    ["/db/x.json/", "/db/x.json/", undefined],
    ["/", "/", undefined],
    ["", "", undefined],
  ] as const;
  for (const [raw, path, extension] of cases) {
    const expected = extension === undefined ? { path } : { path, extension };
    assert.deepEqual(cutExtension(raw, EXTENSIONS), expected, raw);
  }
});

Deno.test("a name is read as it stands and with its sequences put back", () => {
  assert.deepEqual(readName("AC__DC%20x", GRAMMAR), { literal: "AC__DC x", substituted: "AC/DC x" });
  assert.deepEqual(readName("a%5F%5Fb", GRAMMAR), { literal: "a__b", substituted: "a__b" });
  assert.throws(() => readName("%E0%A4%A", GRAMMAR), { code: "bad-request" });
});

Deno.test("any raw text whatsoever is read or refused with 400", () => {
  const raw = fc.string({
    unit: fc.constantFrom(..."aA1_%./,*<>~-;$|ö\u{1F600}", "__", "_dot", "..", "<null>", "%2", "%FF", "%3C"),
  });
  const markers = fc.record({
    separator: fc.string({ minLength: 1, unit: "binary" }),
    wildcard: fc.string({ minLength: 1, unit: "binary" }),
    nullMarker: fc.string({ minLength: 1, unit: "binary" }),
    placeholder: fc.string({ minLength: 1, unit: "binary" }),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(raw, markers, (text, chosen) => {
      const grammar = createGrammar({ substitutions: SUBSTITUTIONS, ...chosen });
      for (const read of [readValue, readName]) {
        try {
          read(text, grammar);
        } catch (error) {
          assert.ok(error instanceof ServiceError && error.status === 400, String(error));
        }
      }
    }),
    { numRuns: 1000 },
  );
});
