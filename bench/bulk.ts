/**
 * Measures the cost per record of 10,000 records in one POST, compared with one
 * POST each. Only the ratio counts.
 *
 * Usage: deno task bench:bulk
 *
 * @module
 */

import { print } from "@/core/start/console.ts";
import { Home } from "./home.ts";
import { customer } from "./large_bodies.ts";
import { median } from "./load.ts";
import { API_KEY } from "./scenarios.ts";
import { Server } from "./server.ts";

const BULK = 10_000;
const SINGLE = 300;
const ROUNDS = 3;

if (import.meta.main) await main();

async function main(): Promise<void> {
  using home = new Home();
  await using service = await Server.start(["main.ts", "serve", "--home", home.directory, "--port", "0"]);
  const create = (records: unknown) => post(`${service.url}/db/Demo/Customer.json`, records);
  await create(customers(10));
  const ratios = [];
  for (let round = 0; round < ROUNDS; round++) {
    const single = await microsecondsPerRecord(SINGLE, async () => {
      for (const record of customers(SINGLE)) await create(record);
    });
    const bulk = await microsecondsPerRecord(BULK, () => create(customers(BULK)));
    ratios.push(single / bulk);
    print(
      `single ${single.toFixed(0)} us, bulk ${bulk.toFixed(1)} us a record: ${
        (single / bulk).toFixed(0)
      } times as fast\n`,
    );
  }
  print(`median ratio: ${median(ratios).toFixed(0)}\n`);
}

async function microsecondsPerRecord(count: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) * 1000 / count;
}

function customers(count: number): readonly unknown[] {
  return Array.from({ length: count }, customer);
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", apikey: API_KEY },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST answered ${response.status}: ${text.slice(0, 500)}`);
}
