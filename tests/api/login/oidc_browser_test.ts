import assert from "node:assert/strict";
import { arrive, browserTest, SIGHTS, TestBrowser } from "@/tests/support/browser/chromium.ts";
import { startBoth } from "./oidc_home.ts";

/** Each way in which a provider answers. The provider is at another site than the service. */
const WAYS: readonly (readonly [id: string, way: string])[] = [
  ["codes", "a code in the address"],
  ["forms", "a token in a form of the provider's page"],
  ["fragments", "a token behind #"],
];

browserTest(
  "Chromium logs in at a certified provider of another site, and is on the page where one was",
  async (test) => {
    await using both = await startBoth({ host: "localhost" });
    await using browser = await TestBrowser.start();
    const { url } = both.service;
    for (const [id, way] of WAYS) {
      await test.step(`with ${way}`, async () => {
        const page = await browser.open(SIGHTS.wide);
        await page.goto(`${url}/login/oidc?idp_id=${id}&next=%2Fdb%2FDemo.html`);
        assert.match(await arrive(page, new RegExp(`^${url}/db/Demo\\.html`)), /Demo/);
        assert.match(await page.content(), /action="\/logout"|href="\/logout/);
        assert.match(await both.service.log(), /A login of "anna" by jwt from 127\.0\.0\.1: success/);
      });
    }
  },
);
