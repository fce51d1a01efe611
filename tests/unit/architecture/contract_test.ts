import assert from "node:assert/strict";
import { CONTRACT_TYPES, contractTypes } from "@/tests/support/contract_types.ts";

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

Deno.test("the types for plugins are those of the contract (deno task contract writes them)", async () => {
  assert.equal(await Deno.readTextFile(CONTRACT_TYPES), await contractTypes());
  const imports = (await contractTypes()).split("\n").filter((line) =>
    /^(import|export .*from)\b/.test(line)
  );
  assert.match(
    imports.join("\n"),
    /^import type \{[^}]*\} from "npm:kysely@[\d.]+";$/,
    "Kysely is the only import",
  );
});
