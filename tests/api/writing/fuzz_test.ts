import assert from "node:assert/strict";
import fc from "@/tests/support/random.ts";
import { mutationsOf } from "@/tests/conformance/mutations.ts";
import { sendSideBySide } from "@/tests/support/raw_request.ts";
import { type AnyShop, onEveryShop } from "./every_shop.ts";

const RUNS = 3_000;
/** Each costs a round trip or more. */
const RUNS_ON_SERVERS = 1_000;
/** Connections that send side by side, each one request after the other. */
const CONNECTIONS = 8;

const TYPES: Readonly<Record<string, string>> = {
  json: "application/json",
  xml: "text/xml",
  csv: "text/csv",
};

/** How often a status has to come at least: a fuzz that is refused altogether tries nothing. */
const LEAST = [[201, 200], [204, 20], [400, 200], [409, 10], [415, 10], [422, 4]] as const;

const test = onEveryShop();

interface Sent {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly format: string;
  readonly type: string | undefined;
  readonly body: string;
}

type Field = readonly [name: string, value: string | number | boolean | null];

/** Columns by the path that they are sent to. New records go to tables that are only added to. */
const CREATED: Readonly<Record<string, readonly string[]>> = {
  "Tag": ["Text", "Meaning"],
  "Item": [
    "Name",
    "Quantity",
    "Price",
    "Serial",
    "Active",
    "SoldAt",
    "Picture",
    "Code",
    "MakerId",
    "Details",
  ],
  "Shelf": ["Room", "Place", "Label"],
  "Journal": ["Words", "Number"],
  "Item/ItemId/1/Part": ["Name", "ItemId", "PartId"],
};
/** Every record of the table is changed at once, so they always have the same values. */
const CHANGED: Readonly<Record<string, readonly string[]>> = { "Box": ["Weight", "Weight", "Room", "BoxId"] };

/** A new record must have these. */
const REQUIRED: ReadonlySet<string> = new Set(["Text", "Name", "Room", "Place"]);
const OTHER_NAMES = ["__href", "__proto__", "constructor", "Maker", "Nmae", "", "text", "a b", "Doubled"];
const VALUES = [
  ..."x y plain reserved A/1 Rope R-1 0 1 2 -1 1.5 1e5 true false 2024-02-29 2024-02-29T13:45:00 AQID {} [] <null>"
    .split(" "),
  ..."12345678901234567890 9223372036854775807 1e400 NaN ä 日本 😀 ' \" \\ \r\n \t , ; < & ]]> \u0000 \u007f"
    .split(" "),
  "",
  "much too long for any column that has a length",
];

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<string | number | boolean | null>(...VALUES) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<string | number | boolean | null>(null, true, false, 0, 1, 7, -1, 1.5, 1e21),
  },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: -5, max: 5000 }) },
);

/** Values that fit a column; other columns accept any text. */
const FITTING: Readonly<Record<string, readonly Field[1][]>> = {
  Quantity: [0, 1, 7, "2"],
  Number: [0, -3, "2"],
  Price: [0, 1.25, "19.9", null],
  Weight: [0, 1.25, "2", null],
  Serial: [0, "9223372036854775807", null],
  Active: [true, false, "true"],
  SoldAt: ["2024-02-29T13:45:00", "2024-02-29 13:45:00", null],
  Picture: ["AP+J", "", null],
  MakerId: [1, 2, "3", null],
  ItemId: [1, "1"],
  PartId: [1000, 1001, 1002, null],
  BoxId: [1, 2, "3"],
  Code: ["a", "b", "c", "ä", null],
  Details: ["{}", "[1]", null],
  Place: [1, 2, 3, 4, 5, "6"],
};

function fields(names: readonly string[]): fc.Arbitrary<readonly Field[]> {
  const fitting = fc.constantFrom(...names).chain((name) =>
    fc.constantFrom(...(FITTING[name] ?? ["x", "two words", "日本", "😀"])).map((each): Field => [name, each])
  );
  const any = fc.tuple(fc.constantFrom(...names, ...names, ...OTHER_NAMES), value);
  const field = fc.oneof({ weight: 15, arbitrary: fitting }, { weight: 1, arbitrary: any });
  return fc.uniqueArray(field, { selector: ([each]) => each, minLength: 1, maxLength: names.length });
}

/** Records that mostly have the required columns and are mostly alike. */
function records(names: readonly string[], most: number): fc.Arbitrary<readonly (readonly Field[])[]> {
  const required = names.filter((name) => REQUIRED.has(name));
  const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
  const named = fc.tuple(texts, fc.nat(1_000_000), fields(names)).map(([text, number, rest]) => {
    const given = required.map((name): Field => [name, name === "Place" ? number : text]);
    return [...given, ...rest.filter(([name]) => !REQUIRED.has(name))];
  });
  return fc.array(fc.oneof({ weight: 9, arbitrary: named }, { weight: 1, arbitrary: fields(names) }), {
    minLength: 1,
    maxLength: most,
  });
}

const WRITERS: Readonly<Record<string, (list: readonly (readonly Field[])[], table: string) => string>> = {
  json: (list) => {
    const objects = list.map((record) => {
      return `{${record.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join(",")}}`;
    });
    return objects.length === 1 ? objects.join() : `[${objects.join(",\n")}]`;
  },
  xml: (list, table) => {
    const rows = list.map((record) => `<${table}>${record.map(elementOf).join("")}</${table}>`);
    return `<Rowhouse xmlns="urn:rowhouse" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${
      rows.join("\n")
    }</Rowhouse>`;
  },
  csv: (list) => {
    const names = [...new Set(list.flatMap((record) => record.map(([name]) => name)))];
    const rows = list.map((record) => names.map((name) => record.find(([each]) => each === name)?.[1] ?? ""));
    return [names, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n");
  },
};

function elementOf([name, each]: Field): string {
  if (each === null) return `<${name} xsi:nil="true"/>`;
  const text = String(each).replace(/[<&]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<${name}>${text}</${name}>`;
}

function quoted(each: Field[1]): string {
  const text = String(each ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A body of a client in any format. Three of four bodies are changed afterwards. */
function bodies(path: string, names: readonly string[], most: number) {
  const table = path.split("/").at(-1) ?? "";
  return fc.constantFrom(...Object.keys(TYPES)).chain((format) =>
    records(names, most).chain((list) => {
      const text = WRITERS[format]?.(list, table) ?? "";
      const body = fc.oneof({ weight: 1, arbitrary: fc.constant(text) }, {
        weight: 3,
        arbitrary: mutationsOf(text),
      });
      return body.map((each) => ({ format, body: each }));
    })
  );
}

const type = (format: string) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(TYPES[format]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        "text/plain",
        "text/html",
        "application/json; charset=utf-16le",
        "x/y; charset=",
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(TYPES)) },
  );

const requests = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(...Object.entries(CREATED)).chain(([path, names]) =>
      bodies(path, names, 5).chain((body) =>
        type(body.format).map((type): Sent => ({ method: "POST", path, type, ...body }))
      )
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...Object.entries(CHANGED)).chain(([path, names]) =>
      bodies(path, names, 1).chain((body) =>
        type(body.format).map((type): Sent => ({ method: "PUT", path, type, ...body }))
      )
    ),
  },
);

/** Sends everything; returns the paths of created records, and the number of answers by status. */
async function sendAll(shop: AnyShop, list: readonly Sent[]) {
  const created: string[] = [];
  const seen = new Map<number, number>();
  const requests = list.map((sent) => ({
    method: sent.method,
    target: `/db/Shop/${sent.path}.${sent.format}${sent.method === "PUT" ? "?all" : ""}`,
    headers: sent.type === undefined ? {} : { "Content-Type": sent.type },
    body: sent.body,
  }));
  await sendSideBySide(shop.service.port, requests, {
    connections: CONNECTIONS,
    check({ status, text, headers: received }, { method, target, headers, body }) {
      // Writers on a server may block each other, and are told to try again.
      const isExpected = status < 500 || (status === 503 && received.has("retry-after"));
      assert.ok(isExpected, `${status} for ${method} ${target} ${JSON.stringify(headers)}: ${body}`);
      assert.ok(status >= 400 || status === (method === "POST" ? 201 : 204), `${status} for ${target}`);
      if (status === 201) created.push(...text.split("\n"));
      seen.set(status, (seen.get(status) ?? 0) + 1);
    },
  });
  return { created, seen };
}

/** The path of every record, from an answer; a record of a table without key has the path of its table. */
async function pathsOf(shop: AnyShop): Promise<readonly string[]> {
  const paths = [];
  for (const table of ["Tag", "Item", "Shelf", "Part", "Journal"]) {
    const list: readonly { readonly __href: string | null }[] =
      await (await shop.service.fetch(`/db/Shop/${table}.json`))
        .json();
    paths.push(...list.map(({ __href }) => __href?.replace(/\.json$/, "") ?? `/db/Shop/${table}`));
  }
  return paths;
}

/** The content of tables without requests. */
async function untouchedOf(shop: AnyShop): Promise<readonly string[]> {
  return (await shop.dump()).filter((line) => /^(Maker|Node|Address|Token): /.test(line));
}

test(
  "no body whatsoever fails the service, and the database has exactly what was answered",
  async (shop, dialect) => {
    const runs = dialect === "sqlite" ? RUNS : RUNS_ON_SERVERS;

    await shop.run("UPDATE Box SET Room = NULL, Place = NULL, Weight = 0");
    const before = await pathsOf(shop);
    const untouched = await untouchedOf(shop);
    const { created, seen } = await sendAll(shop, fc.sample(requests, runs));
    assert.deepEqual((await pathsOf(shop)).toSorted(), [...before, ...created].toSorted());
    assert.equal(
      new Set(await shop.look("SELECT Room, Place, Weight FROM Box")).size,
      1,
      "all are changed, or none is",
    );
    assert.deepEqual(await shop.look("SELECT count(*) FROM Box"), ["3"]);
    assert.deepEqual(await untouchedOf(shop), untouched);
    for (const [status, least] of LEAST) {
      assert.ok((seen.get(status) ?? 0) >= least * runs / RUNS, `${status}: ${seen.get(status)}`);
    }
    assert.doesNotMatch(await shop.service.log(), /failed unexpectedly/);
  },
);
