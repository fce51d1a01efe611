import assert from "node:assert/strict";
import plugin from "./layers.ts";

/** The exports of a file that have no sentence. */
function silent(source: string, file = "formats/csv/mod.ts"): readonly string[] {
  return Deno.lint.runPlugin(plugin, file, source).map(({ id, message }) => {
    const [, name] = /^formats\/csv\/mod\.ts exports "(.*)" without a doc comment$/s.exec(message) ?? [];
    assert.equal(id, "rowhouse/exports");
    assert.notEqual(name, undefined, message);
    return name ?? "";
  });
}

const SILENT: readonly (readonly [source: string, names: readonly string[]])[] = [
  ["export function f(): void {}", ["f"]],
  ["export async function f(): Promise<void> {}", ["f"]],
  ["export class C {}", ["C"]],
  ["export abstract class C {}", ["C"]],
  ["export interface I {}", ["I"]],
  ["export type T = string;", ["T"]],
  ["export const c = 1;", ["c"]],
  ["export const { a, b } = x;", ["{ a, b }"]],
  ["export declare function f(): void;", ["f"]],
  ["export default class C {}", ["C"]],
  ["export default class {}", ["default"]],
  ["export default function f(): void {}", ["f"]],
  ['declare module "m" { export interface I {} }', ["I"]],
  ["export const a = 1;\nexport const b = 2;", ["a", "b"]],
  ["/** A. */\nexport const a = 1;\nexport const b = 2;", ["b"]],
  ["/** A. */\nconst a = 1;\nexport const b = a;", ["b"]],
  ["/** The file.\n *\n * @module\n */\nexport const a = 1;", ["a"]],
  ["/* A. */\nexport const a = 1;", ["a"]],
  ["// A.\nexport const a = 1;", ["a"]],
  ["/** */\nexport const a = 1;", ["a"]],
  ["export const a = 1; /** A. */", ["a"]],
  ["export interface I {\n  /** The member. */\n  readonly m: string;\n}", ["I"]],
  ["/** F. */\nexport function f(): void {}\nexport function g(): void {}", ["g"]],
  ["export function f(a: string): void;\nexport function f(): void {}", ["f"]],
];

for (const [source, names] of SILENT) {
  Deno.test(`${names.join(" and ")} without a sentence is found in: ${source}`, () => {
    assert.deepEqual(silent(source), names);
  });
}

const SPOKEN = [
  "/** F. */\nexport function f(): void {}",
  "/** I. */\nexport interface I {}",
  "/** The file.\n *\n * @module\n */\n\n/** A. */\nexport const a = 1;",
  "/** Explains {@module x}. */\nexport const a = 1;",
  "/** A. */\n// Not deprecated.\nexport const a = 1;",
  "/** Ä😀. */\nexport const a = 1;",
  'const a = "ä😀";\n/** B. */\nexport const b = a;',
  "/** F. */\nexport function f(a: string): void;\nexport function f(): void;\nexport function f(): void {}",
  "interface I {}\nconst a = 1;\nfunction f(): void {}",
  'export * from "./field.ts";',
  'export { a } from "./field.ts";',
  "const a = 1;\nexport { a };",
  'export default { kind: "format" };',
];

for (const source of SPOKEN) {
  Deno.test(`nothing is missing in: ${source}`, () => assert.deepEqual(silent(source), []));
}

Deno.test("a file outside of the project may be silent", () => {
  assert.deepEqual(silent("export const a = 1;", "/elsewhere/formats/csv/mod.ts"), []);
});
