import assert from "node:assert/strict";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import type { AuthHost } from "@/plugins/contract.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { logIn, makeSubject, rightMetadata, xmlOf } from "./saml/method.ts";
import type { ResponseOptions } from "./saml/response_options.ts";

const key = await makeIdentity("provider");
const INVALID =
  "forbidden: The answer of Provider acme is not valid (request request-1): try again, or tell the administrator";
const EXPIRED = "forbidden: The login at Provider acme has expired: try again";
const answer = () => xmlOf(rightMetadata(key));

/**
 * Moments as seconds from now, with clocks that may differ by 60 seconds: the
 * last good one, the first bad one.
 */
const EDGES: readonly (readonly [
  what: string,
  make: (at: number) => Partial<ResponseOptions>,
  good: number,
  bad: number,
])[] = [
  ["the end of the conditions", (at) => ({ notOnOrAfter: at }), -59.999, -60],
  ["the beginning of the conditions", (at) => ({ notBefore: at }), 60, 60.001],
  ["the end of the confirmation", (at) => ({ confirmedUntil: at }), -59.999, -60],
  ["the end of the session", (at) => ({ sessionUntil: at }), -59.999, -60],
];

for (const [what, make, good, bad] of EDGES) {
  Deno.test(`${what} is right up to clock_skew, and wrong beyond it`, async () => {
    await using subject = await makeSubject({ answer });
    assert.equal(await logIn(subject, key, () => make(good)), "anna");
    const isEarly = what === "the beginning of the conditions";
    assert.equal(await logIn(subject, key, () => make(bad)), isEarly ? INVALID : EXPIRED);
  });
}

Deno.test("without clock_skew moments are what they say", async () => {
  await using subject = await makeSubject({ answer, skew: 0 });
  assert.equal(await logIn(subject, key, () => ({ notBefore: 0, notOnOrAfter: 0.001 })), "anna");
  assert.equal(await logIn(subject, key, () => ({ notOnOrAfter: 0 })), EXPIRED);
  assert.equal(await logIn(subject, key, () => ({ notBefore: 0.001 })), INVALID);
});

Deno.test("a moment may have another zone", async () => {
  await using subject = await makeSubject({ answer });
  const shifted = (hours: number) => (xml: string) =>
    xml.replace(/ NotOnOrAfter="([^"]*)Z"(?=>)/, (_, time: string) => {
      const local = new Date(Date.parse(`${time}Z`) + hours * 3_600_000).toISOString().slice(0, -1);
      return ` NotOnOrAfter="${local}+0${hours}:00"`;
    });
  assert.equal(await logIn(subject, key, () => ({ beforeSigning: shifted(2) })), "anna");
  const past = { notOnOrAfter: -3_600, beforeSigning: shifted(2) };
  assert.equal(await logIn(subject, key, () => past), EXPIRED);
});

Deno.test("people have a quarter of an hour at the provider", async () => {
  await using subject = await makeSubject({ answer });
  assert.equal(await logIn(subject, key, undefined, { atProvider: () => subject.pass(890) }), "anna");
  const late = await logIn(subject, key, undefined, { atProvider: () => subject.pass(901) });
  assert.match(
    late,
    /^forbidden: The login at Provider acme has expired, or was not begun in this browser/,
  );
});

Deno.test("a browser has a minute to bring its note", async () => {
  await using subject = await makeSubject({ answer });
  assert.equal(await logIn(subject, key, undefined, { onTheWay: () => subject.pass(55) }), "anna");
  assert.equal(await logIn(subject, key, undefined, { onTheWay: () => subject.pass(61) }), EXPIRED);
});

Deno.test("a session ends when the provider says, and as much later as clocks may differ", async () => {
  const ends: (number | undefined)[] = [];
  const open: AuthHost["sessions"]["open"] = (_user, _request, options) => {
    ends.push(options?.endsAt);
    return Promise.resolve([]);
  };
  await using subject = await makeSubject({ answer, host: { sessions: { ...hostOf().sessions, open } } });
  await logIn(subject, key);
  await logIn(subject, key, () => ({ sessionUntil: 300 }));
  assert.deepEqual(ends, [undefined, subject.now() + 360_000]);
});
