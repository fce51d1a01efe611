/**
 * Tests for every format. A plugin's author calls {@link testFormat} in a test file.
 *
 * @module
 */

import type { FormatPlugin, Section } from "@/plugins/contract.ts";
import {
  keepsContract,
  keepsNoState,
  obeysOptions,
  writesDocuments,
  writesNested,
  writesOtherCharset,
  writesProblems,
  writesReferences,
} from "@/tests/conformance/format_answers.ts";
import {
  writesAnything,
  writesAnyValueAnywhere,
  writesEveryForm,
  writesHostileNames,
  writesHostileText,
  writesNoneAndMany,
  writesStream,
} from "@/tests/conformance/format_rows.ts";
import {
  readsAnything,
  readsCountOfRecords,
  readsUnknownNames,
  readsWhatItWrote,
  survivesMutations,
} from "@/tests/conformance/format_reading.ts";
import {
  describesDocuments,
  describesHostileNames,
  describesWhatItWrites,
} from "@/tests/conformance/format_schemas.ts";
import { HOST } from "@/tests/conformance/shapes.ts";
import type { Subject } from "@/tests/conformance/format_subject.ts";

/** How a format is tested. */
export interface FormatTestOptions {
  readonly section?: Section;
  /** Tests that do not apply, by their name in {@link FORMAT_TESTS}, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
  /** The format has only schemas (`schemasOf`): data is not tested. */
  readonly schemasOnly?: boolean;
  /** Throws when the text of a whole answer breaks the format's own rules. */
  wellFormed(text: string): void | Promise<void>;
  /** Throws unless each of the texts fits the schema. Absent: schemas are only written. */
  validate?(schema: string, texts: readonly string[]): void | Promise<void>;
}

type FormatTest = (subject: Subject) => void | Promise<void>;

/** The tests by name; a name is a statement about formats. */
export const FORMAT_TESTS: Readonly<Record<string, FormatTest>> = {
  "keeps the contract": keepsContract,
  "writes every form with values of every type": writesEveryForm,
  "writes every value in a column of every type": writesAnyValueAnywhere,
  "writes hostile names and texts": writesHostileText,
  "writes each hostile name as the only column": writesHostileNames,
  "writes no rows, and many": writesNoneAndMany,
  "writes a stream": writesStream,
  "writes references or leaves them out": writesReferences,
  "writes records inside records if it is nested": writesNested,
  "obeys the options without breaking": obeysOptions,
  "keeps no state between two answers of one writer": keepsNoState,
  "writes a charset that lacks characters": writesOtherCharset,
  "writes documents": writesDocuments,
  "writes problems": writesProblems,
  "is well-formed for any names and values": writesAnything,
  "reads what it wrote": readsWhatItWrote,
  "reads any names and values that it wrote": readsAnything,
  "tells one record from a list": readsCountOfRecords,
  "passes on names that the table does not have": readsUnknownNames,
  "answers every broken body with records or a complaint": survivesMutations,
  "gives schemas that its answers fit": describesWhatItWrites,
  "gives schemas of hostile names": describesHostileNames,
  "gives schemas of documents": describesDocuments,
};

/** The tests for a format that shows the schemas of another one. */
const WITHOUT_DATA: ReadonlySet<string> = new Set(["keeps the contract", "writes problems"]);

/** Registers one test for each of {@link FORMAT_TESTS}; `make` loads the plugin. */
export function testFormat(
  name: string,
  make: () => FormatPlugin | Promise<FormatPlugin>,
  options: FormatTestOptions,
): void {
  const unknown = Object.keys(options.skip ?? {}).filter((key) => !Object.hasOwn(FORMAT_TESTS, key));
  if (unknown.length > 0) {
    throw new Error(`Cannot skip format tests that do not exist: ${unknown.join(", ")}`);
  }
  for (const [sentence, test] of Object.entries(FORMAT_TESTS)) {
    if (options.schemasOnly && !WITHOUT_DATA.has(sentence)) continue;
    const reason = options.skip?.[sentence];
    Deno.test({
      name: reason === undefined ? `${name} ${sentence}` : `${name} ${sentence} (skipped: ${reason})`,
      ignore: reason !== undefined,
      async fn() {
        const plugin = await make();
        const format = await plugin.setup(options.section ?? {}, HOST);
        await test({ ...options, name, plugin, format });
      },
    });
  }
}
