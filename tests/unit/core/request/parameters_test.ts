import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { ServiceError } from "@/core/errors.ts";
import { PARAMETERS } from "@/core/request/parameter_table.ts";
import type { NamedFormat } from "@/core/request/formats.ts";
import { complaintsAboutParameters, ownParameters } from "@/core/request/own_parameters.ts";
import type { Format } from "@/plugins/contract.ts";
import type { Parameters } from "@/core/request/parameter_table.ts";
import { parseQuery, type RequestPurpose, requireUseful } from "@/core/request/parameters.ts";

const CREDENTIALS = new Set(["apikey", "appid"]);

const FORMATS: readonly NamedFormat[] = [
  named("csv", {
    delimiter: { type: "text", values: [",", ";"], parts: ["answer"] },
    bom: { type: "boolean", parts: ["answer"] },
  }),
  named("sheets", {
    sheet: { type: "text", parts: ["answer", "body"] },
    skip: { type: "integer", parts: ["body"] },
    width: { type: "integer", values: ["2", "4"], parts: ["answer"] },
  }),
];

function named(name: string, parameters: NonNullable<Format["parameters"]>): NamedFormat {
  return { name, format: { contentTypes: ["text/plain"], parameters } as unknown as Format };
}

function parse(query: string): Parameters {
  return parseQuery(query, CREDENTIALS, ownParameters(FORMATS)).parameters;
}

const UNKNOWN =
  "it is unknown; filters, columns and values of queries are in the path: /{name}/{value}, /{column},{column}; order and pages have sort, limit, offset";

Deno.test("parameters are read with their types", () => {
  const cases: readonly (readonly [string, Parameters])[] = [
    ["", {}],
    ["&&", {}],
    ["limit=0&offset=10", { limit: 0, offset: 10 }],
    ["limit=9007199254740991", { limit: 9007199254740991 }],
    ["sort=Country,-LastName", {
      sort: [
        { column: "Country", decoded: "Country", descending: false },
        { column: "LastName", decoded: "LastName", descending: true },
      ],
    }],
    ["sort=--x", { sort: [{ column: "-x", decoded: "-x", descending: true }] }],
    ["sort=a%252Cb", { sort: [{ column: "a%2Cb", decoded: "a,b", descending: false }] }],
    ["sort=%25", { sort: [{ column: "%", decoded: "%", descending: false }] }],
    ["sort=", { sort: [{ column: "", decoded: "", descending: false }] }],
    ["distinct&count=1&stream=True&href=true", { distinct: true, count: true, stream: true, href: true }],
    ["wantarray=0&transpose=False&headers=false", { wantarray: false, transpose: false, headers: false }],
    ["depth=5", { depth: 5 }],
    ["csvNullStr&nil_visible", { csvNullStr: true, nil_visible: true }],
    ["nullStr=NIL&separator=%3B&wildcard=%25&placeholder=~~", {
      nullStr: "NIL",
      separator: ";",
      wildcard: "%",
      placeholder: "~~",
    }],
    ["distinct=&headers=", { distinct: true, headers: true }],
    ["nullStr=a+b%2Bc", { nullStr: "a b+c" }],
    ["nullStr=a=b", { nullStr: "a=b" }],
    ["l%69mit=3", { limit: 3 }],
    ["ui.page=1&ui.page=2&ui.&limit=1", { limit: 1 }],
  ];
  for (const [query, expected] of cases) assert.deepEqual(parse(query), expected, query);
});

Deno.test("a wrong parameter is 400 and named", () => {
  const cases = [
    ["limit", '"limit": expected a whole number from 0 to 9007199254740991, found no value'],
    ["limit=", '"limit": expected a whole number from 0 to 9007199254740991, found ""'],
    ["limit=-1", '"limit": expected a whole number from 0 to 9007199254740991, found "-1"'],
    ["limit=1e3", '"limit": expected a whole number from 0 to 9007199254740991, found "1e3"'],
    [
      "limit=9007199254740992",
      '"limit": expected a whole number from 0 to 9007199254740991, found "9007199254740992"',
    ],
    ["offset=%00", '"offset": expected a whole number from 0 to 9007199254740991, found "\\u0000"'],
    ["depth=6", '"depth": expected a whole number from 0 to 5, found "6"'],
    ["all=", '"all": expected true or false, found ""'],
    ["distinct=TRUE", '"distinct": expected true or false, found "TRUE"'],
    ["sort", '"sort": expected column names, as in Country,-LastName, found no value'],
    ["separator=", '"separator": expected at least one character, found ""'],
    ...["nullStr", "separator", "wildcard", "placeholder"].map((name) =>
      [
        `${name}=${"é".repeat(17)}`,
        `"${name}": expected at most 16 characters, found "${"\\u00e9".repeat(17)}"`,
      ] as const
    ),
    ["wildcard", '"wildcard": expected at least one character, found no value'],
    ["limit=1&limit=2", '"limit": it is repeated'],
    ["apikey=a&apikey=b", '"apikey": it is repeated'],
    ["LIMIT=1", '"LIMIT": the nearest is "limit"'],
    ["constructor=1", `"constructor": ${UNKNOWN}`],
    ["__proto__", `"__proto__": ${UNKNOWN}`],
    ["=1", `"": ${UNKNOWN}`],
  ] as const;
  for (const [query, rest] of cases) {
    assert.throws(
      () => parse(query),
      { code: "bad-request", message: `Cannot use parameter ${rest}` },
      query,
    );
  }
});

Deno.test("a marker has up to 16 characters, however many bytes those are", () => {
  const marker = "\u{1f600}".repeat(16);
  assert.equal(parse(`nullStr=${marker}`).nullStr, marker);
});

Deno.test("broken percent-encoding is 400", () => {
  for (const query of ["limit=%", "%ZZ=1", "sort=%FF"]) {
    assert.throws(() => parse(query), {
      code: "bad-request",
      message: /^Cannot decode ".+" in the query string: percent-encode /,
    });
  }
});

Deno.test("credentials are kept apart", () => {
  const { parameters, credentials } = parseQuery("apikey=a%20b&limit=1&appid", CREDENTIALS, new Map());
  assert.deepEqual(parameters, { limit: 1 });
  assert.deepEqual([...credentials], [["apikey", "a b"], ["appid", ""]]);
});

Deno.test("any query string whatsoever is read or refused with 400", () => {
  const piece = fc.constantFrom(
    ..."&=%+,-;01",
    "limit",
    "sort",
    "distinct",
    "depth",
    "ui.",
    "%2",
    "%FF",
    "true",
    "apikey",
    "ö",
  );
  fc.assert(
    fc.property(fc.string({ unit: piece }), (query) => {
      try {
        parse(query);
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.status === 400, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("every parameter has a sentence, a schema and a use", () => {
  for (const [name, { doc, schema, uses }] of PARAMETERS) {
    assert.match(doc, /^[A-Z].+\.$/, name);
    assert.equal(typeof schema, "object", name);
    assert.notEqual(uses.length, 0, name);
  }
});

Deno.test("parameters of formats are read with their types, for the part that they are for", () => {
  const given = parse("limit=1&sheet=a+b&skip=2&bom&delimiter=%3B&width=4");
  assert.deepEqual(given, {
    limit: 1,
    own: { answer: { sheet: "a b", bom: true, delimiter: ";", width: 4 }, body: { sheet: "a b", skip: 2 } },
  });
  const cases = [
    ["delimiter=x", '"delimiter": expected "," or ";", found "x"'],
    ["skip=-1", '"skip": expected a whole number from 0 to 9007199254740991, found "-1"'],
    ["sheet", '"sheet": expected at least one character, found no value'],
    [`sheet=${"x".repeat(201)}`, /"sheet": expected at most 200 characters, found/],
    ["bom=2", '"bom": expected true or false, found "2"'],
    ["bom&bom", '"bom": it is repeated'],
    ["shet=1", '"shet": the nearest are "sheet", "sort"'],
    ["own=1", /"own": /],
  ] as const;
  for (const [query, expected] of cases) {
    assert.throws(() => parse(query), (error) => {
      assert.ok(error instanceof ServiceError && error.status === 400, query);
      if (typeof expected === "string") assert.equal(error.message, `Cannot use parameter ${expected}`);
      else assert.match(error.message, expected);
      return true;
    });
  }
});

Deno.test("parameters of formats are refused where their part is missing", () => {
  const refused = (query: string, purpose: RequestPurpose) => refusalOf(parse(query), purpose);
  assert.equal(refused("bom&sheet=x", "read"), undefined);
  assert.equal(refused("bom&sheet=x", "document"), undefined);
  assert.equal(refused("sheet=x&skip=1", "write"), undefined);
  assert.equal(refused("sheet=x&bom", "write"), undefined);
  assert.equal(
    refused("skip=1", "read"),
    'Cannot use parameter "skip" here: it belongs to PUT and DELETE',
  );
});

Deno.test("a format's parameter that is taken, differs or has another name is complained about", () => {
  const flag = { type: "boolean", parts: ["answer"] } as const;
  const formats = [
    named("a", { limit: flag, bom: flag, "x.y": flag }),
    named("b", { bom: flag }),
    named("c", {
      bom: { ...flag, parts: ["body"] },
    }),
  ];
  assert.deepEqual(complaintsAboutParameters(formats), [
    {
      format: "a",
      sentence: 'The parameter "limit" of the format "a" has the name of a parameter of the service',
    },
    {
      format: "a",
      sentence: 'The parameter "x.y" of the format "a" must consist of letters and underscores',
    },
    { format: "c", sentence: 'The parameter "bom" of the format "c" differs from that of the format "a"' },
  ]);
});

/** Parameters with a meaning for each purpose; with `*`, only together with `schema`. */
const USEFUL: Readonly<Record<RequestPurpose, string>> = {
  read: "limit offset sort distinct count depth stream href wantarray transpose headers csvNullStr " +
    "nil_visible tz nullStr separator wildcard placeholder schema cardinality*",
  write:
    "depth href wantarray transpose headers csvNullStr nil_visible tz nullStr separator wildcard placeholder all",
  document: "href headers csvNullStr nil_visible nullStr placeholder schema cardinality*",
  order: "href headers csvNullStr nil_visible nullStr placeholder",
  rows: "limit offset sort distinct count stream href wantarray transpose headers csvNullStr " +
    "nil_visible tz nullStr separator placeholder schema cardinality*",
  run: "href wantarray transpose headers csvNullStr nil_visible tz nullStr separator placeholder",
};

const REFUSED: Readonly<Record<RequestPurpose, RegExp>> = {
  read: /^Cannot use parameter "[\w-]+" here: it belongs to (PUT and DELETE|schema)$/,
  write: /^Cannot use parameter "[\w-]+" with PUT: it is for reading$/,
  document: /^Cannot use parameter "[\w-]+" here: it belongs to (table data|schema)$/,
  order: /^Cannot use parameter "[\w-]+" here: the answer is the state of a connection$/,
  rows: /^Cannot use parameter "[\w-]+" here: it belongs to (table data|schema)$/,
  run: /^Cannot use parameter "[\w-]+" with PUT of a query$/,
};

/** Undefined where the parameters are useful. */
function refusalOf(parameters: Record<string, unknown>, purpose: RequestPurpose): string | undefined {
  try {
    requireUseful({ method: "PUT", parameters: parameters as Parameters, format: { format: {} } }, purpose);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === "bad-request");
    return error.message;
  }
}

for (const purpose of ["read", "write", "document", "order", "rows", "run"] as const) {
  Deno.test(`the table tells which parameters have a meaning for the purpose "${purpose}"`, () => {
    const useful = [...PARAMETERS.keys()].flatMap((name) => {
      const refusal = refusalOf({ [name]: true }, purpose);
      if (refusal === undefined) return [name];
      assert.match(refusal, REFUSED[purpose]);
      return refusalOf({ schema: true, [name]: true }, purpose) === undefined ? [`${name}*`] : [];
    });
    assert.deepEqual(useful, USEFUL[purpose].split(" "));
  });
}
