import assert from "node:assert/strict";
import type { FormatPlugin } from "@/plugins/contract.ts";
import { FORMAT_TESTS, testFormat } from "@/tests/conformance/format.ts";
import { HOST } from "@/tests/conformance/shapes.ts";
import type { Subject } from "@/tests/conformance/format_subject.ts";

/** A format that writes every cell unchanged, one after another. */
const plain: FormatPlugin = {
  contract: 1,
  kind: "format",
  name: "plain",
  setup: () => ({
    contentTypes: ["text/plain"],
    writer: () => () => ({ begin: () => "", row: (row) => row.join(), end: () => "" }),
    document: () => "",
    problem: () => "",
  }),
};

async function run(sentence: string, changes: Partial<Subject>): Promise<void> {
  const format = await plain.setup({}, HOST);
  await FORMAT_TESTS[sentence]?.({ name: "plain", plugin: plain, format, wellFormed: () => {}, ...changes });
}

Deno.test("the suite refuses to skip a test that does not exist", () => {
  assert.throws(
    () => testFormat("plain", () => plain, { skip: { "writes poems": "it is prose" }, wellFormed: () => {} }),
    { message: "Cannot skip format tests that do not exist: writes poems" },
  );
});

Deno.test("the suite notices a format under another name", async () => {
  await assert.rejects(run("keeps the contract", { name: "other" }), assert.AssertionError);
});

Deno.test("the suite notices problems without their status", async () => {
  const format = { ...await plain.setup({}, HOST), problem: () => "sorry" };
  await assert.rejects(run("writes problems", { format }), { message: "the status is in the body" });
});

Deno.test("the suite notices a writer that counts across answers", async () => {
  const format = await plain.setup({}, HOST);
  let count = 0;
  const counting = {
    ...format,
    writer: () => () => ({ begin: () => "", row: () => String(count++), end: () => "" }),
  };
  await assert.rejects(
    run("keeps no state between two answers of one writer", { format: counting }),
    assert.AssertionError,
  );
});

for (const character of ["<", "&", '"', "\n", "\ud800", "\0"]) {
  Deno.test(`the suite shows ${JSON.stringify(character)} to a format in names and texts`, async () => {
    const wellFormed = (text: string) => assert.ok(!text.includes(character), "forbidden");
    for (
      const sentence of ["writes hostile names and texts", "writes every value in a column of every type"]
    ) {
      await assert.rejects(run(sentence, { wellFormed }), { message: "forbidden" });
    }
  });
}

Deno.test("the suite shows a format random text beyond the basic plane", async () => {
  const wellFormed = (text: string) => assert.doesNotMatch(text, /[\ud800-\udfff]/);
  await assert.rejects(run("is well-formed for any names and values", { wellFormed }));
});

Deno.test("the suite notices a reader that throws", async () => {
  const format = { ...await plain.setup({}, HOST), read: (text: string) => JSON.parse(text) };
  await assert.rejects(run("answers every broken body with records or a complaint", { format }));
});

Deno.test("the suite notices a reader that loses records", async () => {
  const format = { ...await plain.setup({}, HOST), read: () => ({ records: [], isList: true }) };
  for (const sentence of ["reads what it wrote", "reads any names and values that it wrote"]) {
    await assert.rejects(run(sentence, { format }));
  }
});

Deno.test("the suite shows every schema to its judge together with an answer", async () => {
  const described = { schema: () => "schema", documentSchema: () => "schema" };
  const format = { ...await plain.setup({}, HOST), ...described };
  const validate = (schema: string, texts: readonly string[]) => {
    assert.equal(schema, "schema");
    assert.equal(texts.length, 1);
    throw new Error("does not fit");
  };
  for (const what of ["that its answers fit", "of hostile names", "of documents"]) {
    await assert.rejects(run(`gives schemas ${what}`, { format, validate }), { message: "does not fit" });
  }
});
