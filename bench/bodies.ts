/**
 * Measures how long one large body delays other requests: the longest time that a small request on another
 * connection waits while the body is handled.
 *
 * Usage: deno task bench:bodies [PATTERN OF NAMES]
 *
 * @module
 */

import { print } from "@/core/start/console.ts";
import { Home } from "./home.ts";
import { LARGE_BODIES, type LargeBody } from "./large_bodies.ts";
import { API_KEY } from "./scenarios.ts";
import { Server } from "./server.ts";

const ROUNDS = 3;

if (import.meta.main) await main();

async function main(): Promise<void> {
  using home = new Home();
  await using service = await Server.start(["main.ts", "serve", "--home", home.directory, "--port", "0"]);
  await waits(service.url, new Promise((done) => setTimeout(done, 1000)));
  const only = new RegExp(Deno.args[0] ?? "");
  for (const body of LARGE_BODIES.filter(({ name }) => only.test(name))) {
    print(`${await describe(service.url, body)}\n`);
  }
}

/** One line: the answer to the body, its duration, and the longest wait of other requests in each round. */
async function describe(url: string, body: LargeBody): Promise<string> {
  const text = body.make();
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(url, body, text));
  const { status = 0, answer = "" } = rounds[0] ?? {};
  const gaps = rounds.map(({ longest }) => longest.toFixed(0)).join(", ");
  const durations = rounds.map(({ took }) => took.toFixed(0)).join(", ");
  return `${body.name.padEnd(34)} others waited ${gaps} ms; took ${durations} ms; ${status} ${answer}`;
}

async function measure(url: string, { path, type }: LargeBody, text: string) {
  const started = performance.now();
  const sent = fetch(`${url}${path}`, {
    method: "POST",
    headers: { "Content-Type": type, apikey: API_KEY },
    body: text,
  }).then(async (response) => ({ status: response.status, answer: (await response.text()).slice(0, 150) }));
  const longest = await waits(url, sent);
  const { status, answer } = await sent;
  return { longest, took: performance.now() - started, status, answer: JSON.stringify(answer) };
}

/** The longest duration of a small request, in milliseconds, until `end` resolves. */
async function waits(url: string, end: Promise<unknown>): Promise<number> {
  let ended = false;
  end.finally(() => ended = true);
  let longest = 0;
  while (!ended) {
    const started = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    longest = Math.max(longest, performance.now() - started);
  }
  return longest;
}
