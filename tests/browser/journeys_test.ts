import assert from "node:assert/strict";
import { PASSWORD } from "@/tests/api/login/home.ts";
import {
  HAS_CHROMIUM,
  type Page,
  type Sight,
  SIGHTS,
  TestBrowser,
} from "@/tests/support/browser/chromium.ts";
import { Watch } from "@/tests/support/browser/judge.ts";
import { sharedService } from "@/tests/support/service.ts";
import { houseOptions } from "./house.ts";

const service = sharedService(houseOptions());

/** The ways in which each journey is made. */
const WAYS: Readonly<Record<string, Sight & { readonly byKeyboard?: true }>> = {
  mouse: SIGHTS.wide,
  keyboard: { ...SIGHTS.wide, byKeyboard: true },
  "no script": { ...SIGHTS.wide, hasNoScript: true },
  phone: SIGHTS.phone,
  dark: SIGHTS.dark,
};

/** A person at a page, who knows things by the words on them. */
class Traveller {
  readonly #page: Page;
  readonly #byKeyboard: boolean;

  constructor(page: Page, byKeyboard: boolean) {
    this.#page = page;
    this.#byKeyboard = byKeyboard;
  }

  async go(path: string): Promise<void> {
    await this.#page.goto(service().url + path, { waitUntil: "load" });
  }

  /** Opens a menu or panel by its words. */
  async unfold(words: string): Promise<void> {
    await this.#press(`summary ::-p-text(${words})`, false);
  }

  /** Follows a link, or presses a button that leads to another page. */
  async follow(words: string, kind = "a, button"): Promise<void> {
    const selectors = kind.split(", ").map((tag) => `main ${tag}::-p-text(${words})`);
    await this.#press(selectors.join(", "), true);
  }

  async press(selector: string): Promise<void> {
    await this.#press(selector, true);
  }

  async #press(selector: string, leads: boolean): Promise<void> {
    const element = await this.#page.waitForSelector(selector, { timeout: 10_000 });
    assert.ok(element, selector);
    const arrival = leads ? this.#page.waitForNavigation({ waitUntil: "load" }) : undefined;
    if (this.#byKeyboard) {
      await element.focus();
      await this.#page.keyboard.press("Enter");
    } else await element.click();
    await arrival;
  }

  /** Types into the field with this name, or into its editor; the text that it has goes. */
  async fill(name: string, text: string): Promise<void> {
    const field = await this.#page.waitForSelector(`[name="${name}"]`, { timeout: 10_000 });
    const isEdited = await field?.isHidden();
    const element = isEdited ? await this.#page.waitForSelector(">>> .cm-content") : field;
    assert.ok(element, name);
    await element.focus();
    await this.#page.keyboard.down("Control");
    await this.#page.keyboard.press("KeyA");
    await this.#page.keyboard.up("Control");
    await this.#page.keyboard.press("Backspace");
    await this.#page.keyboard.type(text);
  }

  async choose(name: string, value: string): Promise<void> {
    await this.#page.select(`[name="${name}"]`, value);
  }

  async text(): Promise<string> {
    const main = await this.#page.$("main");
    return (await (await main?.getProperty("textContent"))?.jsonValue()) ?? "";
  }

  get path(): string {
    const { pathname, search } = new URL(this.#page.url());
    return pathname + search;
  }
}

async function logIn(traveller: Traveller, login: string): Promise<void> {
  await traveller.go("/login?next=/");
  await traveller.fill("login", login);
  await traveller.fill("password", `${PASSWORD}-${login}`);
  await traveller.press('main button[type="submit"]');
}

/** Of ports in Norway or Denmark those with a large vessel, sorted, without typing an address. */
async function filtering(traveller: Traveller): Promise<void> {
  await traveller.go("/");
  await traveller.follow("Demo");
  await traveller.follow("Port");
  await traveller.unfold("Filter");
  await traveller.choose("ui.column", "CountryCode");
  await traveller.choose("ui.is", "any");
  await traveller.fill("ui.value", "NO|DK");
  await traveller.follow("Apply", "button");
  await traveller.unfold("Filter");
  await traveller.choose("ui.column", "Vessel/Seats");
  await traveller.choose("ui.is", "least");
  await traveller.fill("ui.value", "100");
  await traveller.follow("Apply", "button");
  await traveller.press("th a.sort ::-p-text(LocalName)");
  assert.equal(
    traveller.path,
    "/db/Demo/Port/CountryCode/NO,DK/Vessel/Seats/100../Port.html?limit=29&sort=LocalName",
  );
  assert.match(await traveller.text(), /CountryCode is NO or DK.*Seats is at least 100/s);
}

/** A record is created with NULL and a foreign key, changed, and deleted. */
async function editing(traveller: Traveller, way: string): Promise<void> {
  await logIn(traveller, "editor");
  await traveller.go("/db/Demo/Port.html");
  await traveller.follow("Add");
  const locode = `NO ${way.slice(0, 3).toUpperCase()}`;
  await traveller.fill("c.Locode", locode);
  await traveller.fill("c.Name", `Port of ${way}`);
  await traveller.fill("c.LocalName", "Havn");
  await traveller.choose("c.CountryCode", "NO");
  await traveller.fill("c.Latitude", "60.5");
  await traveller.fill("c.Longitude", "north");
  await traveller.follow("Create", "button");
  assert.match(await traveller.text(), /'north' is not/);
  await traveller.fill("c.Longitude", "5.25");
  await traveller.follow("Create", "button");
  assert.match(await traveller.text(), new RegExp(`It has been created.*Port of ${way}.*NULL`, "s"));
  await traveller.follow("Edit");
  await traveller.fill("c.Name", `Harbour of ${way}`);
  await traveller.follow("Save", "button");
  assert.match(await traveller.text(), new RegExp(`The changes are saved.*Harbour of ${way}`, "s"));
  await traveller.follow("Delete");
  await traveller.follow("Delete", "button");
  assert.match(await traveller.text(), /It has been deleted/);
}

/** A query with a mistake is mended, saved, run and charted. */
async function querying(traveller: Traveller, way: string): Promise<void> {
  const id = `seats-${way.replace(" ", "-")}`;
  await logIn(traveller, "admin");
  await traveller.go("/querydef.html");
  await traveller.follow("Add a query");
  await traveller.fill("s.query_id", id);
  await traveller.choose("s.database", "Demo");
  await traveller.fill("s.sqlstr", "SELECT Nmae, Seats FROM Vessel WHERE Seats >= :least");
  await traveller.follow("Check the SQL", "button");
  assert.match(await traveller.text(), /The database refuses it at line 1, character 8: .*Nmae/);
  await traveller.fill("s.sqlstr", "SELECT Name, Seats FROM Vessel WHERE Seats >= :least");
  await traveller.follow("Check the SQL", "button");
  assert.match(await traveller.text(), /The database accepts it/);
  await traveller.choose("s.parameters.least", "integer");
  await traveller.fill("ui.arg.least", "500");
  await traveller.follow("Run it for a trial", "button");
  assert.match(await traveller.text(), /The first \d+ rows.*Plan of the database.*SCAN Vessel/s);
  await traveller.follow("Create", "button");
  await traveller.follow("Run");
  await traveller.fill("ui.arg.least", "500");
  await traveller.follow("Run", "button");
  assert.match(traveller.path, new RegExp(`^/query/${id}/least/500.html`));
  await traveller.follow("Summary and chart");
  assert.match(await traveller.text(), /in numbers/);
}

const JOURNEYS = { filtering, editing, querying } as const;

for (const [way, sight] of Object.entries(WAYS)) {
  Deno.test({
    name: `journeys: ${way}`,
    ignore: !HAS_CHROMIUM,
    async fn(test) {
      await using browser = await TestBrowser.start();
      for (const [name, journey] of Object.entries(JOURNEYS)) {
        await test.step(name, async () => {
          const page = await browser.open(sight);
          const watch = new Watch(page, service().url);
          await journey(new Traveller(page, sight.byKeyboard ?? false), way);
          assert.deepEqual(watch.complaints, []);
        });
      }
    },
  });
}
