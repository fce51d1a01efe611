/**
 * Chromium for tests, driven by puppeteer-core: one process for a test file, a
 * context of its own for each person.
 *
 * @module
 */

import {
  type Browser,
  type CDPSession,
  type ElementHandle,
  type HTTPResponse,
  type Page,
  puppeteer,
} from "@/tests/support/packages/puppeteer.ts";
import { findProgram } from "@/tests/support/servers/programs.ts";
import { shared } from "@/tests/support/service.ts";

export type { ElementHandle, HTTPResponse, Page };

/**
 * Chromium without a window. `chromium` draws its window and menus also without a screen; this takes as much
 * processor time as the pages.
 */
const SHELL = findProgram("chromium-headless-shell");
const PROGRAM = SHELL ?? findProgram("chromium");

/** Registers a test that needs Chromium; it is ignored where that is not installed. */
export function browserTest(name: string, fn: (test: Deno.TestContext) => void | Promise<void>): void {
  Deno.test({ name, ignore: PROGRAM === undefined, fn });
}

/** How long Chromium, a page or a part of it may take, in milliseconds: the machine may be slow. */
const LIMIT = 120_000;

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
  /** The person asks for more contrast. */
  readonly wantsContrast?: true;
  readonly hasNoScript?: true;
}

/** The sights that every page has to stand. */
export const SIGHTS = {
  wide: { width: 1280, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
  dark: { width: 1024, height: 768, isDark: true },
} as const satisfies Readonly<Record<string, Sight>>;

/** Shows an open page in another size or colour. */
export async function show(page: Page, { width, height, isDark, wantsContrast }: Sight): Promise<void> {
  await page.setViewport({ width, height });
  await emulate(page, {
    "prefers-color-scheme": isDark ? "dark" : "light",
    "prefers-contrast": wantsContrast ? "more" : "no-preference",
  });
}

/** The sessions that hold the media features of their pages. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * Sets media features by their names, with reduced motion unless they say otherwise. Puppeteer itself knows
 * only some of them.
 */
export async function emulate(page: Page, features: Readonly<Record<string, string>>): Promise<void> {
  const all = { "prefers-reduced-motion": "reduce", ...features };
  const session = sessions.get(page) ?? page.createCDPSession();
  sessions.set(page, session);
  await (await session).send("Emulation.setEmulatedMedia", {
    features: Object.entries(all).map(([name, value]) => ({ name, value })),
  });
}

/**
 * Waits until the page has loaded with a matching address, however many forms
 * send themselves; returns its text.
 */
export async function arrive(page: Page, address: RegExp): Promise<string> {
  const deadline = Date.now() + LIMIT;
  for (;;) {
    // A page that is being left has no more answers.
    const state = await page.evaluate("[document.readyState, document.body?.innerText ?? '']")
      .catch((error: unknown) => [String(error), ""]) as [string, string];
    if (state[0] === "complete" && address.test(page.url())) return state[1];
    if (Date.now() > deadline) throw new Error(`Chromium is at ${page.url()}: ${state.join(" ")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
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
      ...(PROGRAM ? { executablePath: PROGRAM } : {}),
      headless: SHELL ? "shell" : true,
      args: FLAGS,
      userDataDir: profile,
      pipe: true,
      timeout: LIMIT,
    });
    return new TestBrowser(browser, profile);
  }

  /** A page with cookies of its own. */
  async open(sight: Sight): Promise<Page> {
    const context = await this.#browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT);
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

/** Starts one for all tests of a file, if it is installed. Returns a function for use inside tests. */
export function sharedBrowser(): () => TestBrowser {
  return shared(() => TestBrowser.start(), PROGRAM === undefined ? "Chromium is not installed" : undefined);
}
