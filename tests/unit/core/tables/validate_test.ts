import assert from "node:assert/strict";
import type { Body } from "@/core/request/body.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Column } from "@/core/catalog.ts";
import type { ValueType } from "@/core/model.ts";
import { type Assignments, validateBody, type ValidateOptions } from "@/core/tables/validate_body.ts";
import type { BodyRecord, BodyValue, SqlTraits } from "@/plugins/contract.ts";
import { endOf } from "@/tests/unit/core/steps.ts";
import { schemaOf, table } from "@/tests/unit/core/tables.ts";

const TABLE = table("Person", "Id:integer Name Age:integer Full Extra:any", {
  key: ["Id"],
  references: [["Age", "Group", "Id"]],
});

/** The table `Person` with some columns changed. */
function options(
  changes: Readonly<Record<string, Partial<Column>>> = {},
  rest: Partial<ValidateOptions> = {},
): ValidateOptions {
  const columns = TABLE.columns.map((column) => ({ ...column, ...changes[column.name] }));
  const found = schemaOf([{ ...TABLE, columns }, table("Group", "Id:integer", { key: ["Id"] })])
    .tables.exact("Person");
  assert.ok(found);
  return {
    table: found,
    readable: found,
    refidPrefix: "__href",
    complete: true,
    supplied: new Set(),
    traits: {},
    ...rest,
  };
}

function body(...records: readonly Readonly<Record<string, BodyValue>>[]): Body {
  return { records: steps(records.map((record) => new Map(Object.entries(record)))), label: "JSON" };
}

function* steps(records: readonly BodyRecord[]): Body["records"] {
  yield* records;
  return true;
}

function validate(received: Body, settings: ValidateOptions): readonly Assignments[] {
  return endOf(validateBody(received, settings)).records;
}

function number(text: string): BodyValue {
  return { kind: "number", text };
}

function refusal(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error;
  }
  throw new Error("It was accepted");
}

function converted(type: ValueType, value: BodyValue): unknown {
  const [record] = validate(body({ Extra: value }), options({ Extra: { type } }));
  return record?.get(4);
}

Deno.test("values are by the position of their column, in its order", () => {
  const [first] = validate(body({ Name: "Ann", Id: number("1") }), options());
  assert.deepEqual([...first as Assignments], [[0, 1], [1, "Ann"]]);
});

Deno.test("a body's value becomes a value of its column's type", () => {
  const cases: readonly (readonly [ValueType, BodyValue, unknown])[] = [
    ["integer", number("5"), 5],
    ["integer", "5", 5],
    ["integer", number("5.0"), 5],
    ["integer", number("5e2"), 500],
    ["integer", number("9007199254740993"), 9007199254740993n],
    ["integer", number("-9223372036854775808"), -9223372036854775808n],
    ["decimal", number("0.10000000000000000000001"), "0.10000000000000000000001"],
    ["decimal", "-12345678901234567890.5", "-12345678901234567890.5"],
    ["float", number("1e-7"), 1e-7],
    ["float", "Infinity", Infinity],
    ["float", "-INF", -Infinity],
    ["boolean", true, true],
    ["boolean", "0", false],
    ["boolean", number("1"), true],
    ["boolean", number("0"), false],
    ["text", "", ""],
    ["text", "5", "5"],
    ["date", "2024-02-29", "2024-02-29"],
    ["datetime", "2024-02-29 13:45:00", "2024-02-29T13:45:00"],
    ["datetime", "2024-02-29T13:45:00", "2024-02-29T13:45:00"],
    ["time", "13:45:00", "13:45:00"],
    ["binary", "+/8=", new Uint8Array([0xfb, 0xff])],
    ["json", { kind: "nested", text: '{"a":1.50}' }, '{"a":1.50}'],
    ["json", number("1.50"), "1.50"],
    ["json", true, "true"],
    ["json", '"x"', '"x"'],
    ["any", true, true],
    ["any", number("5"), 5],
    ["any", number("5.50"), 5.5],
    ["any", "5", "5"],
    ["any", null, null],
  ];
  for (const [type, value, expected] of cases) {
    assert.deepEqual(converted(type, value), expected, `${type} ${JSON.stringify(value)}`);
  }
});

Deno.test("a value of the wrong type is told with what is expected", () => {
  const cases: readonly (readonly [ValueType, BodyValue, string])[] = [
    ["integer", "x", "'x' is not a whole number of at most 64 bits"],
    ["integer", number("1.5"), "'1.5' is not a whole number of at most 64 bits"],
    [
      "integer",
      number("9223372036854775808"),
      "'9223372036854775808' is not a whole number of at most 64 bits",
    ],
    ["integer", true, "true is not a whole number of at most 64 bits"],
    ["decimal", "1,5", "'1,5' is not a number"],
    ["float", number("1e999"), "'1e999' is not a number up to 1.8e308"],
    ["float", "NaN", "'NaN' is not a number"],
    ["boolean", "yes", "'yes' is not true or false"],
    ["boolean", number("2"), "the number 2 is not true or false"],
    ["text", number("1"), "the number 1 is not text"],
    ["text", { kind: "nested", text: "[]" }, "an object or list is not text"],
    ["date", "2023-02-29", "'2023-02-29' is not a date as in 2009-12-31"],
    [
      "datetime",
      "2024-02-29T25:00:00",
      "'2024-02-29T25:00:00' is not a date and time as in 2009-12-31T23:59:59",
    ],
    ["binary", "!", "'!' is not bytes in base64"],
    ["json", "x", "'x' is not JSON"],
    ["integer", "x".repeat(50), `'${"x".repeat(37)}...' is not a whole number of at most 64 bits`],
  ];
  for (const [type, value, expected] of cases) {
    const { status, message } = refusal(() => converted(type, value));
    assert.equal(status, 400);
    assert.equal(message, `Could not parse JSON: The "Extra": error at node '/0/Extra': ${expected}`);
  }
});

Deno.test("a length counts characters, and only those of text", () => {
  const limited = options({ Name: { maxLength: 3 }, Extra: { maxLength: 3 } });
  for (const Name of ["", "abc", "äöü", "😀😀😀"]) {
    validate(body({ Name, Extra: "long enough" }), limited);
  }
  for (const Name of ["abcd", "😀😀😀x"]) {
    const { message } = refusal(() => validate(body({ Name }), limited));
    assert.equal(message, `Could not parse JSON: The "Name": error at node '/0/Name': '${Name}' is too long`);
  }
});

Deno.test("everything that is wrong is told at once, with the record's index", () => {
  const { message, errors } = refusal(() =>
    validate(
      body({ Id: "x", Age: "y" }, { Name: "fine" }, { Nmae: "z" }),
      options({ Id: { nullable: false } }),
    )
  );
  const at = (index: number, name: string) =>
    `Could not parse JSON: The "${name}": error at node '/${index}/${name}': `;
  assert.deepEqual(errors, [
    `${at(0, "Id")}'x' is not a whole number of at most 64 bits`,
    `${at(0, "Age")}'y' is not a whole number of at most 64 bits`,
    `${at(1, "Id")}is required`,
    `${at(2, "Nmae")}table "Person" has no such column, the nearest is "Name"`,
    `${at(2, "Id")}is required`,
  ]);
  assert.equal(message, errors[0]);
});

Deno.test("of very many complaints a hundred are told", () => {
  const wrong = Array.from({ length: 250 }, () => ({ Id: "x" }));
  assert.equal(refusal(() => validate(body(...wrong), options())).errors?.length, 100);
});

Deno.test("a new record needs what the database does not fill and the path does not give", () => {
  const required = { Name: { nullable: false } };
  const isAccepted = (changes: Parameters<typeof options>[0], rest: Partial<ValidateOptions> = {}) =>
    validate(body({ Age: null }), options(changes, rest)).length === 1;
  assert.throws(() => isAccepted(required), /The "Name": error at node '\/0\/Name': is required$/);
  assert.ok(isAccepted({ Name: { nullable: false, hasDefault: true } }));
  assert.ok(isAccepted({ Name: { nullable: false, generated: true } }));
  assert.ok(isAccepted(required, { complete: false }));
  assert.ok(isAccepted(required, { supplied: new Set([1]) }));
});

Deno.test("NULL is for nullable columns, and asks for a key that the database generates", () => {
  const { message } = refusal(() => validate(body({ Name: null }), options({ Name: { nullable: false } })));
  assert.match(message, /must not be null$/);
  const generated = { Id: { nullable: false, hasDefault: true } };
  const [record] = validate(body({ Id: null, Name: "Ann" }), options(generated));
  assert.deepEqual([...record as Assignments], [[1, "Ann"]]);
  const defaulted = { Name: { nullable: false, hasDefault: true } };
  assert.throws(() => validate(body({ Name: null }), options(defaulted)), /must not be null$/);
});

Deno.test("a change leaves out references, related records and computed columns", () => {
  const sent = {
    __href: "/x.json",
    Group: { kind: "nested", text: '[{"GroupId": 1}]' },
    Full: "computed",
    Name: "Ann",
  } as const;
  const [record] = validate(body(sent), options({ Full: { generated: true } }, { complete: false }));
  assert.deepEqual([...record as Assignments], [[1, "Ann"]]);
  assert.throws(
    () => validate(body(sent), options({ Full: { generated: true } }, { refidPrefix: "@ref" })),
    /The "__href": error at node '\/0\/__href': table "Person" has no such column$/,
  );
});

Deno.test("a new record may repeat references but hold no related records", () => {
  const references = ["{}", "[ ]", '{"__href": "/a.json"}', '{ "__href" : null }'];
  for (const value of [null, "", ...references.map((text) => ({ kind: "nested", text }) as const)]) {
    const [record] = validate(body({ Name: "Ann", Group: value }), options());
    assert.deepEqual([...record as Assignments], [[1, "Ann"]], JSON.stringify(value));
  }
  const records = [
    "[{}]",
    '{"GroupId": 1}',
    '{"__href": "/a.json", "GroupId": 1}',
    '{"@ref": "/a.json"}',
    "<Group/>",
  ];
  for (const value of ["x", true, ...records.map((text) => ({ kind: "nested", text }) as const)]) {
    assert.match(
      refusal(() => validate(body({ Name: "Ann", Group: value }), options())).message,
      /related records/,
    );
  }
});

Deno.test("a new record gives no value for a column that the database computes", () => {
  const computed = { Full: { generated: true } };
  assert.match(
    refusal(() => validate(body({ Name: "Ann", Full: "x" }), options(computed))).message,
    /computes/,
  );
  const rowversion = { Full: { generated: true, ignoresGiven: true } };
  for (const [sent, given] of [[null, computed], ["x", rowversion]] as const) {
    const [record] = validate(body({ Name: "Ann", Full: sent }), options(given));
    assert.deepEqual([...record as Assignments], [[1, "Ann"]]);
  }
});

Deno.test("a relation that the caller may not follow is a name like any other", () => {
  const { message } = refusal(() => validate(body({ Group: "x" }), options({}, { readable: undefined })));
  assert.match(message, /'\/0\/Group': table "Person" has no such column$/);
});

Deno.test("names are exact, and those of Object's prototype are like any other", () => {
  for (const name of ["name", "NAME", "__proto__", "constructor", "toString", "", "Name "]) {
    const record: BodyRecord = new Map([[name, "x"]]);
    const { status } = refusal(() => validate({ records: steps([record]), label: "JSON" }, options()));
    assert.equal(status, 400, name);
  }
});

Deno.test("what the column would not keep is told, any other failure is passed on", () => {
  const stored = (value: unknown) => {
    if (value === "lost") throw new RangeError("lost has more digits than are kept");
    if (value === "broken") throw new TypeError("broken");
    return `stored ${value}`;
  };
  const [record] = validate(body({ Name: "Ann" }), options({}, { traits: { stored } }));
  assert.deepEqual([...record as Assignments], [[1, "stored Ann"]]);
  const { message } = refusal(() => validate(body({ Name: "lost" }), options({}, { traits: { stored } })));
  assert.match(message, /'\/0\/Name': lost has more digits than are kept$/);
  assert.throws(() => validate(body({ Name: "broken" }), options({}, { traits: { stored } })), TypeError);
});

Deno.test("a value that only the engine has is taken where the text is no value of the type", () => {
  const special = (text: string) => text === "NaN" ? NaN : undefined;
  const decimal = { Age: { type: "decimal" } } as const;
  const [record] = validate(body({ Name: "NaN", Age: "NaN" }), options(decimal, { traits: { special } }));
  assert.deepEqual([...record as Assignments], [[1, "NaN"], [2, NaN]]);
  assert.equal(refusal(() => validate(body({ Name: "x", Age: "NaN" }), options(decimal))).status, 400);
});

Deno.test("a body is not read on once there is enough to complain about", () => {
  let read = 0;
  function* endless(): Body["records"] {
    for (;; read++) yield new Map([["Nonsense", "x"]]);
  }
  const { errors } = refusal(() => validate({ records: endless(), label: "JSON" }, options()));
  assert.equal(errors?.length, 100);
  assert.ok(read < 100, String(read));
});

Deno.test("a step without a record is none", () => {
  function* paused(): Body["records"] {
    yield undefined;
    yield new Map<string, BodyValue>([["Id", number("1")], ["Name", "Ann"]]);
    yield undefined;
    return false;
  }
  const checked = endOf(validateBody({ records: paused(), label: "JSON" }, options()));
  assert.deepEqual(checked, {
    records: [new Map<number, unknown>([[0, 1], [1, "Ann"]])],
    isList: false,
    label: "JSON",
    repeats: new Map(),
  });
});

Deno.test("names and numbers of any length are shortened in complaints", () => {
  const cases: readonly (readonly [BodyRecord, string])[] = [
    [
      new Map([["n".repeat(1e6), "x"]]),
      `The "${"n".repeat(77)}...": error at node '/0/${
        "n".repeat(77)
      }...': table "Person" has no such column`,
    ],
    [
      new Map([["Name", number("9".repeat(1e6))]]),
      `The "Name": error at node '/0/Name': the number ${"9".repeat(37)}... is not text`,
    ],
  ];
  for (const [record, message] of cases) {
    const received = { records: steps([record]), label: "JSON" };
    const { errors } = refusal(() => validate(received, options({}, { complete: false })));
    assert.deepEqual(errors, [`Could not parse JSON: ${message}`]);
  }
});

Deno.test("a value that only the engine knows is taken as text and as a number, and only then", () => {
  const special: SqlTraits["special"] = (text) => text === "18446744073709551615" ? BigInt(text) : undefined;
  const read = (value: BodyValue) =>
    validate(body({ Extra: value }), options({ Extra: { type: "integer" } }, { traits: { special } }))[0]
      ?.get(4);
  assert.equal(read(number("18446744073709551615")), 18446744073709551615n);
  assert.equal(read("18446744073709551615"), 18446744073709551615n);
  assert.equal(read(number("5")), 5);
  assert.match(refusal(() => read(number("18446744073709551616"))).message, /is not a whole number/);
});
