import assert from "node:assert/strict";
import type { TestService } from "@/tests/support/service.ts";
import { testOnEveryEngine } from "./service.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Member = { [key: string]: Json };

/** Rows that are followed in each table. Tables with awkward keys have fewer. */
const LIMIT = 70;

testOnEveryEngine("every reference in every record leads to what it refers to", async (service) => {
  const sizes = [];
  for (const database of ["Demo", "Types"]) {
    for (const [table, { __href }] of Object.entries(await tablesOf(service, database))) {
      const limit = database === "Types" ? LIMIT : 4;
      const records = asRecords(await get(service, `${__href}?limit=${limit}`));
      const expanded = asRecords(await get(service, `${__href}?limit=${limit}&depth=1`));
      assert.equal(records.length, expanded.length, table);
      for (const [index, record] of records.entries()) {
        await followRecord(service, record, expanded[index] ?? {});
      }
      sizes.push(records.length);
    }
  }
  assert.ok(sizes.length > 30 && Math.max(...sizes) > 60, String(sizes));
});

testOnEveryEngine("a reference survives a client that reads URLs on its own", async (service) => {
  const labels = asRecords(await get(service, "/db/Types/Label.json"));
  for (const { __href, Text } of labels) {
    const path = String(__href);
    assert.equal(new URL(path, service.url).pathname, path, String(Text));
    assert.deepEqual(await get(service, path.replace(/\.json$/, "/Text.json")), Text);
    assert.deepEqual(await get(service, path.replace(/\.json$/, "/Text")), Text, "without extension");
  }
});

/** The record's own reference, then one for each relation. */
async function followRecord(service: TestService, record: Member, expanded: Member): Promise<void> {
  if (record["__href"] === null) return;
  assert.deepEqual(await get(service, String(record["__href"])), record);
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
    await followRelation(service, String(value["__href"]), expanded[name] ?? null);
  }
}

/** The target of a reference equals the expanded record of `depth`; for null it does not exist. */
async function followRelation(service: TestService, path: string, expected: Json): Promise<void> {
  const response = await service.fetch(path);
  const found: Json = await response.json();
  if (expected === null) {
    assert.equal(response.status, 404, path);
    return;
  }
  assert.equal(response.status, 200, path);
  assert.deepEqual(found, expected, path);
}

async function tablesOf(service: TestService, database: string): Promise<Record<string, Member>> {
  const listed = await get(service, `/db/${database}.json`) as Record<string, Record<string, Member>>;
  const { __href: _, ...tables } = listed[database] ?? {};
  return tables;
}

async function get(service: TestService, path: string): Promise<Json> {
  const response = await service.fetch(path);
  const body: Json = await response.json();
  assert.equal(response.status, 200, `${path}: ${JSON.stringify(body)}`);
  return body;
}

function asRecords(value: Json): Member[] {
  assert.ok(Array.isArray(value));
  return value as Member[];
}
