/**
 * Waiting for the effects of other processes.
 *
 * @module
 */

import assert from "node:assert/strict";

/** Milliseconds. A machine may be slow; an event that has not happened by then never does. */
const LIMIT = 120_000;
const PAUSE = 20;

/** The result of the work. Fails after two minutes; `what` is the subject of the message. */
export async function inTime<T>(work: PromiseLike<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} has not come within two minutes`)), LIMIT);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** An answer that is not there, or not whole, after two minutes is a failure. Redirects are not followed. */
export function fetchInTime(url: string, init: RequestInit = {}): Promise<Response> {
  const late = AbortSignal.timeout(LIMIT);
  const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
  const headers = new Headers(init.headers);
  // Packing and unpacking takes longer than most answers.
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  return fetch(url, { redirect: "manual", ...init, headers, signal });
}

/** Looks again and again until the condition holds. Fails after two minutes. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT;
  while (!await holds()) {
    assert.ok(Date.now() < deadline, `It has not come about within two minutes: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
