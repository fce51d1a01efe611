import assert from "node:assert/strict";
import { editYaml, parseYaml } from "@/config/yaml.ts";

/** Long enough to be kept. */
const long = (name: string) => `a: {name: ${name}}\n${"# a comment\n".repeat(4000)}`;

Deno.test("a long text is read once, a short one each time", () => {
  assert.equal(parseYaml(long("x")), parseYaml(long("x")));
  assert.notEqual(parseYaml("a: 1"), parseYaml("a: 1"));
});

Deno.test("a long text that was read before is what it was, whatever was edited or read since", () => {
  const before = parseYaml(long("x"));
  const { text } = editYaml(long("x"), (document) => document.setIn(["a", "name"], "y"));
  assert.deepEqual(parseYaml(text).value, { a: { name: "y" } });
  for (let other = 0; other < 20; other++) parseYaml(long(`n${other}`));
  assert.deepEqual(before.value, { a: { name: "x" } });
  assert.deepEqual(parseYaml(long("x")).value, { a: { name: "x" } });
  assert.notEqual(parseYaml(long("x")), before, "not everything is kept for ever");
});

Deno.test("what is wrong with a long text is told each time", () => {
  const wrong = `${long("x")}a: {}\n`;
  assert.deepEqual(parseYaml(wrong).faults, [
    "Line 4002, column 1: The same key stands twice in one mapping",
  ]);
  assert.deepEqual(parseYaml(wrong), { value: null, faults: parseYaml(wrong).faults });
});
