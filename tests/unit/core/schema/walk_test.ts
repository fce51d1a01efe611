import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Schema } from "@/core/schema/table.ts";
import { type Walk, walkPath } from "@/core/schema/walk_path.ts";
import { FormatTable } from "@/core/request/formats.ts";
import { parseRequest } from "@/core/request/parse_request.ts";
import { narrowSchema } from "@/core/schema/build_schema.ts";
import { traits } from "@/plugins/dialects/sqlite/traits.ts";
import { plainDefinition } from "@/tests/support/databases/plain_definition.ts";
import { demoCatalog, LINKS, schemaOf, table } from "@/tests/unit/core/tables.ts";

const SCHEMA = schemaOf([
  table("Person", "Id:integer Name Born:date Letter_1", { key: ["Id"] }),
  table("Letter", "Id:integer Sender:integer Receiver:integer Words", {
    key: ["Id"],
    references: [["Sender", "Person", "Id"], ["Receiver", "Person", "Id"]],
  }),
  table("Place", "Room Number:integer Size:float Open:boolean", { key: ["Room", "Number"] }),
  table("Odd", "name NAME Name a__b a/b ~x a,b"),
]);

function walk(path: string, schema: Schema = SCHEMA, isForbidden = (_: string) => false): Walk {
  return walkPath(path.split("/"), { database: "Test", schema, isForbidden, grammar: LINKS.grammar, traits });
}

/** The path as the walk understood it: `Person Id=[5] > Letter | Words`. */
function describe(path: string): string {
  const { steps, columns, last, values } = walk(path);
  const text = steps.map(({ table, filters, single }) => {
    const conditions = filters.map(({ column, negated, conditions }) =>
      ` ${negated ? "not " : ""}${table.columns[column]?.name}${
        conditions.map((condition) => {
          switch (condition.kind) {
            case "null":
              return "=null";
            case "in":
            case "cells":
              return JSON.stringify(condition.slots.map((slot) => values[slot]));
            case "like":
              return `~${values[condition.slot]}`;
            case "range":
              return `(${condition.from === undefined ? "" : values[condition.from]}:${
                condition.to === undefined ? "" : values[condition.to]
              })`;
          }
        }).join("|")
      }`
    );
    return `${table.name}${conditions.join("")}${single ? " !" : ""}`;
  }).join(" > ");
  return columns ? `${text} | ${columns.map((column) => last.table.columns[column]?.name).join()}` : text;
}

Deno.test("a path is read as tables, filters and columns; ! marks single records", () => {
  const cases = [
    ["Person", "Person"],
    ["Person/", "Person"],
    ["person", "Person"],
    ["Person/Id/5", "Person Id[5] !"],
    ["Person/Id/5/", "Person Id[5] !"],
    ["Person/id/5", "Person Id[5] !"],
    ["Person/Name/", 'Person Name[""]'],
    ["Person/Name//Id/5", 'Person Name[""] Id[5] !'],
    ["Person/Id/5,6", "Person Id[5,6]"],
    ["Person/Id/5,5", "Person Id[5,5]"],
    ["Person/Id/5..5", "Person Id(5:5)"],
    ["Person/~Id/5", "Person not Id[5]"],
    ["Person/Id/5/~Id/6", "Person Id[5] not Id[6] !"],
    ["Person/Id/<null>", "Person Id=null"],
    ["Person/Id/1,<null>,3..,..-2", "Person Id[1]|=null|(3:)|(:-2)"],
    ["Person/Name/A*,*b*,c", 'Person Name["c"]|~A%|~%b%'],
    ["Person/Name/50%25_[!*", "Person Name~50!%!_![!!%"],
    ["Person/Born/2000-01-01..", "Person Born(2000-01-01:)"],
    ["Person/Name", "Person | Name"],
    ["Person/Name/", 'Person Name[""]'],
    ["Person/Id/5/Name", "Person Id[5] ! | Name"],
    ["Person/Id/5/Name,Id,Name", "Person Id[5] ! | Name,Id"],
    ["Person/Id/5/NAME,iD", "Person Id[5] ! | Name,Id"],
    ["Person/Id/5/Letter", "Person Id[5] ! > Letter"],
    ["Person/Id/5/letter/Id/1", "Person Id[5] ! > Letter Id[1] !"],
    ["Letter/Id/1/Person", "Letter Id[1] ! > Person !"],
    ["Letter/Id/1/Person/Letter", "Letter Id[1] ! > Person ! > Letter"],
    ["Letter/Id/1/Person/Letter/Person/Name", "Letter Id[1] ! > Person ! > Letter > Person | Name"],
    ["Letter/Id/1/Person_Receiver", "Letter Id[1] ! > Person !"],
    ["Letter/Person/Id/5", "Letter > Person Id[5] !"],
    ["Person/Letter_1/x", 'Person Letter_1["x"]'],
    ["Place/Room/A__1/Number/2", 'Place Room["A/1"] Number[2] !'],
    ["Place/Number/2/Open/true/Room/", 'Place Number[2] Open[1] Room[""] !'],
    ["Place/Room/A", 'Place Room["A"]'],
    ["Place/Room/A/Number/1..2", 'Place Room["A"] Number(1:2)'],
    ["Odd/NAME/x", 'Odd NAME["x"]'],
    ["Odd/a__b/x", 'Odd a__b["x"]'],
    ["Odd/a%2Fb/x", 'Odd a/b["x"]'],
    ["Odd/~x/x", 'Odd ~x["x"]'],
    ["Odd/~~x/x", 'Odd not ~x["x"]'],
    ["Odd/a%2Cb,name", "Odd | a,b,name"],
  ] as const;
  for (const [path, expected] of cases) assert.equal(describe(path), expected, path);
});

Deno.test("a path that leads nowhere is 404 and names what is near", () => {
  const cases = [
    ["Persn", 'Cannot find table "Persn" in database "Test"; the nearest is "Person"'],
    ["", 'Cannot find table "" in database "Test"'],
    [
      "Person/Nam",
      'Cannot find "Nam" in table "Person": it is neither a column nor a relation; the nearest is "Name"',
    ],
    [
      "Person/Id/5/Lettr/Id/1",
      'Cannot find "Lettr" in table "Person": it is neither a column nor a relation; the nearest is "Letter"',
    ],
    [
      "Person/~Nam/x",
      'Cannot find "Nam" in table "Person": it is neither a column nor a relation; the nearest is "Name"',
    ],
    [
      "Person/~Name",
      'Cannot find "~Name" in table "Person": it is neither a column nor a relation; the nearest is "Name"',
    ],
    [
      "Person/~Letter/x",
      'Cannot negate "Letter" of table "Person": it is a relation, only filters are negated',
    ],
    [
      "Person/Name,Id/Letter",
      'Cannot go on after the column list "Name,Id": filters and relations stand before it',
    ],
    [
      "Person/Name,Id//",
      'Cannot go on after the column list "Name,Id": filters and relations stand before it',
    ],
    [
      "Person/5",
      'Cannot find "5" in table "Person": it is neither a column nor a relation; a record is found by its key "Id": /{column}/{value}',
    ],
    ["Person//x", 'Cannot find "" in table "Person": it is neither a column nor a relation'],
    ["Person/Id/5//", 'Cannot find "" in table "Person": it is neither a column nor a relation'],
    [
      "Odd/nAME/x",
      'Cannot find "nAME" in table "Odd": it is neither a column nor a relation; the nearest are ',
    ],
    [
      "Person/constructor",
      'Cannot find "constructor" in table "Person": it is neither a column nor a relation',
    ],
  ] as const;
  for (const [path, start] of cases) {
    assert.throws(() => walk(path), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual([error.code, error.message.slice(0, start.length)], ["not-found", start]);
      return true;
    }, path);
  }
});

Deno.test("a value of the wrong type is 400", () => {
  for (
    const path of [
      "Person/Id/x",
      "Person/Id/1,x",
      "Person/Id/1..x",
      "Person/Id/1*",
      "Person/Born/2000-13-01",
      "Place/Open/0..1",
      "Person/Id/..",
    ]
  ) {
    assert.throws(() => walk(path), { code: "bad-request" }, path);
  }
});

Deno.test("what no statement could hold is 400", () => {
  const many = (count: number, text: string) => Array<string>(count).fill(text);
  const paths = [
    `Person/Id/${many(1001, "1").join(",")}`,
    `Person/Name/${many(101, "a*").join(",")}`,
    `Person/${many(10, "Letter/Person").join("/")}`,
  ];
  for (const path of paths) assert.throws(() => walk(path), { code: "bad-request", message: /more than/ });
  assert.equal(walk(`Person/Id/${many(1000, "1").join(",")}`).values.length, 1000);
});

Deno.test("a table that may not be read is 403 by every name", () => {
  const schema = narrowSchema(SCHEMA, (name) => name !== "Letter");
  const isForbidden = (name: string) => name.toLowerCase() === "letter";
  const paths = [
    "Letter",
    "letter",
    "Letter/Id/1",
    "Person/Letter",
    "Person/Id/1/letter/Id/1",
    "Person/Letter_Receiver",
  ];
  for (const path of paths) assert.throws(() => walk(path, schema, isForbidden), { code: "forbidden" }, path);
  assert.throws(() => walk("Lettr", schema, isForbidden), {
    message: 'Cannot find table "Lettr" in database "Test"',
  });
});

Deno.test("paths of one shape have one key, others have others", () => {
  const same = [["Person/Id/1", "person/id/2/"], ["Person/Name/A*", "Person/Name/*b"], [
    "Person/Id/1,2",
    "Person/Id/3,4",
  ]];
  for (const [a = "", b = ""] of same) assert.equal(walk(a).key, walk(b).key, a);
  const different = [
    "Person",
    "Letter",
    "Person/Name",
    "Person/Id",
    "Person/Id,Name",
    "Person/Name,Id",
    "Person/Id/1",
    "Person/~Id/1",
    "Person/Id/1,2",
    "Person/Id/<null>",
    "Person/Id/1,<null>",
    "Person/Id/1..",
    "Person/Id/..1",
    "Person/Id/1..2",
    "Person/Id/1,1..2",
    "Person/Id/1..2,1..2",
    "Person/Id/1/Id/2",
    "Person/Name/1",
    "Person/Name/1*",
    "Person/Id/1/Letter",
    "Person/Id/1/Letter_Receiver",
    "Person/Letter/Id/1",
  ];
  assert.equal(new Set(different.map((path) => walk(path).key)).size, different.length);
});

const FORMATS = new FormatTable(["json", "csv"].map((name) => {
  const none = () => "";
  const writer = () => () => ({ begin: none, row: none, end: none });
  return { name, format: { contentTypes: [`text/${name}`], writer, document: none, problem: none } };
}));

Deno.test("any path whatsoever is walked on the demo schema or refused with 4xx", async () => {
  const { tables } = await demoCatalog();
  const schema = schemaOf(tables, plainDefinition());
  const names = tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
  const segment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    {
      weight: 3,
      arbitrary: fc.constantFrom("1", "1,2", "1..3", "NO", "<null>", "A*", "", "~Name", "2025-04-01", "true"),
    },
    {
      weight: 1,
      arbitrary: fc.string({ unit: fc.constantFrom(..."aN1_%.,*<>~/;ö", "__", "..", "%2C", "%FF") }),
    },
  );
  const target = fc.tuple(
    fc.constantFrom(...tables.map(({ name }) => name)),
    fc.array(segment, { maxLength: 8 }),
    fc.constantFrom("", ".json", ".csv", "/", ".xyz"),
    fc.constantFrom(
      "",
      "?limit=1",
      "?separator=;&nullStr=N",
      "?wildcard=%25",
      "?sort=-Name",
      "?x",
      "?depth=9",
      "?placeholder=N",
    ),
  );
  const context = {
    formats: FORMATS,
    grammar: LINKS.grammar,
    substitutions: LINKS.substitutions,
    prefix: "",
    credentialNames: new Set(["apikey"]),
  };
  let walked = 0;
  fc.assert(
    fc.property(target, ([first, segments, extension, query]) => {
      const text = `/db/Demo/${[first, ...segments].join("/")}${extension}${query}`;
      try {
        const { segments, grammar } = parseRequest("GET", text, new Headers(), context);
        walkPath(segments.slice(1), { database: "Demo", schema, isForbidden: () => false, grammar, traits });
        walked++;
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.status >= 400 && error.status < 500, String(error));
      }
    }),
    { numRuns: 5000 },
  );
  assert.ok(walked > 100, `only ${walked} of the paths led anywhere`);
});

Deno.test("paths with the same key mean the same slots, however their lists are written", () => {
  const filter = fc.tuple(
    fc.constantFrom("Id", "Name", "Born"),
    fc.array(fc.constantFrom("equal", "between", "from", "to", "null"), { minLength: 1, maxLength: 5 }),
  );
  const values = { Id: ["1", "2"], Name: ["a", "b"], Born: ["2001-01-01", "2002-02-02"] } as const;
  const write = (column: keyof typeof values, kinds: readonly string[]) => {
    const [low, high] = values[column];
    const texts: Record<string, string> = {
      equal: low,
      between: `${low}..${high}`,
      from: `${low}..`,
      to: `..${high}`,
    };
    return `${column}/${kinds.map((kind) => texts[kind] ?? "<null>").join()}`;
  };
  fc.assert(
    fc.property(
      fc.array(filter, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.nat()),
      (filters, picks) => {
        const shuffle = <T>(list: readonly T[]) => {
          return list.map((item) => ({ item, at: picks.next().value })).toSorted((a, b) => a.at - b.at).map((
            { item },
          ) => item);
        };
        const path = (order: (kinds: readonly string[]) => readonly string[]) => {
          return `Person/${
            filters.map(([column, kinds]) => write(column as keyof typeof values, order(kinds))).join("/")
          }`;
        };
        const [written, shuffled] = [walk(path((kinds) => kinds)), walk(path(shuffle))];
        if (written.key !== shuffled.key) return;
        assert.deepEqual(shuffled.last.filters, written.last.filters);
        assert.deepEqual(shuffled.values.length, written.values.length);
      },
    ),
  );
});
