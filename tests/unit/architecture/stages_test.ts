import assert from "node:assert/strict";
import { importsByFile } from "./imports.ts";

/** The files of each stage, in the order in which a request passes them. */
const STAGES: readonly (readonly [stage: string, files: RegExp])[] = [
  ["1 parse", /^core\/request\/parse_request\.ts$/],
  ["2 authenticate", /^core\/login\/authenticate\.ts$/],
  [
    "3 plan",
    /^core\/(resources|documents\/plan_document|tables\/plan_(read|write)|queries\/plan_query|pages\/(list|record_form|query_page)|definitions\/plan_\w+)\.ts$/,
  ],
  [
    "4 execute",
    /^core\/(execute|tables\/(execute_(read|write)|insert|update|read_created)|queries\/execute_query|pages\/show_record_form|definitions\/execute_task)\.ts$/,
  ],
  ["5 respond", /^core\/respond\/respond\w*\.ts$/],
];

/** Names that turn a request back: it is parsed, authenticated and planned once. */
const ONCE: ReadonlyMap<string, RegExp> = new Map([
  ["parseRequest", /^core\/http\/serve\.ts$/],

  ["planRequest", /^core\/http\/serve\.ts$/],
  ["planRead", /^core\/(resources|pages\/(list|record_form))\.ts$/],
  ["planPage", /^core\/resources\.ts$/],
  ["planWrite", /^core\/resources\.ts$/],
  ["planQuery", /^core\/pages\/query_page\.ts$/],
]);

const imports = importsByFile();

for (const [at, [stage, files]] of STAGES.entries()) {
  Deno.test(`the files of stage ${stage} exist, and import no function of a later stage`, () => {
    const own = [...imports].filter(([file]) => files.test(file));
    assert.ok(own.length > 0);
    const later = STAGES.slice(at + 1).map(([, pattern]) => pattern);
    const turned = own.flatMap(([file, { values }]) =>
      values.filter((target) => later.some((pattern) => pattern.test(target))).map((target) =>
        `${file} -> ${target}`
      )
    );
    assert.deepEqual(turned, []);
  });
}

for (const [name, callers] of ONCE) {
  Deno.test(`${name} is called by one stage only`, () => {
    const users = [...imports].filter(([, { names }]) => names.has(name)).map(([file]) => file);
    assert.ok(users.length > 0, "nobody imports it");
    assert.deepEqual(users.filter((file) => !callers.test(file)), []);
  });
}
