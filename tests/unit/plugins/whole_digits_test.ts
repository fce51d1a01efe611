import assert from "node:assert/strict";
import { isPlainlyWithin, requireWholeDigits } from "@/plugins/kit/type_detail.ts";
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

Deno.test("a scale beyond the precision leaves room for small numbers", () => {
  const column = columnOf({ precision: 3, scale: 5 });
  for (const text of ["0.00123", "-0.00999", "1e-5", "0", "0.000"]) requireWholeDigits(text, column);
  for (const text of ["0.01", "-0.5", "1", "1e-2"]) {
    assert.throws(() => requireWholeDigits(text, column), RangeError);
  }
});

Deno.test("the quick look at digits is never too kind, and knows usual numbers", () => {
  const sign = ["", "-", "+"];
  const whole = ["", "0", "00", "7", "12", "123", "1000"];
  const fraction = ["", ".", ".0", ".5", ".50", ".123", "e1", ".5e-3", "E2"];
  for (const text of sign.flatMap((a) => whole.flatMap((b) => fraction.map((c) => a + b + c)))) {
    if (!isPlainlyWithin(text, { whole: 3, fraction: 1 })) continue;
    const [before = "", after = ""] = text.replace(/^[+-]/, "").split(".");
    assert.ok(before.length <= 3 && after.length <= 1 && !/e/i.test(text), text);
  }
  for (const text of ["0", "123", "-12", "12.5", "-1.5", ".5"]) {
    assert.ok(isPlainlyWithin(text, { whole: 3, fraction: 1 }), text);
  }
  assert.ok(!isPlainlyWithin("1", { fraction: -1 }), "only the whole count knows that 10 has -1");
});
