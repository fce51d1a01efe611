import assert from "node:assert/strict";
import { ALL } from "@/bench/all.ts";
import { CHECK } from "@/bench/check.ts";
import { GROWTH } from "@/bench/curves.ts";
import { COMPARISON, withOptions } from "@/bench/options.ts";
import { PEERS } from "@/bench/peers.ts";

const { parse } = COMPARISON;

Deno.test("without arguments every scenario is measured", () => {
  const options = parse([]);
  assert.deepEqual(options.scenarios.map(({ name }) => name), [
    "record",
    "list100",
    "list1000",
    "apikey",
    "post",
  ]);
  assert.deepEqual([options.rounds, options.seconds, options.connections], [3, 3, 50]);
  assert.deepEqual([options.before, options.workers], [undefined, 1]);
});

Deno.test("scenarios, their extent, connections, another checkout and workers can be chosen", () => {
  const args = [
    "--only",
    "apikey,record",
    "--rounds",
    "5",
    "--seconds=1",
    "--connections=1",
    "--before",
    "../x",
    "--workers=2",
  ];
  const options = parse(args);
  assert.deepEqual(options.scenarios.map(({ name }) => name), ["apikey", "record"]);
  assert.deepEqual([options.rounds, options.seconds, options.connections], [5, 1, 1]);
  assert.deepEqual([options.before, options.workers], ["../x", 2]);
});

Deno.test("--help measures nothing", async () => {
  assert.equal(await withOptions(["--rounds", "1", "--help"], COMPARISON, () => assert.fail()), 0);
});

const WRONG: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [
    ["--only", "records"],
    /^Cannot find scenario "records": expected one of record, list100, list1000, apikey, post$/,
  ],
  [["--rounds", "0"], /^Cannot use --rounds "0": expected a whole number from 1 to 50$/],
  [["--seconds", "1.5"], /^Cannot use --seconds "1\.5": expected a whole number from 1 to 60$/],
  [["--connections", "9999"], /^Cannot use --connections "9999": expected a whole number from 1 to 2000$/],
  [["--workers", "0"], /^Cannot use --workers "0": expected a whole number from 1 to 64$/],
  [["--fast"], /'--fast'/],
  [["record"], /'record'/],
];

for (const [args, message] of WRONG) {
  Deno.test(`${args.join(" ")} is refused`, () =>
    assert.throws(() => parse(args), { name: "TypeError", message }));
}

for (const [name, { parse, usage }] of Object.entries({ ALL, CHECK, GROWTH, PEERS })) {
  const named = usage.includes("--only") ? ["--only", "nonsense"] : ["--nonsense"];
  Deno.test(`${name}: ${named.join(" ")} is refused with a sentence`, () => {
    assert.throws(() => parse(named), { name: "TypeError", message: /nonsense/ });
    assert.ok(parse([]));
  });
}
