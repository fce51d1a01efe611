/**
 * Conformance tests of formats that read bodies.
 *
 * @module
 */

import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import type {
  BodyRecord,
  BodyValue,
  Format,
  Reading,
  ReadInput,
  ReadResult,
  Shape,
  Value,
} from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { HOSTILE_NAMES, HOSTILE_TEXTS, VALUES } from "@/tests/conformance/hostile.ts";
import { mutationsOf } from "@/tests/conformance/mutations.ts";
import { column, shape, write } from "@/tests/conformance/shapes.ts";
import { type Subject, valueTypes } from "@/tests/conformance/format_subject.ts";

/** Values that a format writes unambiguously are read unchanged. */
const WRITTEN = { csvNullStr: true, nilVisible: true } as const;

/** Text that every format keeps: without control characters and lone surrogates. */
// deno-lint-ignore no-control-regex -- the pattern has to find control characters
const LOST = /[\0-\x08\x0b\x0c\x0e-\x1f\p{Cs}\ufffe\uffff]/u;

/** The input for reading a table with these columns. */
export function readInput({ name, columns }: Shape, changes: Partial<ReadInput> = {}): ReadInput {
  const types = new Map(columns.map((each) => [each.name, each.type]));
  return { name, columns: types, nullMarker: "<null>", csvNullStr: true, signal: NEVER, ...changes };
}

/**
 * The body as the core gives it: the bytes of a binary format, which {@link write} shows one character each.
 */
function bodyOf({ binary }: Format, text: string): string | Uint8Array<ArrayBuffer> {
  return binary ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : text;
}

/** The result of a format's reader, immediate or in steps. Undefined if it reads no bodies. */
export function readWhole(
  format: Pick<Format, "read">,
  text: string,
  input: ReadInput,
): ReadResult | undefined {
  const read = format.read?.(text, input);
  if (read instanceof Promise) throw new TypeError("The format reads later");
  return read && "next" in read ? collectSteps(read) : read;
}

/** Like {@link readWhole}, for formats that read later, too. */
async function readBody(
  format: Pick<Format, "read">,
  body: string | Uint8Array<ArrayBuffer>,
  input: ReadInput,
): Promise<ReadResult | undefined> {
  const read = await format.read?.(body, input);
  return read && "next" in read ? collectSteps(read) : read;
}

function collectSteps(reading: Reading): ReadResult {
  const records: BodyRecord[] = [];
  for (let step = reading.next();; step = reading.next()) {
    if (step.done) return "complaint" in step.value ? step.value : { records, ...step.value };
    if (step.value) records.push(step.value);
  }
}

/** Values of every type, in records named by hostile names. */
export async function readsWhatItWrote({ format }: Subject): Promise<void> {
  if (!format.read) return;
  for (const type of valueTypes()) {
    const values = VALUES[type].filter(isKept);
    await readsBack(
      format,
      shape([column("Id", "integer"), column("x", type)]),
      values.map((value) => [1, value]),
    );
  }
  const names = HOSTILE_NAMES.filter((name) => name !== "" && name.isWellFormed());
  const texts = HOSTILE_TEXTS.filter(isKept);
  const rows = texts.map((_, offset) =>
    names.map((_, index) => texts[(index + offset) % texts.length] ?? null)
  );
  for (const name of names) await readsBack(format, shape(names.map((each) => column(each)), { name }), rows);
}

/** Property: any names and values are read as they were written. */
export async function readsAnything({ format }: Subject): Promise<void> {
  if (!format.read) return;
  const word = fc.string({ unit: "binary", maxLength: 8 }).filter((text) => text.isWellFormed());
  const name = fc.oneof(word, fc.constantFrom("_x0041_", "xml", "_", "_x0041", "__proto__")).filter((text) =>
    text !== ""
  );
  const value = fc.oneof(
    word.filter(isKept),
    fc.constant(null),
    fc.constantFrom("", "<null>", "]]>", " \t\r\n"),
  );
  const table = fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).chain((names) =>
    fc.record({
      name,
      names: fc.constant(names),
      rows: fc.array(fc.array(value, { minLength: names.length, maxLength: names.length }), { maxLength: 4 }),
    })
  );
  await fc.assert(
    fc.asyncProperty(table, async ({ name, names, rows }) => {
      await readsBack(format, shape(names.map((each) => column(each)), { name }), rows);
    }),
    { numRuns: 200 },
  );
}

/** A single record is no list in a format that cannot tell them apart otherwise. */
export async function readsCountOfRecords({ format }: Subject): Promise<void> {
  const table = shape([column("Id", "integer")]);
  const single = shape(table.columns, { form: "record" });
  assert.equal(await isList(format, single, 1), format.read && false);
  assert.equal(await isList(format, table, 0), format.read && true);
  assert.equal(await isList(format, table, 2), format.read && true);
}

/** The core decides about the content of a record. */
export async function readsUnknownNames({ format }: Subject): Promise<void> {
  const written = shape([column("Id"), column("Unknown"), column("__proto__")]);
  const text = await write(format, {
    shape: written,
    rows: [["1", "", "x"], ["2", "y", "z"]],
    options: WRITTEN,
  });
  const result = await readBody(format, bodyOf(format, text), readInput(shape([column("Id")])));
  if (!result) return;
  assert.deepEqual(recordsOf(result).map((record) => [...record.values()].map(lexical)), [
    ["1", "", "x"],
    ["2", "y", "z"],
  ]);
}

/** Valid bodies with one change, and random texts. */
export async function survivesMutations({ format }: Subject): Promise<void> {
  if (!format.read) return;
  const columns = [column("Id", "integer"), column('a "b", c'), column("Note")];
  const rows = [[1, 'x "y"\r\n<&>', null], [2, "\u00e9\u{1f600}", ""]];
  const body = await write(format, { shape: shape(columns), rows });
  const input = readInput(shape(columns));
  const check = async (text: string) => {
    const result = await readBody(format, bodyOf(format, text), input);
    assert.ok(result);
    assertResult(result);
  };
  await fc.assert(fc.asyncProperty(mutationsOf(body), check), { numRuns: 3000 });
  await fc.assert(fc.asyncProperty(fc.string({ unit: "binary" }), check), { numRuns: 300 });
}

/** Throws unless it is a list of maps or a fragment that can be shown to the caller. */
export function assertResult(result: ReadResult): void {
  if ("complaint" in result) {
    const expected = "a complaint is one line of 5 to 400 characters of ASCII";
    return assert.match(
      result.complaint,
      /^[\x20-\x7e]{5,400}$/,
      `${expected}, not ${JSON.stringify(result.complaint)}`,
    );
  }
  assert.ok(result.records.every((record) => record instanceof Map));
}

async function isList(format: Format, written: Shape, count: number): Promise<boolean | undefined> {
  const rows = Array.from({ length: count }, (_, index) => [index]);
  const body = bodyOf(format, await write(format, { shape: written, rows }));
  const result = await readBody(format, body, readInput(written));
  return result && "isList" in result ? result.isList : undefined;
}

async function readsBack(
  format: Format,
  table: Shape,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const text = await write(format, { shape: table, rows, options: WRITTEN });
  const result = await readBody(format, bodyOf(format, text), readInput(table));
  assert.ok(result);
  const names = table.columns.map((each) => each.name);
  const expected = rows.map((row) => names.map((name, index) => [name, lexicalOf(row[index] ?? null)]));
  assert.deepEqual(
    recordsOf(result).map((record) => [...record].map(([name, value]) => [name, lexical(value)])),
    expected,
    text,
  );
}

function recordsOf(result: ReadResult) {
  assert.ok("records" in result, "complaint" in result ? result.complaint : "");
  return result.records;
}

function isKept(value: Value): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "string" || !LOST.test(value);
}

function lexicalOf(value: Value): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? value.toBase64() : String(value);
}

function lexical(value: BodyValue): string | null {
  if (value === null) return null;
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (value.kind === "empty") return "";
  assert.equal(typeof value.text, "string", 'a number is `{ kind: "number", text }`');
  // JavaScript's text of it is 0.
  return value.text === "-0" ? "0" : value.text;
}
