/**
 * Conformance tests of formats: the contract, options, relations, documents and problems.
 *
 * @module
 */

import { CONTRACT } from "@/plugins/contract.ts";
import assert from "node:assert/strict";
import type { Row } from "@/plugins/contract.ts";
import { DATABASES, TABLES } from "@/tests/conformance/documents.ts";
import { HOSTILE_ROWS, HOSTILE_SHAPE, NESTED, NESTED_ROWS } from "@/tests/conformance/nested_shapes.ts";
import {
  chunkText,
  column,
  options as writeOptions,
  page,
  relation,
  shape,
  write,
} from "@/tests/conformance/shapes.ts";
import { accepts, judged, type Subject } from "@/tests/conformance/format_subject.ts";

/** Checks the members that the core reads before writing. */
export function keepsContract({ name, plugin, format }: Subject): void {
  assert.ok(plugin.contract === CONTRACT || plugin.contract === CONTRACT - 1);
  assert.equal(plugin.kind, "format");
  assert.equal(plugin.name, name);
  assert.ok(format.contentTypes.length > 0);
  for (const type of [...format.contentTypes, ...format.accepts ?? []]) {
    assert.match(type, /^[a-z]+\/[a-z0-9.+-]+$/, "content types are lower-case and have no parameters");
  }
  for (const codePoint of [0xe9, 0x8868, 0x1f600]) {
    assert.match(format.escape?.(codePoint) ?? "?", /^[\x20-\x7e]+$/, "escapes are ASCII");
  }
}

/** Records with and without a key, references on and off. */
export async function writesReferences(subject: Subject): Promise<void> {
  const relations = { toOne: [relation("Employee", { many: false })], toMany: [relation("Invoice")] };
  const rows = [[1], [null]];
  const located = shape([column("Id", "integer")], {
    ...relations,
    locate: (row) => row[0] === null ? null : `/db/Shop/Customer/Id/${row[0]}`,
  });
  for (const href of [true, false]) {
    await accepts(subject, { shape: located, rows, options: { href } });
    await accepts(subject, { shape: shape(located.columns, relations), rows, options: { href } });
  }
}

/** Relations inside relations, empty relations and relations without a key. */
export async function writesNested(subject: Subject): Promise<void> {
  for (const href of [true, false]) {
    await accepts(subject, { shape: NESTED, rows: NESTED_ROWS, options: { href } });
    await accepts(subject, {
      shape: { ...NESTED, form: "record" },
      rows: NESTED_ROWS.slice(0, 1),
      options: { href },
    });
  }
}

/** Every format accepts every option. Options of other formats have no effect. */
export async function obeysOptions(subject: Subject): Promise<void> {
  const answer = { shape: shape([column("Name"), column("Note")]), rows: [["<null>", null], ["", ""]] };
  for (const flag of [true, false]) {
    for (const key of ["headers", "csvNullStr", "nilVisible", "href", "stream"]) {
      for (const nullMarker of ["<null>", "", 'a "b", c']) {
        await accepts(subject, { ...answer, options: { [key]: flag, nullMarker } });
      }
    }
  }
  for (const contentType of subject.format.contentTypes) {
    await accepts(subject, { ...answer, options: { contentType } });
  }
}

/** Two answers of one writer at the same time do not see each other. */
export async function keepsNoState({ format }: Subject): Promise<void> {
  const columns = [column("Id", "integer"), column("Name")];
  const [left, right] = [[[1, "short"], [2, "b"]], [[333333, "much longer than the other"], [4, null]]];
  for (const form of ["records", "columns"] as const) {
    const writer = format.writer(shape(columns, { form }), writeOptions(format));
    const alone = async (rows: readonly Row[]) =>
      await write(format, { shape: shape(columns, { form }), rows });
    const bodies = [writer(page()), writer(page())] as const;
    const texts = [chunkText(await bodies[0].begin()), chunkText(await bodies[1].begin())] as [
      string,
      string,
    ];
    for (const [index, row] of left.entries()) {
      texts[0] += chunkText(await bodies[0].row(row, index === 0));
      texts[1] += chunkText(await bodies[1].row(right[index] ?? [], index === 0));
    }
    texts[1] += chunkText(await bodies[1].end());
    texts[0] += chunkText(await bodies[0].end());
    assert.deepEqual(texts, [await alone(left), await alone(right)]);
  }
}

/** Characters that the charset lacks are escaped by the core wherever they stand, names included. */
export async function writesOtherCharset(subject: Subject): Promise<void> {
  const { format } = subject;
  if (format.binary) return;
  for (const charset of ["iso-8859-1", "us-ascii"]) {
    const answer = { shape: HOSTILE_SHAPE, rows: HOSTILE_ROWS, options: { charset } };
    const text = await write(format, answer);
    // Encodes like the core: characters that the charset lacks are escaped. Only ASCII is certain in both.
    await subject.wellFormed(text.replace(/[^\0-\x7f]/gu, (character) => {
      return format.escape?.(character.codePointAt(0) ?? 0) ?? "?";
    }));
  }
}

/** Lists of databases and tables, settings. */
export async function writesDocuments(subject: Subject): Promise<void> {
  const empty = { ...DATABASES, tree: [], rows: [] };
  const settings = {
    name: "settings",
    tree: {
      product: "R&D <1>",
      "a b": [1, [true, null], { x: null, "": "\0" }],
      none: null,
      empty: {},
      list: [],
    },
    columns: ["key", "value"],
    rows: [["product", "R&D <1>"], ["none", null]],
  };
  for (const document of [DATABASES, TABLES, empty, settings, { ...settings, tree: "text" }]) {
    const format = subject.format;
    const answer = await judged(
      subject,
      chunkText(await format.document(document, writeOptions(format), page())),
    );
    if (document !== DATABASES) continue;
    assert.notEqual(answer.length, 0, "a document is not empty");
    if (typeof answer !== "string") continue;
    for (const word of ["Shop", "Disconnected"]) assert.ok(answer.includes(word), `the document has ${word}`);
  }
}

/** Errors, also those of paths that are none. */
export async function writesProblems(subject: Subject): Promise<void> {
  const { format } = subject;
  for (const httpCode of [400, 403, 404, 500, 599]) {
    for (const path of ["/db/Shop/Customer", "//other.example/%zz/<x>?y", ""]) {
      const problem = { httpCode, description: 'Cannot find "<x>" & co, sorry' };
      const withTemplate = { ...problem, urlTemplate: "/query/q/year/{year}.{ext}" };
      for (const each of [problem, withTemplate]) {
        const text = await judged(
          subject,
          chunkText(await format.problem(each, writeOptions(format), page({ path }))),
        );
        assert.notEqual(text.length, 0, "a problem is not empty");
        if (typeof text === "string") assert.ok(text.includes(String(httpCode)), "the status is in the body");
      }
    }
  }
}
