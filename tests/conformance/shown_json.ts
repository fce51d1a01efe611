/**
 * Reads answers in JSON back for the tests of formats that write it.
 *
 * @module
 */

import type { Shape } from "@/plugins/contract.ts";
import type { ShownCell, ShownRecord } from "@/tests/conformance/format_subject.ts";

/** A whole answer in JSON. */
export function parseJson(text: string, shape: Shape): readonly ShownRecord[] {
  const tree = parseExactly(text);
  if (shape.form === "record" || shape.form === "value") return [readRow(tree, shape)];
  if (shape.form !== "columns") return (tree as readonly unknown[]).map((each) => readRow(each, shape));
  return Object.entries(tree as object).map(([name, values]) => ({ cells: new Map([[name, values]]) }));
}

/** An answer of one JSON text per line. */
export function parseJsonLines(text: string, shape: Shape): readonly ShownRecord[] {
  const lines = text.split("\n").slice(0, -1).map(parseExactly);
  if (shape.form !== "columns") return lines.map((line) => readRow(line, shape));
  return lines.map((line) => ({ cells: new Map(Object.entries(line as object)) }));
}

function readRow(tree: unknown, shape: Shape): ShownRecord {
  if (shape.form === "values" || shape.form === "value") {
    return { cells: new Map([[shape.columns[0]?.name ?? "", tree as ShownCell]]) };
  }
  const { __href: href, ...members } = tree as Readonly<Record<string, unknown>>;
  const relations = new Map(
    [...shape.toOne, ...shape.toMany].map((each) => [each.name, each.expanded?.shape]),
  );
  const cells = Object.entries(members).filter(([name]) => !relations.has(name)) as [string, ShownCell][];
  const related = [...relations].flatMap(([name, inner]) => {
    if (!inner || !Object.hasOwn(members, name)) return [];
    return [[name, (members[name] as unknown[]).map((each) => readRow(each, inner))] as const];
  });
  return { cells: new Map(cells), href: (href ?? null) as string | null, related: new Map(related) };
}

/** Numbers become their digits, so that none is lost. */
function parseExactly(text: string): unknown {
  const digits = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? context?.source ?? value : value;
  return JSON.parse(text, digits);
}
