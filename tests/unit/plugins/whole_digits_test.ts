import assert from "node:assert/strict";
import { requireWholeDigits } from "@/plugins/kit/type_detail.ts";
import type { Column, TypeDetail } from "@/plugins/contract.ts";

function columnOf(detail?: TypeDetail): Column {
  const rest = { nullable: true, hasDefault: false, generated: false };
  return {
    name: "Price",
    type: "decimal",
    declaredType: "numeric(5,2)",
    ...rest,
    ...(detail ? { detail } : {}),
  };
}

const KEPT = ["999.99", "-999.99", "+999", "00999.9", "0.001e5", "99900e-2", "0", "0e9", ".5", "NaN"];
const REFUSED = ["1000", "-1000.0", "1e3", "0.01e5", "100000e-2"];

for (const text of [...KEPT, ...REFUSED]) {
  const isRefused = REFUSED.includes(text);
  Deno.test(`three digits before the point ${isRefused ? "do not hold" : "hold"} ${text}`, () => {
    const check = () => requireWholeDigits(text, columnOf({ precision: 5, scale: 2 }));
    const message = `${text} has more digits than a column of type numeric(5,2) keeps`;
    if (isRefused) assert.throws(check, { name: "RangeError", message });
    else check();
  });
}

Deno.test("a negative scale leaves room for more digits, and a column without a precision for any number", () => {
  requireWholeDigits("99999", columnOf({ precision: 3, scale: -2 }));
  assert.throws(() => requireWholeDigits("100000", columnOf({ precision: 3, scale: -2 })), RangeError);
  requireWholeDigits("1e900", columnOf());
  requireWholeDigits("1e900", columnOf({ bits: 64 }));
});
