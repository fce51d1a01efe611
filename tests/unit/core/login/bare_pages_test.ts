import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { type Sending, sendingPage } from "@/core/login/bare_pages.ts";

function policyOf(sending: Sending): string {
  return sendingPage(sending).headers.get("content-security-policy") ?? "";
}

Deno.test("the page has a form for the other server, a script that sends it, and a button without scripts", async () => {
  const response = sendingPage({
    to: "https://idp.example/sso?a=1&b=2",
    fields: { SAMLRequest: "PHg+", RelayState: "x" },
  });
  const html = await response.text();
  assert.match(html, /<form method="post" action="https:\/\/idp\.example\/sso\?a=1&amp;b=2">/);
  assert.match(html, /<input type="hidden" name="SAMLRequest" value="PHg\+">/);
  assert.match(html, /<input type="hidden" name="RelayState" value="x">/);
  assert.match(html, /<noscript><button>Go on<\/button><\/noscript>/);
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(html) ?? [];
  assert.equal(
    response.headers.get("content-security-policy"),
    `default-src 'none'; script-src 'sha256-${hash("sha256", script, "base64")}'; form-action https:; ` +
      "base-uri 'none'; frame-ancestors 'none'",
  );
});

Deno.test("attack: nothing in an address or a field becomes markup", async () => {
  const hostile = '"><script>alert(1)</script>&<!--';
  const response = sendingPage({ to: `https://idp.example/${hostile}`, fields: { [hostile]: hostile } });
  const html = await response.text();
  assert.equal(html.match(/<script>/g)?.length, 1);
  assert.equal(html.includes("<!--"), false);
  assert.match(html, /name="&quot;>&lt;script>alert\(1\)&lt;\/script>&amp;&lt;!--"/);
});

Deno.test("a form to a server without TLS may lead on to one with it", () => {
  assert.match(
    policyOf({ to: "http://127.0.0.1:8080/sso", fields: {} }),
    /; form-action http: https:; /,
  );
});

Deno.test("a form stands in frames of other sites only where that is wanted", () => {
  const sending = { to: "https://idp.example/slo", fields: {} };
  assert.match(policyOf(sending), /frame-ancestors 'none'$/);
  assert.match(policyOf({ ...sending, inFrame: true }), /frame-ancestors https:$/);
});
