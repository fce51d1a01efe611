import assert from "node:assert/strict";
import {
  browserTest,
  type Page,
  sharedBrowser,
  show,
  type Sight,
  SIGHTS,
} from "@/tests/support/browser/chromium.ts";
import {
  axeFindings,
  controlsOffScreen,
  headersTooLong,
  htmlFindings,
  scrollsSideways,
  Watch,
} from "@/tests/support/browser/judge.ts";
import { sharedService, startService } from "@/tests/support/service.ts";
import { houseOptions, PEOPLE, signIn } from "./house.ts";
import { PAGES, visit } from "./pages.ts";

const service = sharedService(houseOptions());
const browser = sharedBrowser();

/** How a page is looked at in turn: another colour changes contrasts only. */
const LOOKS: Readonly<Record<string, Sight & { readonly isRecoloured?: true }>> = {
  "wide, in the light": SIGHTS.wide,
  "wide, in the dark": { ...SIGHTS.wide, isDark: true, isRecoloured: true },
  "on a phone, in the dark": { ...SIGHTS.phone, isDark: true },
  "on a phone, in the light": { ...SIGHTS.phone, isRecoloured: true },
  "with more contrast, in the light": { ...SIGHTS.wide, wantsContrast: true, isRecoloured: true },
  "with more contrast, in the dark": {
    ...SIGHTS.wide,
    wantsContrast: true,
    isDark: true,
    isRecoloured: true,
  },
};

/**
 * The kinds of elements in sight. Style sheets select by tag and class; contrast depends on the colour of
 * a text, on the colours behind it, and on its size. Scripts hear of another look when it is drawn;
 * colours that fade have to arrive first.
 */
const KINDS = `(async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const each of document.getAnimations()) {
    if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();
  }
  const elements = new Set();
  const texts = new Set();
  const walk = (element, behind) => {
    const { color, backgroundColor, opacity, fontSize, fontWeight } = getComputedStyle(element);
    const ground = [behind, backgroundColor, opacity].join(" ").replaceAll(" rgba(0, 0, 0, 0) 1", "");
    if (element.checkVisibility({ visibilityProperty: true })) {
      elements.add(element.localName + "." + element.getAttribute("class"));
      const isText = ({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== "";
      if ([...element.childNodes].some(isText)) texts.add([color, fontSize, fontWeight, "on", ground].join(" "));
    }
    for (const child of [...element.children, ...element.shadowRoot?.children ?? []]) walk(child, ground);
  };
  walk(document.body, "");
  return { elements: [...elements], texts: [...texts] };
})()`;

/** A page that loads itself again must not do so while it is judged. */
const STAY = `if (document.querySelector('#main').dataset.refresh !== undefined) {
  for (let timer = setInterval(() => {}, 60_000); timer > 0; timer--) clearInterval(timer);
}`;

/** The kinds that have been judged: those of elements with their look, those of texts in any. */
const judged = new Set<string>();

/** Whether a look shows kinds that have not been judged. */
async function hasNews(page: Page, look: string): Promise<boolean> {
  const { elements, texts } = await page.evaluate(KINDS) as Record<"elements" | "texts", readonly string[]>;
  const kinds = LOOKS[look]?.isRecoloured ? texts : [...texts, ...elements.map((each) => `${look}: ${each}`)];
  const news = kinds.filter((each) => !judged.has(each));
  for (const kind of news) judged.add(kind);
  return news.length > 0;
}

/** What is wrong with a page: its first look is always judged, the others where they show something new. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  const findings: string[] = [];
  let isNew = false;
  for (const [index, [look, sight]] of Object.entries(LOOKS).entries()) {
    // Kinds that were known in one colour are known in the other.
    if (sight.isRecoloured && !isNew) continue;
    await show(page, sight);
    isNew = await hasNews(page, look);
    if (await scrollsSideways(page)) findings.push(`${look}: the page scrolls sideways`);
    if (index > 0 && !isNew) continue;
    const rules = sight.isRecoloured ? ["color-contrast"] : undefined;
    findings.push(...(await axeFindings(page, rules)).map((each) => `${look}: ${each}`));
  }
  await show(page, SIGHTS.narrow);
  if (await scrollsSideways(page)) findings.push("at 320 pixels the page scrolls sideways");
  return [
    ...findings,
    ...(await controlsOffScreen(page)).map((each) => `at 320 pixels out of reach: ${each}`),
    ...(await headersTooLong(page)).map((each) => `at 320 pixels too long for its column: ${each}`),
  ];
}

browserTest("the first run is for everybody", async () => {
  await using fresh = await startService();
  const page = await browser().open(SIGHTS.wide);
  const watch = new Watch(page, fresh.url);
  const answer = await page.goto(`${fresh.url}/first-run`, { waitUntil: "load" });
  const html = await htmlFindings(await answer?.text() ?? "");
  assert.deepEqual([...html, ...await findingsOf(page), ...watch.complaints], []);
  assert.match(await page.title(), /^First run · /);
  await page.browserContext().close();
});

for (const person of PEOPLE) {
  browserTest(`every page of ${person} is for everybody`, async (test) => {
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
        const untitled = title.split(" · ").length < 2 && known.path !== "/" ? [`the title is ${title}`] : [];
        const judged = htmlFindings(await answer?.text() ?? "");
        const [html, looks] = await Promise.all([judged, findingsOf(page)]);
        assert.deepEqual([...html, ...looks, ...untitled, ...watch.complaints], []);
      });
    }
    await page.browserContext().close();
  });
}
