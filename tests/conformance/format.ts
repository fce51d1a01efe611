/**
 * Tests for every format. A plugin's author calls {@link testFormat} in a test file.
 *
 * @module
 */

import type { Format, FormatPlugin, Section } from "@/plugins/contract.ts";
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
import {
  showsEveryForm,
  showsEveryRow,
  showsReferences,
  showsRelated,
} from "@/tests/conformance/format_data.ts";
import type { FormatJudge, Subject } from "@/tests/conformance/format_subject.ts";
import { hostOf } from "@/tests/conformance/shapes.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/** How a format is tested. */
export interface FormatTestOptions extends FormatJudge {
  readonly section?: Section;
  /** Tests that do not apply, by their name in {@link FORMAT_TESTS}, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
  /** The format has only schemas (`schemasOf`): data is not tested. */
  readonly schemasOnly?: boolean;
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
  "shows the data of every form and type": showsEveryForm,
  "shows every row in its order": showsEveryRow,
  "shows the references of records": showsReferences,
  "shows related records inside records": showsRelated,
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

/** The reason why a test says nothing about this format. Undefined: it applies. */
function inapplicable(
  sentence: string,
  { parse, references }: FormatJudge,
  format: Format,
): string | undefined {
  if (sentence.includes("inside records") && !format.nested) return "the format is not nested";
  if (sentence.startsWith("shows") && !parse) return "its author gives no parse";
  if (sentence === "shows the references of records" && !(references ?? format.nested)) {
    return "it shows none";
  }
  if (READING.has(sentence) && !format.read) return "the format reads no bodies";
  if (sentence === "gives schemas of documents") {
    return format.documentSchema ? undefined : "it has no such schemas";
  }
  return sentence.startsWith("gives schemas") && !format.schema ? "it has no schemas" : undefined;
}

const READING: ReadonlySet<string> = new Set([
  "reads what it wrote",
  "reads any names and values that it wrote",
  "tells one record from a list",
  "passes on names that the table does not have",
  "answers every broken body with records or a complaint",
]);

/**
 * Registers one test for each of {@link FORMAT_TESTS}; those that do not apply are ignored. Sets the format
 * up once to learn which those are, so a caller awaits the result if the plugin or its setup gives a promise.
 */
export function testFormat(
  name: string,
  make: () => FormatPlugin | Promise<FormatPlugin>,
  options: FormatTestOptions,
): Promise<void> | void {
  const unknown = Object.keys(options.skip ?? {}).filter((key) => !Object.hasOwn(FORMAT_TESTS, key));
  if (unknown.length > 0) {
    throw new Error(`Cannot skip format tests that do not exist: ${unknown.join(", ")}`);
  }
  const setUp = (plugin: FormatPlugin) =>
    plugin.setup(sectionOf(plugin, options.section), hostOf(plugin.name));
  const register = (format: Format) =>
    registerTests(name, format, options, async () => {
      const plugin = await make();
      return { ...options, name, plugin, format: await setUp(plugin) };
    });
  const plugin = make();
  const format = plugin instanceof Promise ? plugin.then(setUp) : setUp(plugin);
  return format instanceof Promise ? format.then(register) : register(format);
}

function registerTests(
  name: string,
  format: Format,
  options: FormatTestOptions,
  subject: () => Promise<Subject>,
): void {
  for (const [sentence, test] of Object.entries(FORMAT_TESTS)) {
    if (options.schemasOnly && !WITHOUT_DATA.has(sentence)) continue;
    const reason = options.skip?.[sentence] ?? inapplicable(sentence, options, format);
    Deno.test({
      name: reason === undefined ? `${name} ${sentence}` : `${name} ${sentence} (ignored: ${reason})`,
      ignore: reason !== undefined,
      fn: async () => await test(await subject()),
    });
  }
}
