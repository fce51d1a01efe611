/**
 * Random requests that read: a path, maybe a list of columns, a format and parameters.
 *
 * @module
 */

import fc from "@/tests/random.ts";
import type { RawRequest } from "@/tests/raw_request.ts";
import type { TableFacts } from "./facts.ts";
import { DATABASE } from "./mirrors.ts";
import { encodePlain, type Path, paths } from "./paths.ts";

/** A request with its method, which names it in messages. */
export type Asked = RawRequest & { readonly method: string };

const STEPS = 4;
const FORMATS = [".json", ".json", ".json", ".json", ".xml", ".csv", ".csv", ".txt", ".html", ".xsd"];
const NOISE = ["Nothing", "thing", "word", "~Word", "x/y", "%ZZ", "..", "<null>", "Person", "a,b", ""];

/** At most one of each line stands in a request; the last of some are wrong. */
const PARAMETERS = [
  ["limit=0", "limit=1", "limit=3", "limit=3", "limit=7", "limit=1000", "limit=9007199254740991", "limit=-1"],
  ["offset=0", "offset=1", "offset=1", "offset=4", "offset=9007199254740991", "offset=x"],
  ["count", "count", "count=false"],
  ["depth=0", "depth=1", "depth=1", "depth=2", "depth=3", "depth=6"],
  ["transpose", "stream", "stream=true", "wantarray"],
  ["href=false", "nil_visible", "nil_visible=0", "headers=0", "csvNullStr"],
  ["schema", "schema", "schema&cardinality=3", "cardinality=3", "unknown=1"],
  ["nullStr=null", "separator=;", "wildcard=%25", "placeholder=a"],
] as const;

/** Every request reads; those of tables without key ask for an order, because they have none of their own. */
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

/** A path with something in it that does not belong there. */
function disturbed(tables: ReadonlyMap<string, TableFacts>): fc.Arbitrary<Path> {
  return fc.tuple(paths(tables, STEPS), fc.nat(6), fc.constantFrom(...NOISE)).map(([path, at, noise]) => {
    return { ...path, segments: path.segments.toSpliced(Math.min(at, path.segments.length), 0, noise) };
  });
}

function columnList({ columns }: TableFacts): fc.Arbitrary<readonly string[]> {
  return fc.array(fc.constantFrom(...columns.map(({ name }) => name)), { minLength: 1, maxLength: 4 });
}

function parameters(table: TableFacts, columns: readonly string[] | undefined): fc.Arbitrary<string> {
  return rarely(fc.constantFrom("distinct", "distinct", "distinct=false")).chain((distinct) => {
    const list = [
      sort(table, distinct === "distinct" ? columns : undefined),
      fc.constant(distinct),
      ...PARAMETERS.map((texts) => rarely(fc.constantFrom(...texts))),
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

/** `listed` are the only columns that distinct rows can be sorted by. */
function sort(table: TableFacts, listed: readonly string[] | undefined): fc.Arbitrary<string | undefined> {
  const names = [...new Set(listed ?? table.columns.map(({ name }) => name))];
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
