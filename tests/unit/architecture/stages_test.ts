import assert from "node:assert/strict";
import { ROOT } from "@/tests/support/root.ts";
import { importsByFile } from "./imports.ts";

/** The files of each stage, in the order in which a request passes them. */
const STAGES: readonly (readonly [stage: string, files: RegExp])[] = [
  ["1 parse", /^core\/request\/parse_request\.ts$/],
  ["2 authenticate", /^core\/login\/authenticate\.ts$/],
  [
    "3 plan",
    /^core\/(resources|(\w+\/)+plan_\w+|tables\/compile_read|schema\/walk_path|pages\/records\/(choices|plain_read))\.ts$/,
  ],
  [
    "4 execute",
    /^core\/(execute|tables\/(execute_(read|write)|insert|update|read_created)|queries\/execute_query|pages\/(\w+\/)*show_\w+|summaries\/execute_summary|openapi\/describe|definitions\/execute_task)\.ts$/,
  ],
  ["5 respond", /^core\/respond\/respond\w*\.ts$/],
];

/** Names that turn a request back: it is parsed, authenticated and planned once. */
const ONCE: ReadonlyMap<string, RegExp> = new Map([
  ["parseRequest", /^core\/http\/serve\.ts$/],
  ["planRequest", /^core\/http\/serve\.ts$/],
  ["planRead", /^core\/(resources|pages\/lists\/plan_list)\.ts$/],
  ["planPage", /^core\/resources\.ts$/],
  ["planWrite", /^core\/resources\.ts$/],
  ["planCreated", /^core\/tables\/plan_write\.ts$/],
  ["planQuery", /^core\/pages\/queries\/plan_query_page\.ts$/],
]);

/**
 * The names of files of stages 1 to 3 that stages 4 and 5 use, by the reason why they
 * may. An entry without use fails.
 */
const MAY_STAY: Readonly<Record<string, readonly string[]>> = {
  "a constant, an error or a helper, which decides nothing about the request": [
    "core/definitions/request_status.ts: splitTarget",
    "core/respond/page.ts: splitTarget",
    "core/respond/respond.ts: writeOptions",
    "core/respond/respond_problem.ts: splitTarget",
    "core/schema/key_walk.ts: isExact",
    "core/tables/insert.ts: contradiction",
    "core/tables/update.ts: originSteps",
  ],
  "in columns with cells of several types, the shape of a read by key depends on the value of the new key": [
    "core/tables/read_created.ts: findCompiled",
  ],
  "the columns of a saved query are known when its database has prepared it, so stage 4 ends its planning": [
    "core/queries/compile_query.ts: defaultLimitOf",
    "core/queries/compile_query.ts: hasUtcSuffix",
    "core/queries/compile_query.ts: planSchemaOf",
    "core/queries/compile_query.ts: prepareRead",
    "core/queries/compile_query.ts: sortPositions",
    "core/queries/compile_query.ts: withLimit",
    "core/queries/compile_query.ts: writeOptions",
  ],
};

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

/**
 * The files that run when these do: they and everything that they import, up to the files of other stages.
 */
function reachedFrom(start: readonly string[], isOther: (file: string) => boolean): ReadonlySet<string> {
  const reached = new Set(start);
  // A set is walked in the order of insertion, so files that are added on the way are visited, too.
  for (const file of reached) {
    for (const target of imports.get(file)?.values ?? []) if (!isOther(target)) reached.add(target);
  }
  return reached;
}

Deno.test("nothing that runs in stages 4 and 5 uses a function of an earlier stage, except those that may stay", () => {
  const isIn = (stages: typeof STAGES) => (file: string) => stages.some(([, files]) => files.test(file));
  const isEarlier = isIn(STAGES.slice(0, 3));
  const late = [...imports.keys()].filter(isIn(STAGES.slice(3)));
  const turned = [...reachedFrom(late, isEarlier)].flatMap((file) =>
    (imports.get(file)?.uses ?? []).filter(([target]) => isEarlier(target)).map(([, name]) =>
      `${file}: ${name}`
    )
  );
  assert.deepEqual(turned.toSorted(), Object.values(MAY_STAY).flat().toSorted());
});

Deno.test("docs/architecture.md names files that exist", () => {
  const text = Deno.readTextFileSync(`${ROOT}/docs/architecture.md`);
  const named = new Set([...text.matchAll(/`([\w/]+\/\w+\.ts)`/g)].map(([, file = ""]) => file));
  const exists = (file: string) =>
    imports.has(file) || imports.has(`core/${file}`) || file.startsWith("tests/");
  assert.ok(named.size > 30, `only ${named.size} files are named`);
  assert.deepEqual([...named].filter((file) => !exists(file)), []);
});
