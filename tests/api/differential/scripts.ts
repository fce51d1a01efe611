/**
 * Random scripts that write: records are made, changed and deleted, with conditions
 * or without, and read in between.
 *
 * @module
 */

import fc from "@/tests/support/random.ts";
import { type Body, changes, newRecords } from "./bodies.ts";
import type { TableFacts } from "./facts.ts";
import { DATABASE } from "./mirrors.ts";
import { encodePlain, type Path, paths, recordPaths } from "./paths.ts";
import type { Asked } from "./read_requests.ts";

/** The steps in order. `{etag}` in a header stands for the latest tag. */
export type Script = readonly Asked[];

const MOST_RECORDS = 4;
const LONGEST = 4;

/**
 * Without views, because engines differ in which of them can be written. Also without changes of several
 * records that refer to each other: MySQL checks deletions and new keys one after the other (docs/mysql.md).
 */
export function scripts(all: ReadonlyMap<string, TableFacts>): fc.Arbitrary<Script> {
  const tables = new Map(
    [...all].filter(([, { name }]) => name !== "Heavy" && name !== "Mood").map(([name, table]) => {
      return [name, {
        ...table,
        relations: table.relations.filter((each) => each.table !== "Heavy"),
      }] as const;
    }),
  );
  const step = fc.oneof(
    { weight: 3, arbitrary: creation(tables) },
    { weight: 2, arbitrary: change(tables) },
    { weight: 1, arbitrary: deletion(tables) },
    { weight: 2, arbitrary: condition(tables) },
  );
  return fc.array(step, { minLength: 1, maxLength: LONGEST }).map((steps) => steps.flat());
}

/** The content of every table after a script. */
export function dump(all: ReadonlyMap<string, TableFacts>): readonly Asked[] {
  return [...all.values()].map(({ name, columns, primaryKey }) => {
    const order = primaryKey.length > 0
      ? ""
      : `?sort=${columns.map((column) => encodePlain(column.name)).join(",")}`;
    return { method: "GET", target: `/db/${DATABASE}/${encodePlain(name)}.csv${order}` };
  });
}

type Tables = ReadonlyMap<string, TableFacts>;

function creation(tables: Tables): fc.Arbitrary<Script> {
  const whole = fc.constantFrom(...tables.values()).map((table): Path => ({
    segments: [encodePlain(table.name)],
    table,
  }));
  const related = paths(tables, 2);
  return fc.oneof({ weight: 5, arbitrary: whole }, { weight: 1, arbitrary: related }).chain((path) =>
    newRecords(path.table, MOST_RECORDS).map((body) => [request("POST", path, body)])
  );
}

function change(tables: Tables): fc.Arbitrary<Script> {
  return paths(tables, 2).chain((path) =>
    fc.tuple(changes(path.table), wholly(path)).map(([body, all]) => {
      return isRisky(path) ? [] : [request("PUT", path, body, all)];
    })
  );
}

function deletion(tables: Tables): fc.Arbitrary<Script> {
  return paths(tables, 2).chain((path) =>
    wholly(path).map((all) => isRisky(path) ? [] : [request("DELETE", path, undefined, all)])
  );
}

/** A whole table is mostly meant. */
function wholly({ segments }: Path): fc.Arbitrary<string> {
  return segments.length === 1 ? fc.constantFrom("?all", "?all=true", "?all=1", "") : fc.constant("");
}

/**
 * A record is read, perhaps changed by another client, and then changed or deleted if it is still the same.
 */
function condition(tables: Tables): fc.Arbitrary<Script> {
  const path = fc.oneof({ weight: 5, arbitrary: recordPaths(tables) }, {
    weight: 1,
    arbitrary: paths(tables, 1),
  });
  return fc.tuple(path, paths(tables, 1)).chain(([path, other]) =>
    fc.record({
      body: changes(path.table),
      meanwhile: fc.option(
        fc.constantFrom(path, path, other).chain((between) =>
          changes(between.table).map((body) => request("PUT", between, body))
        ),
      ),
      method: fc.constantFrom("PUT", "PUT", "DELETE"),
      header: fc.constantFrom("If-Match", "If-Match", "If-Match", "If-None-Match"),
      tag: fc.constantFrom("{etag}", "{etag}", "{etag}", "*", '"other"'),
    }).map(({ body, meanwhile, method, header, tag }) => {
      const write = request(method, path, method === "PUT" ? body : undefined);
      const list = [
        request("GET", path),
        ...(meanwhile ? [meanwhile] : []),
        { ...write, headers: { ...write.headers, [header]: tag } },
        { ...request("GET", path), headers: { "If-None-Match": "{etag}" } },
      ];
      return isRisky(path) || isRisky(other) ? [] : list;
    })
  );
}

/** Tells whether the path may lead to several people. Only a filter by PersonId alone leads to one. */
function isRisky({ segments, table }: Path): boolean {
  return table.name === "Person" && !(segments.length === 3 && segments[1] === "PersonId");
}

function request(method: string, { segments, table }: Path, body?: Body, query = ""): Asked {
  const order = method === "GET" && table.primaryKey.length === 0
    ? `?sort=${table.columns.map(({ name }) => encodePlain(name)).join(",")}`
    : query;
  return {
    method,
    target: `/db/${DATABASE}/${segments.join("/")}.json${order}`,
    ...(body ? { headers: { "Content-Type": body.type }, body: body.body } : {}),
  };
}
