import assert from "node:assert/strict";

const PLUGINS = new URL("../../../plugins/", import.meta.url);
const EXPORTED = /^export (?:async )?(?:function|class|interface|type|const) (\w+)/;
const MEMBER = /^ {2}(?:readonly )?(\w+)\??[(:<]/;

/** Names without a doc comment above them. */
function undocumented(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const [, name] = EXPORTED.exec(line) ?? MEMBER.exec(line) ?? [];
    return name === undefined || lines[at - 1]?.endsWith("*/") ? [] : [name];
  });
}

for (const { name } of [...Deno.readDirSync(new URL("contract/", PLUGINS))]) {
  Deno.test(`plugins/contract/${name} documents every export and every member`, async () => {
    assert.deepEqual(undocumented(await Deno.readTextFile(new URL(`contract/${name}`, PLUGINS))), []);
  });
}

Deno.test("an export and a member without a sentence are found", () => {
  const text =
    "/** A. */\nexport interface A {\n  /** B. */\n  readonly b: string;\n  c?(): void;\n}\nexport type D = A;\n";
  assert.deepEqual(undocumented(text), ["c", "D"]);
});
