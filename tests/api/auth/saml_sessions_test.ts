import assert from "node:assert/strict";
import { HAS_MEMCACHED, startMemcached, type TestCache } from "@/tests/support/memcached.ts";
import { NEXT, rightAnswer } from "./saml/attempt.ts";
import { readBegun, SsoBrowser } from "./saml/browser.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { blockOf, issuerOf, signOffOf, startSaml } from "./saml/home.ts";
import { logoutRequest } from "./saml/logout.ts";
import { queryOf } from "./saml/query_signature.ts";
import { buildResponse, newId } from "./saml/response.ts";
import type { ResponseOptions } from "./saml/response_options.ts";

const key = await makeIdentity("provider");

/** Places for sessions, with the lines of service.ini for them. */
const PLACES:
  readonly (readonly [place: string, ini: (cache: TestCache | undefined) => readonly string[]])[] = [
    ["files", () => ["session.type = file"]],
    ["cookies", () => ["session.type = cookie", "session.secret = 0123456789abcdef0123456789abcdef01234567"]],
    ["memcached", (cache) => [
      "session.type = ext:memcached",
      `memcached_server = ${cache?.address}`,
      "session.secret = 0123456789abcdef0123456789abcdef01234567",
    ]],
  ];

for (const [place, ini] of PLACES) {
  const needsCache = place === "memcached";
  Deno.test({
    name: `sessions in ${place} know how they are ended at the provider`,
    ignore: needsCache && !HAS_MEMCACHED,
    async fn() {
      await using cache = needsCache ? await startMemcached() : undefined;
      await using service = await startSaml({
        ini: ini(cache),
        providers: (origin) => ({
          acme: blockOf(origin, "acme", {
            key,
            idp: { singleLogoutService: { url: signOffOf("acme") } },
            block: { saml_auth_attribute: "mail" },
          }),
        }),
      });
      const logIn = async (changes: Partial<ResponseOptions>) => {
        const browser = new SsoBrowser(service);
        const begun = await browser.begin("acme", NEXT);
        const right = rightAnswer({ service, id: "acme", key }, begun);
        const attributes = [{ name: "mail", values: ["anna@example.com"] }];
        const document = buildResponse({ ...right, attributes, ...changes });
        const landing = await browser.bring("acme", document, begun.relayState);
        assert.equal(landing.user, "anna");
        const size = browser.cookies.get("auth_tkt")?.length ?? 0;
        assert.equal(size > 0 && size < 4_000, true, `the cookie has ${size} characters`);
        return browser;
      };

      const nameId = `${"ö".repeat(200)}&<>"@example.com`;
      const sessionIndex = newId().repeat(5);
      const { request } = readBegun(await (await logIn({ nameId, sessionIndex })).get("/logout"));
      assert.equal(
        /<[\w:]*NameID[^>]*>([^<]*)</.exec(request)?.[1],
        nameId.replace('&<>"', "&amp;&lt;&gt;&quot;"),
      );
      assert.equal(/SessionIndex>([^<]*)</.exec(request)?.[1], sessionIndex);

      const browsers = [await logIn({ nameId: "anna at acme" }), await logIn({ nameId: "anna at acme" })];
      const order = logoutRequest({
        issuer: issuerOf("acme"),
        destination: `${service.origin}/sso/logout/saml/acme`,
        nameId: "anna at acme",
      });
      const answer = await browsers[0]?.arrive(
        `/sso/logout/saml/acme?${queryOf("SAMLRequest", order, { key })}`,
      );
      assert.ok(answer);
      assert.equal(
        readBegun(answer).request.includes(":status:PartialLogout"),
        place === "cookies",
        "the provider is told what the service cannot end",
      );
      const left = await Promise.all(browsers.map((browser) => browser.whoAmI()));
      assert.deepEqual(left, ["public", place === "cookies" ? "anna" : "public"]);

      const long = await logIn({ nameId: "x".repeat(5_000) });
      const leaving = await long.get("/logout");
      assert.deepEqual([leaving.status, leaving.headers.get("location")], [302, "/"], "it ends here only");
      assert.match(await service.log(), /cannot be ended/);
    },
  });
}
