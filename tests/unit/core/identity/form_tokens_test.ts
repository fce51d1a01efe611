import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { FormTokens } from "@/core/identity/sessions/csrf_tokens.ts";

const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);

function sender(cookie?: string, isHttps = false) {
  return { headers: new Headers(cookie === undefined ? {} : { cookie }), client: clientOf({ isHttps }) };
}

function issued(tokens: FormTokens) {
  const { token, cookies: [cookie = ""] } = tokens.issue(sender());
  return { token, cookie: cookie.split(";", 1)[0] ?? "" };
}

Deno.test("a token fits the browser that it was issued to, and no other", () => {
  const tokens = new FormTokens([KEY], "");
  const [mine, other] = [issued(tokens), issued(tokens)];
  assert.equal(tokens.fits(mine.token, sender(mine.cookie)), true);
  assert.equal(tokens.fits(mine.token, sender(other.cookie)), false);
  assert.equal(tokens.fits(mine.token, sender()), false);
  assert.equal(tokens.fits(undefined, sender(mine.cookie)), false);
  assert.equal(tokens.fits("", sender(mine.cookie)), false);
});

Deno.test("the cookie alone makes no token", () => {
  const tokens = new FormTokens([KEY], "");
  const { cookie } = issued(tokens);
  const nonce = cookie.slice(cookie.indexOf("=") + 1);
  assert.equal(tokens.fits(nonce, sender(cookie)), false);
  assert.equal(
    new FormTokens([OTHER], "").fits(issued(tokens).token, sender(cookie)),
    false,
  );
});

Deno.test("a token survives a change of the secret while the previous one is known", () => {
  const { token, cookie } = issued(new FormTokens([KEY], ""));
  const changed = new FormTokens([OTHER, KEY], "");
  assert.equal(changed.fits(token, sender(cookie)), true);
  assert.equal(new FormTokens([OTHER], "").fits(token, sender(cookie)), false);
});

Deno.test("a browser keeps its cookie, so that two pages can be open", () => {
  const tokens = new FormTokens([KEY], "");
  const { token, cookie } = issued(tokens);
  assert.deepEqual(tokens.issue(sender(`theme=dark; ${cookie}`)), { token, cookies: [] });
});

for (const cookie of ["auth_csrf=", "auth_csrf=short", `auth_csrf=${"a".repeat(23)}`, "auth_csrf=..%00"]) {
  Deno.test(`the cookie ${cookie} is replaced`, () => {
    assert.equal(new FormTokens([KEY], "").issue(sender(cookie)).cookies.length, 1);
  });
}

Deno.test("attack: over HTTPS no other host of the domain plants a token with its cookie", () => {
  const tokens = new FormTokens([KEY], "");
  const { token, cookies: [cookie = ""] } = tokens.issue(sender(undefined, true));
  assert.match(cookie, /^__Host-auth_csrf=[\w-]{22}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const [own = ""] = cookie.split(";", 1);
  assert.equal(tokens.fits(token, sender(own, true)), true);
  assert.equal(tokens.fits(token, sender(own.replace("__Host-", ""), true)), false);
});

Deno.test("the cookie is hidden from scripts, is sent below the prefix, and over HTTPS where that is used", () => {
  const [plain] = new FormTokens([KEY], "").issue(sender()).cookies;
  assert.match(plain ?? "", /^auth_csrf=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax$/);
  const [secure] = new FormTokens([KEY], "/api").issue(sender(undefined, true)).cookies;
  assert.match(secure ?? "", /^auth_csrf=[\w-]{22}; Path=\/api; HttpOnly; Secure; SameSite=Lax$/);
});
