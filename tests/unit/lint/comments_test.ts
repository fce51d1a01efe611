import assert from "node:assert/strict";
import { LINE_WIDTH } from "./comments.ts";
import plugin from "./layers.ts";

/** The comments with a long line, by the rule that finds them. */
function found(source: string): readonly string[] {
  return Deno.lint.runPlugin(plugin, "config/x.ts", source).map(({ id }) => id);
}

const words = (length: number) => "ab ".repeat(length).slice(0, length - 1) + ".";

const ALLOWED: readonly string[] = [
  `// ${words(LINE_WIDTH - 3)}\n`,
  `/** ${words(LINE_WIDTH - 7)} */\n`,
  `/**\n * | ${words(200)} |\n */\n`,
  `// https://example.com/${"a".repeat(200)}\n`,
  `const text = "${words(200)}";\n`,
];

for (const source of ALLOWED) {
  Deno.test(`the comment may have this line: ${source.slice(0, 20).trim()}`, () => {
    assert.deepEqual(found(source), []);
  });
}

const LONG: readonly string[] = [
  `// ${words(LINE_WIDTH - 2)}\n`,
  `/** ${words(LINE_WIDTH - 6)} */\n`,
  `/**\n * ${words(LINE_WIDTH - 2)}\n */\n`,
  `{\n  // ${words(LINE_WIDTH - 4)}\n}\n`,
  `const a = 1; // ${words(LINE_WIDTH - 15)}\n`,
];

for (const source of LONG) {
  Deno.test(`the comment has a long line: ${source.slice(0, 20).trim()}`, () => {
    assert.deepEqual(found(source), ["rowhouse/comments"]);
  });
}
