import assert from "node:assert/strict";
import { importsByFile } from "./imports.ts";

/** A way from a file back to itself, where there is one: a depth-first search that visits each file once. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of imports.get(file) ?? []) {
      const cycle = visit(next, [...way, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of imports.keys()) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

Deno.test("no file of the product imports itself by way of others, types included", () => {
  const imports = new Map([...importsByFile()].map(([file, { all }]) => [file, all]));
  assert.ok(imports.size > 300, `only ${imports.size} files were found`);
  assert.deepEqual(findCycle(imports), []);
});

Deno.test("a circle of imports is found, whatever is around it", () => {
  const imports = new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", []], ["d", ["e"]], ["e", ["b"]]]);
  assert.deepEqual(findCycle(imports), ["b", "d", "e", "b"]);
});
