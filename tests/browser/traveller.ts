/**
 * Somebody who travels through the pages of a service by their words.
 *
 * @module
 */

import assert from "node:assert/strict";
import { PASSWORD } from "@/tests/api/login/home.ts";
import { type ElementHandle, type Page, type Sight, SIGHTS } from "@/tests/support/browser/chromium.ts";

/** The ways in which journeys are made. Colours change nothing that one does: a phone is in the dark. */
export const WAYS = {
  mouse: SIGHTS.wide,
  keyboard: SIGHTS.wide,
  "no script": { ...SIGHTS.wide, hasNoScript: true },
  phone: { ...SIGHTS.phone, isDark: true },
} as const satisfies Readonly<Record<string, Sight>>;

/** One of them. */
export type Way = keyof typeof WAYS;

/** A person at a page, who knows things by the words on them. */
export class Traveller {
  readonly #page: Page;
  readonly #url: string;
  readonly #byKeyboard: boolean;

  /** `url` is that of the service. */
  constructor(page: Page, url: string, way: Way) {
    this.#page = page;
    this.#url = url;
    this.#byKeyboard = way === "keyboard";
  }

  async go(path: string): Promise<void> {
    await this.#page.goto(this.#url + path, { waitUntil: "load" });
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
    const element = await this.#page.waitForSelector(selector);
    assert.ok(element, selector);
    const arrival = leads ? this.#page.waitForNavigation({ waitUntil: "load" }) : undefined;
    if (this.#byKeyboard) {
      await this.#reach(element, selector);
      await this.#page.keyboard.press("Enter");
    } else await element.click();
    await arrival;
  }

  /** Focuses an element, and comes to it again with the tab key from its neighbour. */
  async #reach(element: ElementHandle, name: string): Promise<void> {
    const { keyboard } = this.#page;
    await element.focus();
    await keyboard.down("Shift");
    await keyboard.press("Tab");
    await keyboard.up("Shift");
    await keyboard.press("Tab");
    const isReached = await element.evaluate((each) => each.matches(":focus"));
    assert.ok(isReached, `The tab key does not lead to ${name}`);
  }

  /** Types into the field with this name, or into its editor; the text that it has goes. */
  async fill(name: string, text: string): Promise<void> {
    const field = await this.#page.waitForSelector(`[name="${name}"]`);
    const isEdited = await field?.isHidden();
    const element = isEdited ? await this.#page.waitForSelector(">>> .cm-content") : field;
    assert.ok(element, name);
    await element.focus();
    await this.#page.keyboard.down("Control");
    await this.#page.keyboard.press("KeyA");
    await this.#page.keyboard.up("Control");
    // Chromium keeps the style of coloured text that it replaces, which the
    // policy refuses: the text goes first.
    if (isEdited) await this.#page.keyboard.press("Backspace");
    // Key by key only where keys are what the way is about.
    if (this.#byKeyboard) await this.#page.keyboard.type(text);
    else await this.#page.keyboard.sendCharacter(text);
  }

  /** Chooses from the list with this name, or with this `#id`. */
  async choose(name: string, value: string): Promise<void> {
    const selector = fieldOf(name);
    const element = await this.#page.waitForSelector(selector);
    assert.ok(element, name);
    if (!this.#byKeyboard) {
      const chosen = await this.#page.select(selector, value);
      return assert.deepEqual(chosen, [value], name);
    }
    await this.#reach(element, name);
    await this.#page.keyboard.press("Home");
    let before: string | undefined;
    for (let now = await this.valueOf(name); now !== value; now = await this.valueOf(name)) {
      assert.notEqual(now, before, `${name} does not offer ${value}`);
      before = now;
      await this.#page.keyboard.press("ArrowDown");
    }
  }

  /** Turns a switch on or off. */
  async turn(name: string, value: string): Promise<void> {
    await this.tick(`[name="${quoted(name)}"][value="${quoted(value)}"]`);
  }

  /** Turns the switch on or off that fits first. */
  async tick(selector: string): Promise<void> {
    const element = await this.#page.waitForSelector(selector);
    assert.ok(element, selector);
    if (this.#byKeyboard) {
      await this.#reach(element, selector);
      await this.#page.keyboard.press("Space");
    } else await element.click();
  }

  /** The address that a link with these words leads to. */
  async addressOf(words: string): Promise<string> {
    const element = await this.#page.waitForSelector(`main a::-p-text(${words})`);
    return String(await (await element?.getProperty("href"))?.jsonValue());
  }

  /** The text of the first element that fits. */
  async textOf(selector: string): Promise<string> {
    const element = await this.#page.$(selector);
    return String(await (await element?.getProperty("textContent"))?.jsonValue());
  }

  /** What stands in the field with this name. */
  async valueOf(name: string): Promise<string> {
    const element = await this.#page.$(fieldOf(name));
    return String(await (await element?.getProperty("value"))?.jsonValue());
  }

  /** Whether the first element that fits is in sight. */
  async sees(selector: string): Promise<boolean> {
    return await (await this.#page.$(selector))?.isVisible() ?? false;
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

function quoted(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

/** Logs in with the password of the tests. */
export async function logIn(traveller: Traveller, login: string): Promise<void> {
  await traveller.go("/login?next=/");
  await traveller.fill("login", login);
  await traveller.fill("password", `${PASSWORD}-${login}`);
  await traveller.press('main button[type="submit"]');
}

function fieldOf(name: string): string {
  return name.startsWith("#") ? name : `[name="${name}"]`;
}
