/**
 * Reads bodies in NDJSON, one record per line. Numbers keep their digits.
 *
 * @module
 */

import type { BodyRecord, BodyValue, Reading } from "@/plugins/contract.ts";

/** A value that keeps the digits of its source; TypeScript's types do not have it yet. */
interface RawJson {
  readonly rawJSON: string;
}

interface DigitsOfJson {
  rawJSON(digits: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
}

const RAW = JSON as unknown as DigitsOfJson;

/** A generator, so that other requests run between the records. A body of one record is no list. */
export function* readBody(text: string): Reading {
  let count = 0;
  for (const [at, line] of linesOf(text)) {
    const record = readLine(line);
    if (typeof record === "string") return { complaint: `line ${at}: ${record}` };
    count++;
    yield record;
  }
  return { isList: count !== 1 };
}

/** Lines that are not blank, with their numbers; made one after another, because a body may be large. */
function* linesOf(text: string): Generator<readonly [number: number, line: string]> {
  for (let from = 0, at = 1; from < text.length; at++) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end === -1 ? text.length : end);
    if (line.trim() !== "") yield [at, line];
    from = end === -1 ? text.length : end + 1;
  }
}

/** A record, or a complaint. */
function readLine(line: string): BodyRecord | string {
  try {
    const tree = parse(line);
    if (typeof tree !== "object" || tree === null || Array.isArray(tree) || RAW.isRawJSON(tree)) {
      return "expected a JSON object";
    }
    const names = namesOf(line);
    if (new Set(names).size < names.length) return "a name is there twice";
    const members = tree as Readonly<Record<string, unknown>>;
    return new Map(names.map((name) => [name, bodyValue(members[name])]));
  } catch (error) {
    // Too deep a tree is a RangeError of the engine.
    if (error instanceof SyntaxError || error instanceof RangeError) return "this is no JSON text";
    throw error;
  }
}

function parse(line: string): unknown {
  const keepDigits = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? RAW.rawJSON(context?.source ?? String(value)) : value;
  return JSON.parse(line, keepDigits);
}

/** The names in the order of the line: `Object.keys` would have those that are numbers first. */
function namesOf(line: string): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  let last = "";
  for (const [token] of line.matchAll(/"(?:[^"\\]+|\\.)*"|[{}[\]:]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token !== ":") last = token;
    else if (depth === 1) names.push(JSON.parse(last));
  }
  return names;
}

function bodyValue(value: unknown): BodyValue {
  if (RAW.isRawJSON(value)) return { kind: "number", text: value.rawJSON };
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  return { kind: "nested", text: JSON.stringify(value) };
}
