import assert from "node:assert/strict";
import {
  HAS_CHROMIUM,
  type Page,
  show,
  type Sight,
  SIGHTS,
  TestBrowser,
} from "@/tests/support/browser/chromium.ts";
import { axeFindings, htmlFindings, scrollsSideways, Watch } from "@/tests/support/browser/judge.ts";
import { shared, sharedService } from "@/tests/support/service.ts";
import { houseOptions, PEOPLE, signIn } from "./house.ts";
import { PAGES, visit } from "./pages.ts";

const service = sharedService(houseOptions());
const browser = shared(() => TestBrowser.start(), HAS_CHROMIUM ? undefined : "Chromium is not installed");

/** Both widths in both colours, as one page is looked at in turn: another colour changes contrasts only. */
const LOOKS: Readonly<Record<string, Sight & { readonly isRecoloured?: true }>> = {
  "wide, in the light": SIGHTS.wide,
  "wide, in the dark": { ...SIGHTS.wide, isDark: true, isRecoloured: true },
  "on a phone, in the dark": { ...SIGHTS.phone, isDark: true },
  "on a phone, in the light": { ...SIGHTS.phone, isRecoloured: true },
};

/** Scripts hear of another look when it is drawn; colours that fade have to arrive before they are judged. */
const DRAWN = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  for (const each of document.getAnimations()) {
    if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();
  }
  done();
})))`;

/** A page that loads itself again must not do so while it is judged. */
const STAY = `if (document.body.dataset.refresh !== undefined) {
  for (let timer = setInterval(() => {}, 60_000); timer > 0; timer--) clearInterval(timer);
}`;

/** What is wrong with a page in each look. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const [look, sight] of Object.entries(LOOKS)) {
    await show(page, sight);
    await page.evaluate(DRAWN);
    const sideways = await scrollsSideways(page) ? ["the page scrolls sideways"] : [];
    findings.push(
      ...[...await axeFindings(page, sight.isRecoloured ? ["color-contrast"] : undefined), ...sideways].map((
        each,
      ) => `${look}: ${each}`),
    );
  }
  return findings;
}

for (const person of PEOPLE) {
  Deno.test({
    name: `every page of ${person} is for everybody`,
    ignore: !HAS_CHROMIUM,
    async fn(test) {
      const page = await browser().open(SIGHTS.wide);
      await signIn(page, person, service());
      const watch = new Watch(page, service().url);
      for (const known of PAGES.filter((each) => each.person === person)) {
        await test.step(known.name, async () => {
          watch.complaints.length = 0;
          await show(page, SIGHTS.wide);
          const answer = await visit(page, service().url + known.path, known);
          assert.equal(answer?.status(), known.status ?? 200);
          await page.evaluate(STAY);
          const title = await page.title();
          const untitled = title.split(" · ").length < 2 && known.path !== "/"
            ? [`the title is ${title}`]
            : [];
          const judged = htmlFindings(await answer?.text() ?? "");
          const [html, looks] = await Promise.all([judged, findingsOf(page)]);
          assert.deepEqual([...html, ...looks, ...untitled, ...watch.complaints], []);
        });
      }
      await page.browserContext().close();
    },
  });
}
