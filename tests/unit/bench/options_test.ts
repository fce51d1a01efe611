import assert from "node:assert/strict";
import { parseOptions } from "@/bench/options.ts";

Deno.test("without arguments every scenario is measured", () => {
  const options = parseOptions([]);
  assert.deepEqual(options?.scenarios.map(({ name }) => name), [
    "record",
    "list100",
    "list1000",
    "apikey",
    "post",
  ]);
  assert.deepEqual([options?.rounds, options?.seconds, options?.connections], [3, 3, 50]);
  assert.deepEqual([options?.before, options?.workers], [undefined, 1]);
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
  const options = parseOptions(args);
  assert.deepEqual(options?.scenarios.map(({ name }) => name), ["apikey", "record"]);
  assert.deepEqual([options?.rounds, options?.seconds, options?.connections], [5, 1, 1]);
  assert.deepEqual([options?.before, options?.workers], ["../x", 2]);
});

Deno.test("--help gives no options", () => assert.equal(parseOptions(["--help"]), undefined));

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
    assert.throws(() => parseOptions(args), { name: "TypeError", message }));
}
