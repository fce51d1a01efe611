import assert from "node:assert/strict";
import { labelColumns } from "@/core/schema/label_columns.ts";
import { table } from "@/tests/unit/core/tables.ts";

const KEY = { key: ["Id"] };

for (
  const [what, described, label] of [
    [
      "the name of a company, not its address, which some lack",
      table("Customer", "Id:integer! Company! Email", { ...KEY, unique: [["Email"]] }),
      ["Company"],
    ],
    [
      "a number that each has, before a text that many share",
      table("Invoice", "Id:integer! Subject! Number!", { ...KEY, unique: [["Number"]] }),
      ["Number"],
    ],
    [
      "an address that some lack, before other texts that some lack",
      table("Member", "Id:integer! Nickname Email", { ...KEY, unique: [["Email"]] }),
      ["Email"],
    ],
    [
      "a unique number that some lack, before a text behind it that many share",
      table("Device", "Id:integer! Serial Model Status! Note!", { ...KEY, unique: [["Serial"]] }),
      ["Serial"],
    ],
    ["a text that may be NULL", table("Tag", "Id:integer! Words", KEY), ["Words"]],
    [
      "no remark, which few have",
      table("Order", "Id:integer! Customer:integer! At:datetime! Sum:decimal Remark", KEY),
      [],
    ],
  ] as const
) {
  Deno.test(`the label of a record is ${what}`, () => {
    assert.deepEqual(labelColumns(described, []), label);
  });
}
