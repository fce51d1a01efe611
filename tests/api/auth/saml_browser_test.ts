import assert from "node:assert/strict";
import { HAS_CHROMIUM } from "@/tests/support/chromium.ts";
import { type ChromiumPage, startChromium } from "./saml/chromium_page.ts";
import { type Both, sharedPartner } from "./saml/partner_home.ts";

/** From the page where one was, over the login page, to the button of a provider. */
async function clickButton(page: ChromiumPage, { service }: Both, id: string): Promise<void> {
  await page.open(`${service.origin}/login?next=%2Fdb%2FDemo.html`);
  await page.until(/\/login\?/);
  await page.click("a", `Log in with ${id}`);
}

/** The user of the browser's session. */
async function userIn(page: ChromiumPage, { service: { origin } }: Both): Promise<string> {
  await page.open(`${origin}/settings.json`);
  return JSON.parse(await page.until(/\/settings\.json$/)).user;
}

const running = sharedPartner({ host: "localhost" });

// The provider is at another site: cookies stay behind where browsers hold them back.
Deno.test({
  name: "Chromium logs in and out at a provider of another site",
  ignore: !HAS_CHROMIUM,
  async fn(test) {
    const both = running();
    await using page = await startChromium();
    const { origin } = both.service;
    const last = new RegExp(`^${origin}/db/Demo\\.html`);

    for (const [id, binding] of [["redirect", "redirect"], ["post", "post"]] as const) {
      await test.step(`a request by ${binding} ends on the last page, with a session`, async () => {
        await using _ = both.fresh();
        await clickButton(page, both, id);
        assert.match(await page.until(last), /Demo/);
        assert.equal(await userIn(page, both), "anna");
        assert.deepEqual(both.partner.received, [`/sso SAMLRequest ${binding}`]);
        assert.equal(await page.evaluate("document.cookie"), "", "no script can read the cookies");

        both.partner.received.length = 0;
        await page.open(`${origin}/logout`);
        await page.until(new RegExp(`^${origin}/$`));
        assert.equal(await userIn(page, both), "public");
        assert.deepEqual(both.partner.received, [`/slo SAMLRequest ${binding}`]);
        assert.deepEqual(both.partner.participants, []);
      });

      await test.step(`logging out at the provider by ${binding} logs out here`, async () => {
        await using _ = both.fresh();
        both.partner.logoutBinding = binding;
        await clickButton(page, both, id);
        await page.until(last);
        assert.equal(await userIn(page, both), "anna");
        await page.open(`${both.partner.url}/slo`);
        await page.until(new RegExp(`^${both.partner.url}/slo`));
        await both.partner.until("/slo SAMLResponse");
        assert.equal(await userIn(page, both), "public");
        assert.deepEqual(both.partner.participants, []);
      });
    }

    await test.step("a login that is given up ends the session, on the login page with the words", async () => {
      await using _ = both.fresh();
      await clickButton(page, both, "redirect");
      await page.until(last);
      assert.equal(await userIn(page, both), "anna");
      both.partner.account = undefined;
      await clickButton(page, both, "redirect");
      const text = await page.until(new RegExp(`^${origin}/login\\?(?=.*problem=).*next=`));
      assert.match(text, /The login at redirect /);
      assert.match(text, /Log in with redirect/);
      const here = String(await page.evaluate("location.href"));
      assert.equal(await userIn(page, both), "public");
      both.partner.account = "anna@example.com";
      await page.open(here);
      await page.until(/\/login\?/);
      await page.click("a", "Log in with post");
      await page.until(last);
      assert.equal(await userIn(page, both), "anna", "the next attempt leads to the last page, too");
    });
  },
});

Deno.test({
  name: "Chromium without scripts logs in by POST with a button",
  ignore: !HAS_CHROMIUM,
  async fn() {
    const both = running();
    await using _ = both.fresh();
    await using page = await startChromium({ scripts: false });
    const { origin } = both.service;
    await page.open(`${origin}/login/saml?idp_id=post&next=%2Fdb%2FDemo.html`);
    await page.until(/\/login\/saml/);
    assert.deepEqual(both.partner.received, [], "nothing is sent by itself");
    await page.press("form button, form input[type=submit]");
    await page.until(/\/sso$/);
    await page.press("input[type=submit]");
    await page.until(new RegExp(`^${origin}/db/Demo\\.html`));
    assert.deepEqual(both.partner.received, ["/sso SAMLRequest post"]);
  },
});
