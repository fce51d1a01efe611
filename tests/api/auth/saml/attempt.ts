/**
 * Logins with documents that a test writes: their results, and the assertions about every refused document.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Begun, isLogin, type Landing, SsoBrowser, whoHas } from "./browser.ts";
import type { Identity } from "./certificate.ts";
import { acsOf, audienceOf, issuerOf, type SamlService } from "./home.ts";
import { buildResponse } from "./response.ts";
import { type ResponseOptions, SECRET } from "./response_options.ts";

/** Writes the document of a login, given the content of a valid one. */
export type Write = (right: ResponseOptions) => string;

/** Where a login is attempted. */
export interface Place {
  readonly service: SamlService;
  /** The provider's id, and its key. */
  readonly id: string;
  readonly key: Identity;
}

/** The result of a login in a browser that had a session of `bert`. */
export interface Attempt extends Landing {
  /** The user of the old session's cookie afterwards. */
  readonly previous: string;
  /** The log's entry about it. */
  readonly logged: string;
  /** The page that the login was begun on. */
  readonly next: string;
}

/** Where logins of these tests lead. */
export const NEXT = "/db/Demo.html";

/** The content of a valid response to this request. */
export function rightAnswer(
  { service: { origin }, id, key }: Place,
  begun: Pick<Begun, "id">,
): ResponseOptions {
  return {
    key,
    inResponseTo: begun.id,
    issuer: issuerOf(id),
    acs: acsOf(origin, id),
    audience: audienceOf(origin, id),
  };
}

/** A whole login, with the document that `write` makes. */
export async function attempt(place: Place, write: Write): Promise<Attempt> {
  return await attemptWith(place, async (browser, right, { relayState }) => {
    return await browser.bring(place.id, write(right), relayState);
  });
}

/** A whole login, of which the test does the second half. */
export async function attemptWith(
  place: Place,
  finish: (browser: SsoBrowser, right: ResponseOptions, begun: Begun) => Promise<Landing>,
): Promise<Attempt> {
  const browser = new SsoBrowser(place.service);
  const cookie = await browser.openSession();
  assert.equal(await browser.whoAmI(), "bert");
  const before = (await place.service.log()).length;
  const begun = await browser.begin(place.id, NEXT);
  const landing = await finish(browser, rightAnswer(place, begun), begun);
  const previous = await whoHas(place.service, `auth_tkt=${cookie}`);
  const logged = (await place.service.log()).slice(before);
  return { ...landing, previous, logged, next: NEXT };
}

/** The login opened a session of this user, on the page where it was begun. */
export function assertAccepted(attempt: Attempt, user = "anna"): void {
  assert.equal(attempt.user, user, `refused: ${attempt.logged}`);
  assert.equal(attempt.path, attempt.next);
  assertDiscreet(attempt);
}

/**
 * Asserts that no user is logged in, the login page shows the reason, and nothing of the document is shown.
 */
export function assertRefused(attempt: Attempt, reason?: RegExp): void {
  assert.equal(attempt.user, "public", "nobody is logged in");
  assert.equal(attempt.previous, "public", "the old session has ended");
  assert.equal(isLogin(attempt), true, `it leads to ${attempt.path} with status ${attempt.status}`);
  assert.equal(attempt.text.includes(`value="${attempt.next}"`), true, "the last page is kept");
  assert.match(problemOf(attempt), /Provider [\w-]+ /);
  assert.match(attempt.logged, /refused/);
  if (reason) assert.match(attempt.logged, reason);
  assertDiscreet(attempt);
}

/** The problem on the login page. */
export function problemOf({ text }: Pick<Attempt, "text">): string {
  return /role="alert"[^>]*>(?:<[^>]+>)*([^<]*)/.exec(text)?.[1] ?? "";
}

/** A document of these tests in a log or an answer would show one of these. */
const REVEALING = [SECRET, "@example.com", "saml:", "samlp:", "-----BEGIN"];

/** The log and the answer contain no part of the document. */
export function assertDiscreet(attempt: Pick<Attempt, "text" | "logged" | "hops">): void {
  const { logged, hops } = attempt;
  const problem = problemOf(attempt);
  // Only the person whom the provider has logged in sees the name that it gave.
  const text = problem.includes("says that you are") ? attempt.text.replace(problem, "") : attempt.text;
  for (const each of REVEALING) {
    assert.equal(text.includes(each), false, `the page shows ${each}`);
    assert.equal(logged.includes(each), false, `the log shows ${each}: ${logged}`);
    assert.equal(hops.join().includes(each), false, `an address shows ${each}`);
  }
}

/** The right document is accepted, and the one that `write` makes of it is refused. */
export async function assertAttackFails(place: Place, write: Write, reason?: RegExp): Promise<void> {
  assertAccepted(await attempt(place, (right) => buildResponse(right)));
  assertRefused(await attempt(place, write), reason);
}
