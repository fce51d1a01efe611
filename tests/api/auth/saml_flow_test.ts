import assert from "node:assert/strict";
import {
  assertAccepted,
  assertRefused,
  attempt,
  attemptWith,
  NEXT,
  type Place,
  problemOf,
  rightAnswer,
} from "./saml/attempt.ts";
import { readBegun, SsoBrowser, whoHas } from "./saml/browser.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { BERTS_KEY, blockOf, sharedSaml } from "./saml/home.ts";
import { buildResponse } from "./saml/response.ts";
import { SECRET } from "./saml/response_options.ts";

const key = await makeIdentity("provider");
const ODD_ID = "A-Z:a@0_9~";
const running = sharedSaml({
  providers: (origin) => ({
    acme: blockOf(origin, "acme", { key }),
    hidden: blockOf(origin, "hidden", { key, block: { gui: { visible: false } } }),
    flat: blockOf(origin, "flat", { key, block: { "gui.visible": false } }),
    off: blockOf(origin, "off", { key, block: { enabled: false } }),
    [ODD_ID]: oddBlock(origin),
    "no good id": blockOf(origin, "bad", { key }),
  }),
});
const at = (id = "acme"): Place => ({ service: running(), id, key });

/** The provider whose id has every character that an id may have. */
function oddBlock(origin: string) {
  const sp = { assertionConsumerService: { url: `${origin}/sso/callback/saml/${ODD_ID}` } };
  return blockOf(origin, "odd", { key, sp });
}

Deno.test("a login opens a session, and leads to the last page", async () => {
  const result = await attempt(at(), (right) => buildResponse(right));
  assertAccepted(result);
  const [post, note, last, ...more] = result.hops;
  assert.equal(post, "/sso/callback/saml/acme");
  assert.match(note ?? "", /^\/sso\/callback\/saml\/acme\?note=[\w-]+$/);
  assert.deepEqual([last, ...more], [NEXT]);
  assert.match(result.logged, /A login of "anna" by saml from 127\.0\.0\.1: success: identity provider acme/);
});

Deno.test("a login ends the session that there was before", async () => {
  const result = await attempt(at(), (right) => buildResponse(right));
  assert.equal(result.previous, "public");
});

Deno.test("a login that was begun in another tab, or at another provider, goes on when an earlier one is answered", async () => {
  for (const first of ["acme", "hidden"]) {
    const browser = new SsoBrowser(running());
    const earlier = await browser.begin(first, "/db.html");
    const later = await browser.begin("acme", NEXT);
    const stale = await browser.bring(first, buildResponse(rightAnswer(at(first), earlier)));
    assert.equal(stale.user, "public");
    assert.match(
      problemOf(stale),
      /^The answer of Provider \w+ is not for the login that this browser has begun last: /,
    );
    const landing = await browser.bring("acme", buildResponse(rightAnswer(at(), later)));
    assert.deepEqual([landing.user, landing.path], ["anna", NEXT]);
  }
});

Deno.test("what a login leaves in the browser is sealed, for a while, and for no script", async () => {
  const browser = new SsoBrowser(running());
  const answer = await browser.get("/login/saml?idp_id=acme");
  assert.equal(answer.status, 302);
  assert.match(answer.headers.get("cache-control") ?? "", /no-store|no-cache/);
  const cookies = answer.headers.getSetCookie();
  assert.equal(cookies.length, 1);
  assert.match(cookies[0] ?? "", /^auth_saml=[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
  const { id } = await browser.begin("acme");
  assert.equal((browser.cookies.get("auth_saml") ?? "").includes(id), false);
});

Deno.test("what a login leaves in the browser is gone afterwards", async () => {
  for (const signs of [["assertion"], []] as const) {
    const browser = new SsoBrowser(running());
    const begun = await browser.begin("acme", NEXT);
    await browser.bring("acme", buildResponse({ ...rightAnswer(at(), begun), signs }), begun.relayState);
    assert.equal(browser.cookies.has("auth_saml"), false);
  }
});

Deno.test("ids of requests are random, and are not said to anybody but the provider", async () => {
  const browser = new SsoBrowser(running());
  const ids = new Set<string>();
  for (let index = 0; index < 3; index++) {
    const { id, relayState = "" } = await browser.begin("acme");
    assert.match(id, /^_[\w.-]{20,}$/);
    assert.equal(relayState.length <= 80, true, "RelayState has 80 bytes at most");
    ids.add(id);
  }
  assert.equal(ids.size, 3);
});

Deno.test("an id of every character that ids may have works", async () => {
  const browser = new SsoBrowser(running());
  const begun = await browser.begin(ODD_ID, NEXT);
  const right = { ...rightAnswer(at("odd"), begun), acs: `${running().origin}/sso/callback/saml/${ODD_ID}` };
  const landing = await browser.bring(encodeURIComponent(ODD_ID), buildResponse(right), begun.relayState);
  assert.deepEqual([landing.user, landing.path], ["anna", NEXT]);
});

Deno.test("an id of other characters is named in the log and left out", async () => {
  const log = await running().log();
  assert.match(log, /auth\.cfg: authentication_policies\.saml\.identity_providers\.no good id/);
  const { status } = await new SsoBrowser(running()).get("/login/saml?idp_id=no+good+id");
  assert.equal(status, 404);
});

Deno.test("the login page has a button for each visible provider, and settings name them", async () => {
  const page = await new SsoBrowser(running()).get("/login");
  const labels = [...page.text.matchAll(/Log in with Provider (\w+)</g)].map(([, name]) => name);
  assert.deepEqual(labels, ["acme", "odd"]);
  const settings = await (await running().fetch("/settings.json")).json();
  const { saml } = settings.auth_settings.authentication_policies;
  assert.deepEqual(Object.keys(saml.identity_providers), ["acme", ODD_ID]);
  assert.equal(saml.identity_providers.acme.idp_name, "Provider acme");
  assert.equal(JSON.stringify(settings).includes(key.certificate), false);
});

Deno.test("a hidden provider works, one that is off does not", async () => {
  for (const id of ["hidden", "flat"]) {
    assertAccepted(await attempt(at(id), (right) => buildResponse(right)));
  }
  const browser = new SsoBrowser(running());
  for (const id of ["off", "nobody", "", "__proto__"]) {
    assert.equal((await browser.get(`/login/saml?idp_id=${id}`)).status, 404, id);
  }
  assert.equal((await browser.get("/sso/metadata/saml/off.xml")).status, 404);
  assert.equal((await browser.sendForm("/sso/callback/saml/off", { SAMLResponse: "x" })).status, 404);
});

Deno.test("attack: a page of another site cannot log anybody out with an answer to nothing", async () => {
  const victim = new SsoBrowser(running());
  const cookie = await victim.openSession();
  for (const document of ["x", buildResponse({ ...rightAnswer(at(), { id: "_nothing" }) })]) {
    const landing = await victim.bring("acme", document);
    assert.equal(landing.user, "bert");
    assert.equal(await whoHas(running(), `auth_tkt=${cookie}`), "bert");
  }
});

Deno.test("attack: nor can it where browsers do not tell the site, as without TLS; a page of this service can", async () => {
  const cookie = `auth_tkt=${await new SsoBrowser(running()).openSession()}`;
  const arrive = async (headers: Readonly<Record<string, string>>) => {
    const init = { headers: { Accept: "text/html", Cookie: cookie, ...headers } };
    await (await running().fetch("/sso/callback/saml/acme?note=x", init)).body?.cancel();
    return await whoHas(running(), cookie);
  };
  assert.equal(await arrive({}), "bert");
  assert.equal(await arrive({ Referer: "https://evil.example/" }), "bert");
  assert.equal(await arrive({ "Sec-Fetch-Site": "same-origin" }), "public");
});

Deno.test("attack: a note that HEAD looks at, or that comes as one of a logout, is not used up and opens nothing", async () => {
  const result = await attemptWith(at(), async (browser, right, begun) => {
    const fields = {
      SAMLResponse: new TextEncoder().encode(buildResponse(right)).toBase64(),
      RelayState: begun.relayState ?? "",
    };
    const answer = await browser.sendForm("/sso/callback/saml/acme", fields);
    const note = answer.headers.get("location") ?? "";
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const head = await running().fetch(note, {
      method: "HEAD",
      headers: { Accept: "text/html", Cookie: cookie },
    });
    assert.equal(head.headers.getSetCookie().some((each) => each.startsWith("auth_tkt=")), false);
    const logout = await browser.arrive(note.replace("/callback/", "/logout/"));
    assert.match(logout.headers.get("warning") ?? "", /about logging out is not valid here/);
    return await browser.follow(note, await browser.arrive(note));
  });
  assertAccepted(result);
});

Deno.test("a failure leads to the login page whatever the client accepts, with the reason", async () => {
  const browser = new SsoBrowser(running());
  const begun = await browser.begin("acme");
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const wrong = buildResponse({ ...rightAnswer(at(), begun), signs: [] });
  const headers = { Accept: "application/json" };
  const posted = await running().fetch("/sso/callback/saml/acme", {
    method: "POST",
    headers,
    body: new URLSearchParams({
      SAMLResponse: new TextEncoder().encode(wrong).toBase64(),
      RelayState: begun.relayState ?? "",
    }),
  });
  await posted.body?.cancel();
  const note = posted.headers.get("location");
  const answer = note === null
    ? posted
    : await running().fetch(note, { headers: { ...headers, Cookie: cookie } });
  await answer.body?.cancel();
  assert.equal(answer.status, 303);
  assert.match(answer.headers.get("location") ?? "", /^\/login\?next=/);
  const warning = answer.headers.get("warning") ?? "";
  assert.match(warning, /^The answer of Provider acme is not valid \(request /);
  assert.equal(warning.includes(SECRET), false);
});

/** Brings a response from a page of the same site, where browsers send this service's cookies along. */
async function bringFromSameSite(changes: Partial<Parameters<typeof buildResponse>[0]> = {}) {
  const browser = new SsoBrowser(running());
  const begun = await browser.begin("acme", NEXT);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const document = buildResponse({ ...rightAnswer(at(), begun), ...changes });
  const answer = await running().fetch("/sso/callback/saml/acme", {
    method: "POST",
    headers: { Cookie: cookie, "Sec-Fetch-Site": "same-site" },
    body: new URLSearchParams({ SAMLResponse: new TextEncoder().encode(document).toBase64() }),
  });
  await answer.body?.cancel();
  return answer;
}

Deno.test("a response that brings the browser's cookies along completes the login at once", async () => {
  const answer = await bringFromSameSite();
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, NEXT]);
  const [session = "", flow = ""] = answer.headers.getSetCookie();
  assert.equal(await whoHas(running(), session.split(";", 1).join()), "anna");
  assert.match(flow, /^auth_saml=; Max-Age=0/);
});

Deno.test("a wrong response that brings them along leads to the login page at once, and is logged once", async () => {
  const before = (await running().log()).length;
  const answer = await bringFromSameSite({ signs: [] });
  assert.equal(answer.status, 303);
  assert.match(answer.headers.get("location") ?? "", /^\/login\?next=/);
  assert.equal(answer.headers.getSetCookie().some((each) => /^auth_tkt=[^;]/.test(each)), false);
  const logged = (await running().log()).slice(before);
  assert.equal(logged.match(/A login by saml from 127\.0\.0\.1: refused/g)?.length, 1);
});

Deno.test("a form without a response leads to the login page", async () => {
  for (const body of [new URLSearchParams({ RelayState: "x" }), new URLSearchParams()]) {
    const answer = await running().fetch("/sso/callback/saml/acme", { method: "POST", body });
    await answer.body?.cancel();
    assert.equal(answer.status, 303);
    assert.match(answer.headers.get("location") ?? "", /^\/login\?next=/);
    assert.match(answer.headers.get("warning") ?? "", /SAMLResponse/);
  }
});

Deno.test("the words of a failure cannot be put into the login page by anybody else", async () => {
  const browser = new SsoBrowser(running());
  for (const problem of ["Call 555-0100 and tell your password", "x".repeat(3000)]) {
    const { text, status } = await browser.get(`/login?${new URLSearchParams({ problem })}`);
    assert.equal(problemOf({ text }), "");
    assert.equal(text.includes(problem), false);
    assert.equal(status < 500, true);
  }
});

Deno.test("who has a session of SAML has the rights of its user, and logs out like everybody", async () => {
  const browser = new SsoBrowser(running());
  const begun = await browser.begin("acme", NEXT);
  await browser.bring("acme", buildResponse(rightAnswer(at(), begun)), begun.relayState);
  const page = await browser.get("/db/Demo.html");
  assert.equal(page.status, 200);
  assert.equal((await browser.get(`/userdef/bert.json`, { Accept: "application/json" })).status, 403);
  const left = await browser.get("/logout");
  assert.deepEqual([left.status, left.headers.get("location")], [302, "/"]);
  assert.equal(await browser.whoAmI(), "public");
});

Deno.test("other methods work beside it", async () => {
  const answer = await running().fetch("/settings.json", { headers: { apikey: BERTS_KEY } });
  assert.equal((await answer.json()).user, "bert");
});

Deno.test("a login that began at the provider begins one here, which leads where RelayState says", async () => {
  const browser = new SsoBrowser(running());
  const tile = buildResponse({ ...rightAnswer(at(), { id: "" }), inResponseTo: null });
  const bring = async (relayState?: string) => {
    const fields = {
      SAMLResponse: new TextEncoder().encode(tile).toBase64(),
      ...(relayState ? { RelayState: relayState } : {}),
    };
    const sent = await browser.sendForm("/sso/callback/saml/acme", fields);
    return await browser.arrive(sent.headers.get("location") ?? "");
  };
  const begun = readBegun(await bring("/db/Demo/Album.html"));
  assert.equal(begun.destination, "https://acme.idp.example/sso");
  assert.equal(await browser.whoAmI(), "public", "the first answer opens nothing");
  const landing = await browser.bring("acme", buildResponse(rightAnswer(at(), begun)));
  assert.deepEqual([landing.user, landing.path], ["anna", "/db/Demo/Album.html"]);
  const elsewhere = readBegun(await bring("https://evil.example/"));
  const home = await browser.bring("acme", buildResponse(rightAnswer(at(), elsewhere)));
  assert.equal(home.path, "/", "RelayState leads to paths of this service only");
});

Deno.test("a provider that answers a login begun here with one that nobody asked for is not asked for ever", async () => {
  const browser = new SsoBrowser(running());
  const tile = buildResponse({ ...rightAnswer(at(), { id: "" }), inResponseTo: null });
  const bring = () => browser.bring("acme", tile);
  assert.match((await bring()).headers.get("location") ?? "", /^https:\/\/acme\.idp\.example\/sso\?/);
  assert.match((await bring()).path, /^\/login\?/);
  assert.match((await bring()).headers.get("location") ?? "", /^https:\/\/acme\.idp\.example\/sso\?/);
});

Deno.test("attack: what nobody asked for and the provider has not signed begins nothing", async () => {
  const browser = new SsoBrowser(running());
  const attacker = await makeIdentity("attacker");
  for (const changes of [{ signs: [] }, { key: attacker }]) {
    const document = buildResponse({ ...rightAnswer(at(), { id: "" }), inResponseTo: null, ...changes });
    assert.match((await browser.bring("acme", document)).path, /^\/login\?/);
    assert.equal(browser.cookies.has("auth_saml"), false);
  }
});

Deno.test("a page of another site begins a login only where there is no session", async () => {
  const browser = new SsoBrowser(running());
  const path = `/login/saml?${new URLSearchParams({ idp_id: "acme", next: NEXT })}`;
  assert.equal(readBegun(await browser.arrive(path)).destination, "https://acme.idp.example/sso");
  await browser.openSession();
  const answer = await browser.arrive(path);
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, NEXT]);
  assert.equal(await browser.whoAmI(), "bert");
});

Deno.test("a document that does not fit the schema is logged with the name of the element, and no value", async () => {
  const unfit = (change: (xml: string) => string) => (right: Parameters<typeof buildResponse>[0]) =>
    buildResponse({ ...right, beforeSigning: change });
  const cases = [
    [unfit((xml) => xml.replace("<saml:Conditions", "<saml:Unknown/><saml:Conditions")), "element Unknown"],
    [
      unfit((xml) => xml.replace(/ AuthnInstant="[^"]*"/, ` AuthnInstant="${SECRET}"`)),
      "attribute AuthnInstant of element AuthnStatement",
    ],
  ] as const;
  for (const [write, place] of cases) {
    const result = await attempt(at(), write);
    assertRefused(result, new RegExp(`does not fit the schema: ${place}`));
  }
});
