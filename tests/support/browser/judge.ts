/**
 * Judges of pages: axe-core, html-validate, the browser's own complaints, and
 * whether the page scrolls sideways.
 *
 * @module
 */

import { AXE_SOURCE } from "@/tests/support/packages/axe.ts";
import { HtmlValidate, StaticConfigLoader } from "@/tests/support/packages/html_validate.ts";
import type { Page } from "./chromium.ts";

/** Listens to a page: errors of scripts, violations of the policy, requests to other hosts, dialogs. */
export class Watch {
  readonly complaints: string[] = [];

  constructor(page: Page, origin: string) {
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) {
        this.complaints.push(`console: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) => this.complaints.push(`script: ${String(error)}`));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !/^(data|about|blob):/.test(url)) {
        this.complaints.push(`request to ${url}`);
      }
    });
    page.on("dialog", (dialog) => {
      if (dialog.type() !== "beforeunload") this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.accept();
    });
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** The findings of axe-core of any severity, one sentence each. `rules`: only these. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // The page's policy allows no foreign script, but the tool that drives the browser
  // may evaluate one: once on a page.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE_SOURCE);
  const options = JSON.stringify({ resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) });
  const result = await page.evaluate(`axe.run(document, ${options})`) as AxeResult;
  return result.violations.map(({ id, nodes }) =>
    `axe ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ""}`
  );
}

const validator = new HtmlValidate(
  new StaticConfigLoader({
    extends: ["html-validate:recommended"],
    rules: {
      // The pages are well-formed XML as well.
      "void-style": "off",
      // Switches of one list share their name.
      "form-dup-name": "off",
      "attribute-boolean-style": "off",
      "attribute-empty-style": "off",
      // They are compact: no line is for reading.
      "no-trailing-whitespace": "off",
      "long-title": "off",
      // Names of the form fields say what they are: c.Country.
      "valid-autocomplete": "off",
    },
  }),
);

/** The findings of html-validate in the HTML as it was sent. */
export async function htmlFindings(html: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `html ${ruleId} at ${line}:${column}: ${message}`)
  );
}

/** Whether the whole page scrolls sideways. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  const wider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  return await page.evaluate(wider) as boolean;
}

/** Links, buttons and fields that lie partly beside the page, out of reach of its scroll bars. */
const OFF_SCREEN = `(() => {
  const scrolls = (element) => element !== null &&
    (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const isOff = (element) => {
    const { left, right, width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && (left < -1 || right > innerWidth + 1) && !scrolls(element.parentElement);
  };
  return [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && isOff(element))
    .map((element) => element.outerHTML.slice(0, 200));
})()`;

/** Returns the start tags of controls that lie beside the page. */
export async function controlsOffScreen(page: Page): Promise<readonly string[]> {
  return await page.evaluate(OFF_SCREEN) as readonly string[];
}

/** Headers whose text runs into the next column. Those in closed details have sizes of an earlier look. */
const TOO_LONG = `[...document.querySelectorAll("thead th")].filter((header) => header.checkVisibility())
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
  .map((element) => element.textContent)`;

/** Returns the texts of headers that do not fit their columns. */
export async function headersTooLong(page: Page): Promise<readonly string[]> {
  return await page.evaluate(TOO_LONG) as readonly string[];
}
