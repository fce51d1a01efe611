/**
 * A table `every` with a column of every type of an engine. Its values are read, found, sorted and written
 * again over HTTP. Rows 1 and 2 have two values of each type, row 3 has only NULL.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestService } from "@/tests/support/service.ts";
import { textOf } from "@/tests/support/text_of.ts";

/** A type with two values. */
export interface TypeCase {
  readonly name: string;
  readonly type: string;
  /** Two values as the engine's file of cases writes them in SQL; the first is the smaller one. */
  readonly sql: readonly [string, string];
  /** The same as JSON. */
  readonly json: readonly [string, string];
  /** A path segment that finds the first one; absent: its JSON without quotes. */
  readonly filter?: string;
  /** The engine has no order, or no equality, for this type. */
  readonly unordered?: true;
}

/** A text that JSON, XML and CSV have to escape. */
export const AWKWARD = `a "b"; 'c' <d> & \\e`;

/** Machines east and west of Greenwich, where the days of the tests have clocks that are set. */
export const ZONES = ["Pacific/Auckland", "America/St_Johns"];

/** The table in a service. */
export interface EveryType {
  readonly service: TestService;
  /** The path of its database: `/db/Pg`. */
  readonly path: string;
  readonly cases: readonly TypeCase[];
  /** Names of columns in which two rows differ. */
  differences(one: number, other: number): Promise<readonly string[]>;
  remove(id: number): Promise<unknown>;
}

/** Reads, finds and sorts by every column. */
export async function readEveryType(every: EveryType): Promise<void> {
  const get = async (path: string) => JSON.parse(await getText(every, path));
  for (const { name, json, filter, unordered } of every.cases) {
    for (const row of [0, 1] as const) {
      assert.equal(await getText(every, `/id/${row + 1}/${name}.json`), json[row], name);
    }
    const segment = filter ?? encodeURIComponent(json[0].replace(/^"(.*)"$/, "$1"));
    assert.deepEqual(await get(`/${name}/${segment}/id.json`), [1], `${name}/${segment}`);
    if (unordered) continue;
    assert.deepEqual(await get(`/id.json?sort=${name}`), [3, 1, 2], name);
    assert.deepEqual(await get(`/id.json?sort=-${name}`), [2, 1, 3], name);
  }
}

/** Values that are read in each format, and written into another row, are the same there. */
export async function writeEveryType(every: EveryType): Promise<void> {
  for (const format of FORMATS) {
    for (const id of [1, 2, 3]) await writeCopy(every, id, format);
  }
}

const FORMATS = [
  ["json", "application/json", (id: number) => `"id": ${id},`],
  ["xml", "text/xml", (id: number) => `<id>${id}</id>`],
  ["csv", "text/csv", (id: number) => `\r\n${id},`],
] as const;

async function writeCopy(every: EveryType, id: number, [format, type, key]: (typeof FORMATS)[number]) {
  const { service, path } = every;
  const body = (await getText(every, `/id/${id}.${format}?csvNullStr`)).replace(key(id), key(id + 10));
  const headers = { "content-type": type };
  for (const [method, at] of [["POST", "/every"], ["PUT", `/every/id/${id + 10}`]] as const) {
    const answer = await service.fetch(`${path}${at}.${format}?csvNullStr`, { method, headers, body });
    const text = await answer.text();
    assert.equal(answer.status, method === "POST" ? 201 : 204, `${format} ${id}: ${text}`);
    assert.deepEqual(await every.differences(id, id + 10), [], `${method} ${format} ${id}`);
  }
  await every.remove(id + 10);
}

function getText({ service, path }: EveryType, below: string): Promise<string> {
  return textOf(service.fetch(`${path}/every${below}`));
}
