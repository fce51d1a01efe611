/**
 * Random requests that read: a path, maybe a list of columns, a format and parameters.
 *
 * @module
 */

import fc from "@/tests/support/random.ts";
import type { RawRequest } from "@/tests/support/raw_request.ts";
import type { ColumnFacts, TableFacts } from "./facts.ts";
import { DATABASE } from "./mirrors.ts";
import { encodePlain, type Path, paths } from "./paths.ts";

/** A request with its method, which names it in messages. */
export type Asked = RawRequest & { readonly method: string };

const STEPS = 4;
const FORMATS = [".json", ".json", ".json", ".json", ".xml", ".csv", ".csv", ".txt", ".html", ".xsd"];
const NOISE = ["Nothing", "thing", "word", "~Word", "x/y", "%ZZ", "..", "<null>", "Person", "a,b", ""];

/** A request has at most one of each line. */
const PARAMETERS = [
  ["limit=0", "limit=1", "limit=3", "limit=3", "limit=7", "limit=1000", "limit=9007199254740991"],
  ["offset=0", "offset=1", "offset=1", "offset=4", "offset=9007199254740991"],
  ["count", "count", "count=false"],
  ["depth=0", "depth=1", "depth=1", "depth=2", "depth=3"],
  ["transpose", "stream", "stream=true", "wantarray"],
  ["href=false", "nil_visible", "nil_visible=0", "headers=0", "csvNullStr"],
  ["schema", "schema", "schema&cardinality=3", "schema=false"],
  ["nullStr=null", "separator=;", "wildcard=%25", "placeholder=a"],
] as const;
/** Invalid everywhere. */
const WRONG = [
  "limit=-1",
  "offset=x",
  "depth=6",
  "cardinality=3",
  "unknown=1",
  "sort=",
  "sort=Nothing",
  "limit",
];

/**
 * Every request reads; requests for tables without key ask for an order, because these have no natural one.
 */
export function readRequests(tables: ReadonlyMap<string, TableFacts>): fc.Arbitrary<Asked> {
  const path = fc.oneof({ weight: 14, arbitrary: paths(tables, STEPS) }, {
    weight: 1,
    arbitrary: disturbed(tables),
  });
  return path.chain(({ segments, table }) =>
    fc.option(columnList(table), { nil: undefined, freq: 2 }).chain((columns) =>
      fc.record({
        method: fc.constantFrom("GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD"),
        format: fc.constantFrom(...FORMATS),
        query: parameters(table, columns),
      }).map(({ method, format, query }) => {
        const list = columns?.map(encodePlain).join(",");
        const all = list === undefined ? segments : [...segments, list];
        return { method, target: `/db/${DATABASE}/${all.join("/")}${format}${query}` };
      })
    )
  );
}

/** A path with an invalid part. */
function disturbed(tables: ReadonlyMap<string, TableFacts>): fc.Arbitrary<Path> {
  return fc.tuple(paths(tables, STEPS), fc.nat(6), fc.constantFrom(...NOISE)).map(([path, at, noise]) => {
    return { ...path, segments: path.segments.toSpliced(Math.min(at, path.segments.length), 0, noise) };
  });
}

function columnList({ columns }: TableFacts): fc.Arbitrary<readonly string[]> {
  return fc.array(fc.constantFrom(...columns.map(({ name }) => name)), { minLength: 1, maxLength: 4 });
}

function parameters(table: TableFacts, columns: readonly string[] | undefined): fc.Arbitrary<string> {
  const isJson = ({ name, kind }: ColumnFacts) => kind === "json" && columns?.includes(name);
  const distinct = table.columns.some(isJson)
    ? ["distinct=false"]
    : ["distinct", "distinct", "distinct=false"];
  return rarely(fc.constantFrom(...distinct)).chain((distinct) => {
    const list = [
      sort(table, distinct === "distinct" ? columns : undefined),
      fc.constant(distinct),
      ...PARAMETERS.map((texts) => rarely(fc.constantFrom(...texts))),
      rarely(rarely(fc.constantFrom(...WRONG))),
    ];
    return fc.tuple(...list).map((all) => {
      const given = all.filter((each) => each !== undefined);
      return given.length > 0 ? `?${given.join("&")}` : "";
    });
  });
}

/** One time out of six. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/**
 * `listed` are the only columns that distinct rows can be sorted by. JSON has no order
 * everywhere (docs/postgresql.md).
 */
function sort(table: TableFacts, listed: readonly string[] | undefined): fc.Arbitrary<string | undefined> {
  const sortable = table.columns.filter(({ kind }) => kind !== "json").map(({ name }) => name);
  const names = [...new Set(listed ?? sortable)];
  const needsOrder = table.primaryKey.length === 0 && listed === undefined;
  const most = needsOrder ? names.length : Math.min(3, names.length);
  const keys = fc.shuffledSubarray(names, { minLength: needsOrder ? most : 1, maxLength: most });
  const text = keys.chain((list) =>
    fc.tuple(...list.map((name) => fc.constantFrom("", "-").map((sign) => sign + encodePlain(name)))).map((
      signed,
    ) => `sort=${signed.join(",")}`)
  );
  return needsOrder ? text : fc.option(text, { nil: undefined, freq: 2 });
}
