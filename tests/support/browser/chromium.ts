/**
 * Chromium for tests, driven by puppeteer-core: one process for a test file, a context of its own for each person.
 *
 * @module
 */

import { HAS_CHROMIUM } from "@/tests/support/chromium.ts";
import { type Browser, type HTTPResponse, type Page, puppeteer } from "@/tests/support/packages/puppeteer.ts";

export { HAS_CHROMIUM };
export type { HTTPResponse, Page };

/** Without background requests: nothing leaves this machine. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--hide-scrollbars",
  // A page lives for a moment: its code is not worth optimizing, and no test goes back to it.
  "--js-flags=--no-opt --no-maglev",
  "--disable-features=BackForwardCache,RenderDocument,SpareRendererForSitePerProcess",
];

/** How a person looks at pages. */
export interface Sight {
  readonly width: number;
  readonly height: number;
  readonly isDark?: true;
  readonly hasNoScript?: true;
}

/** The sights that every page has to stand. */
export const SIGHTS = {
  wide: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
  dark: { width: 1024, height: 768, isDark: true },
} as const satisfies Readonly<Record<string, Sight>>;

/** Shows an open page in another size or colour. */
export async function show(page: Page, { width, height, isDark }: Sight): Promise<void> {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: isDark ? "dark" : "light" },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/** A running Chromium. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #profile: string;

  private constructor(browser: Browser, profile: string) {
    this.#browser = browser;
    this.#profile = profile;
  }

  static async start(): Promise<TestBrowser> {
    const profile = await Deno.makeTempDir({ prefix: "rowhouse-browser-" });
    const browser = await puppeteer.launch({
      executablePath: "/usr/bin/chromium",
      args: FLAGS,
      userDataDir: profile,
      pipe: true,
    });
    return new TestBrowser(browser, profile);
  }

  /** A page with cookies of its own. */
  async open(sight: Sight): Promise<Page> {
    const context = await this.#browser.createBrowserContext();
    const page = await context.newPage();
    await show(page, sight);
    if (sight.hasNoScript) await page.setJavaScriptEnabled(false);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await Deno.remove(this.#profile, { recursive: true }).catch((error: unknown) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}
