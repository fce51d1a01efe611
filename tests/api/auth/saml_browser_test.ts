import assert from "node:assert/strict";
import { arrive, browserTest, type Page, sharedBrowser, SIGHTS } from "@/tests/support/browser/chromium.ts";
import { type Both, sharedPartner } from "./saml/partner_home.ts";

async function click(page: Page, text: string): Promise<void> {
  const found = await page.$(`a::-p-text(${text})`);
  assert.ok(found, `There is no link with "${text}"`);
  await found.click();
}

/** From the page where one was, over the login page, to the button of a provider. */
async function clickButton(page: Page, { service }: Both, id: string): Promise<void> {
  await page.goto(`${service.origin}/login?next=%2Fdb%2FDemo.html`);
  await click(page, `Log in with ${id}`);
}

/** The user of the browser's session. */
async function userIn(page: Page, { service: { origin } }: Both): Promise<string> {
  const answer = await page.goto(`${origin}/settings.json`);
  return (await answer?.json()).user;
}

const running = sharedPartner({ host: "localhost" });
const browser = sharedBrowser();

// The provider is at another site: cookies stay behind where browsers hold them back.
browserTest("Chromium logs in and out at a provider of another site", async (test) => {
  const both = running();
  const page = await browser().open(SIGHTS.wide);
  const { origin } = both.service;
  const last = new RegExp(`^${origin}/db/Demo\\.html`);

  for (const [id, binding] of [["redirect", "redirect"], ["post", "post"]] as const) {
    await test.step(`a request by ${binding} ends on the last page, with a session`, async () => {
      await using _ = both.fresh();
      await clickButton(page, both, id);
      assert.match(await arrive(page, last), /Demo/);
      assert.equal(await userIn(page, both), "anna");
      assert.deepEqual(both.partner.received, [`/sso SAMLRequest ${binding}`]);
      assert.equal(await page.evaluate("document.cookie"), "", "no script can read the cookies");

      both.partner.received.length = 0;
      await page.goto(`${origin}/logout`);
      await arrive(page, new RegExp(`^${origin}/$`));
      assert.equal(await userIn(page, both), "public");
      assert.deepEqual(both.partner.received, [`/slo SAMLRequest ${binding}`]);
      assert.deepEqual(both.partner.participants, []);
    });

    await test.step(`logging out at the provider by ${binding} logs out here`, async () => {
      await using _ = both.fresh();
      both.partner.logoutBinding = binding;
      await clickButton(page, both, id);
      await arrive(page, last);
      assert.equal(await userIn(page, both), "anna");
      await page.goto(`${both.partner.url}/slo`);
      await arrive(page, new RegExp(`^${both.partner.url}/slo`));
      await both.partner.until("/slo SAMLResponse");
      assert.equal(await userIn(page, both), "public");
      assert.deepEqual(both.partner.participants, []);
    });
  }

  await test.step("a login that is given up ends the session, on the login page with the words", async () => {
    await using _ = both.fresh();
    await clickButton(page, both, "redirect");
    await arrive(page, last);
    assert.equal(await userIn(page, both), "anna");
    both.partner.account = undefined;
    await clickButton(page, both, "redirect");
    const text = await arrive(page, new RegExp(`^${origin}/login\\?(?=.*problem=).*next=`));
    assert.match(text, /The login at redirect /);
    assert.match(text, /Log in with redirect/);
    const here = page.url();
    assert.equal(await userIn(page, both), "public");
    both.partner.account = "anna@example.com";
    await page.goto(here);
    await click(page, "Log in with post");
    await arrive(page, last);
    assert.equal(await userIn(page, both), "anna", "the next attempt leads to the last page, too");
  });
});

browserTest("Chromium without scripts logs in by POST with a button", async () => {
  const both = running();
  await using _ = both.fresh();
  const page = await browser().open({ ...SIGHTS.wide, hasNoScript: true });
  const { origin } = both.service;
  await page.goto(`${origin}/login/saml?idp_id=post&next=%2Fdb%2FDemo.html`);
  await arrive(page, /\/login\/saml/);
  assert.deepEqual(both.partner.received, [], "nothing is sent by itself");
  await page.click("form button, form input[type=submit]");
  await arrive(page, /\/sso$/);
  await page.click("input[type=submit]");
  await arrive(page, new RegExp(`^${origin}/db/Demo\\.html`));
  assert.deepEqual(both.partner.received, ["/sso SAMLRequest post"]);
});
