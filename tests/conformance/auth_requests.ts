/**
 * Tests of the suite in auth.ts about whole requests: what their credentials
 * cover, and whose bodies are read.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AuthThrottle } from "@/plugins/contract.ts";
import type { AuthSubject } from "@/tests/conformance/auth.ts";
import {
  type Attempt,
  headerSafe,
  renewed,
  requestOf,
  routeRequestOf,
} from "@/tests/conformance/auth_attempt.ts";
import { HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/** A part of a request that credentials may cover. */
export type Covered = "method" | "target" | "body";

/** The request as somebody on its way could change it. */
const CHANGES: Readonly<Record<Covered, readonly ((attempt: Attempt) => Partial<Attempt>)[]>> = {
  method: [({ method = "GET" }) => ({ method: method === "PUT" ? "POST" : "PUT" })],
  target: [
    ({ url = "/" }) => ({ url: url.replace(/^[^?]*/, (path) => `${path}x`) }),
    ({ url = "/" }) => ({ url: `${url}${url.includes("?") ? "&" : "?"}all` }),
  ],
  body: [({ body = "" }) => ({ body: `${body} ` }), () => ({ body: "other" })],
};

/** A request that was changed on its way is rejected. */
export async function noticesChanges({ method, accepted, covers = [] }: AuthSubject): Promise<void> {
  for (const attempt of accepted) {
    for (const part of covers) {
      for (const change of CHANGES[part]) {
        const fresh = await renewed(attempt);
        const request = requestOf({ ...fresh, ...change(fresh) }, method);
        const { outcome } = await method.authenticate(request);
        assert.equal(outcome, "rejected", `${attempt.name}, with another ${part}`);
      }
    }
  }
}

/**
 * A stranger could otherwise fill the memory of bodies: what a header proves is proved before a body is read.
 */
export async function readsNoBodyOfStrangers({ method, accepted }: AuthSubject): Promise<void> {
  for (const attempt of accepted) {
    const names = Object.keys(attempt.route ? {} : (await renewed(attempt)).headers ?? {});
    for (const changed of [[], ...names.map((name) => [name])]) {
      for (const text of HOSTILE_TEXTS) {
        const { headers = {}, ...fresh } = await renewed(attempt);
        const hostile = headerSafe(Object.fromEntries(changed.map((name) => [name, text])));
        const sent = changed.length === 0 ? {} : { ...headers, ...hostile };
        let isRead = false;
        const digest = () => {
          isRead = true;
          return Promise.resolve(new Uint8Array(32));
        };
        await method.authenticate({ ...requestOf({ ...fresh, headers: sent }, method), digest });
        assert.equal(isRead, false, `${attempt.name}, with ${JSON.stringify(hostile)}`);
      }
    }
  }
}

/** Puts hostile texts in the place of each header and parameter that carries credentials. */
export async function survivesHostility({ method, accepted, rejected }: AuthSubject): Promise<void> {
  for (const attempt of [...accepted, ...rejected]) {
    const { headers = {}, credentials = {} } = await renewed(attempt);
    for (const text of HOSTILE_TEXTS) {
      const hostile = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, text]));
      const changes = [{ credentials: hostile(credentials) }, { headers: headerSafe(hostile(headers)) }];
      for (const change of changes) {
        const { outcome } = await method.authenticate(requestOf(change, method));
        assert.notEqual(outcome, "accepted", JSON.stringify(change));
      }
    }
  }
}

const WAIT = new Error("the network has to wait");
const wait = () => Promise.reject(WAIT);

/** Refuses every attempt. */
const REFUSING: AuthThrottle = {
  beginForm: wait,
  beginPassword: wait,
  requireTurn: () => {
    throw WAIT;
  },
  countMessage: wait,
};

/** Whether a request or the form of the login page can guess; messages of providers are no guesses. */
export function isGuess({ route }: Attempt, { method, host }: Pick<AuthSubject, "method" | "host">): boolean {
  return !route || method.form?.({ next: "/" }).action === `${host.prefix}${route.path}`;
}

/** An answer to a right credential would tell it from a wrong one, so guessing would have no limit. */
export async function letsNetworksWait({ plugin, section, host, accepted }: AuthSubject): Promise<void> {
  const method = await plugin.setup(sectionOf(plugin, section), { ...host, throttle: REFUSING });
  for (const attempt of accepted) {
    if (!isGuess(attempt, { method, host })) continue;
    const answer = async () => {
      const fresh = await renewed(attempt);
      const route = method.routes?.find(({ path }) => path === fresh.route?.path);
      return await (route
        ? route.handle(routeRequestOf(fresh))
        : method.authenticate(requestOf(fresh, method)));
    };
    await assert.rejects(answer, WAIT, `${attempt.name}, from a network that has to wait`);
  }
}

/** Other methods see the same request. */
export async function changesNothing({ method, accepted, rejected }: AuthSubject): Promise<void> {
  for (const attempt of [...accepted, ...rejected]) {
    const fresh = await renewed(attempt);
    const request = requestOf(fresh, method);
    await method.authenticate(request);
    const { headers, credentials } = requestOf(fresh, method);
    assert.deepEqual([...request.headers], [...headers]);
    assert.deepEqual([...request.credentials], [...credentials]);
  }
}
