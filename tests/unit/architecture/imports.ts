/**
 * The imports of the product's files, read from their text.
 *
 * @module
 */

import { resolveTarget } from "@/tests/unit/lint/targets.ts";
import { ROOT } from "@/tests/support/root.ts";

/** The imports of a file. */
export interface FileImports {
  /** Files of the project, types included. */
  readonly all: readonly string[];
  /** Files from which it imports more than types. */
  readonly values: readonly string[];
  /** The names that it imports, without those of types. */
  readonly names: ReadonlySet<string>;
  /** The same names, each with its file; `*` for an import or export without a list of names. */
  readonly uses: readonly (readonly [file: string, name: string])[];
}

const IMPORT =
  /(?:^import\s+(type\s+)?([^;"]*?)\bfrom|\bimport\(|^export\s+(type\s+)?[^;"]*?\bfrom)\s*"([^"]+)"/gm;

/** The product's source files with their imports. */
export function importsByFile(): ReadonlyMap<string, FileImports> {
  const { stdout } = new Deno.Command("git", { args: ["ls-files", "*.ts"], cwd: ROOT }).outputSync();
  const files = new TextDecoder().decode(stdout).split("\n")
    .filter((file) => file !== "" && !/^(tests|bench|examples)\//.test(file));
  return new Map(files.map((file) => [file, importsOf(file, Deno.readTextFileSync(`${ROOT}/${file}`))]));
}

function importsOf(file: string, text: string): FileImports {
  const found = [...text.matchAll(IMPORT)].flatMap(([, type, clause = "", exported, specifier = ""]) => {
    const target = resolveTarget(specifier, file);
    if (target.kind !== "file") return [];
    const names = type ? [] : namesIn(clause);
    const isType = Boolean(type ?? exported) || (clause.includes("{") && names.length === 0);
    return [{ path: target.path, isType, names }];
  });
  return {
    all: found.map(({ path }) => path),
    values: found.filter(({ isType }) => !isType).map(({ path }) => path),
    names: new Set(found.flatMap(({ names }) => names)),
    uses: found.flatMap(({ path, isType, names }) => {
      return isType ? [] : (names.length > 0 ? names : ["*"]).map((name) => [path, name] as const);
    }),
  };
}

function namesIn(clause: string): readonly string[] {
  const list = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  return list.split(",").map((each) => each.trim()).filter((each) => each !== "" && !each.startsWith("type "))
    .map((each) => each.split(/\s+as\s+/)[0] ?? "");
}
