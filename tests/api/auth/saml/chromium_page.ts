/**
 * A page of Chromium that a test uses step by step, through the protocol of its developer tools.
 *
 * @module
 */

import { CHROMIUM_FLAGS } from "@/tests/support/chromium.ts";
import { Tools, ToolsError } from "./developer_tools.ts";

const FLAGS = [...CHROMIUM_FLAGS, "--remote-debugging-port=0", "--window-size=900,700"];

/** How long a page may take, in milliseconds: the machine may be slow. */
const LIMIT = 60_000;

/** An open page. */
export interface ChromiumPage extends AsyncDisposable {
  /** Goes to an address. */
  open(url: string): Promise<void>;
  /** The value of a JavaScript expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Clicks on the first element that a selector finds and whose text contains this. */
  click(selector: string, text: string): Promise<void>;
  /** Presses the first element that a selector finds, as a mouse does. */
  press(selector: string): Promise<void>;
  /** Waits until the page has loaded with a matching address; returns its text. */
  until(address: RegExp): Promise<string>;
  /** Any command of the protocol. */
  send(method: string, parameters?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

/** Starts Chromium with one empty page; without `scripts`, pages run none. */
export async function startChromium({ scripts = true } = {}): Promise<ChromiumPage> {
  const profile = await Deno.makeTempDir({ prefix: "rowhouse-chromium-" });
  const child = new Deno.Command("chromium", {
    args: [...FLAGS, `--user-data-dir=${profile}`, "about:blank"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const end = async () => {
    child.kill("SIGKILL");
    await child.status;
    await removeProfile(profile);
  };
  try {
    const [address, rest] = await addressOf(child.stderr);
    const tools = await Tools.connect(await pageAddress(address));
    if (!scripts) await tools.send("Emulation.setScriptExecutionDisabled", { value: true });
    return makePage(tools, async () => {
      await tools.close();
      await end();
      await rest;
    });
  } catch (error) {
    await end();
    throw error;
  }
}

function makePage(tools: Tools, close: () => Promise<void>): ChromiumPage {
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await tools.send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(`The page throws: ${JSON.stringify(exceptionDetails)}`);
    return (result as { readonly value?: unknown }).value;
  };
  const until = async (address: RegExp) => {
    const deadline = Date.now() + LIMIT;
    for (;;) {
      const state = await evaluate("[location.href, document.readyState, document.body?.innerText ?? '']")
        .catch(
          // A page that is being left has no more answers.
          (error: unknown) => error instanceof ToolsError ? ["", "", ""] : Promise.reject(error),
        );
      const [href, readiness, text] = state as [string, string, string];
      if (readiness === "complete" && address.test(href)) return text;
      if (Date.now() > deadline) throw new Error(`Chromium is at ${href} (${readiness}): ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return {
    send: (method, parameters) => tools.send(method, parameters),
    evaluate,
    until,
    open: async (url) => void await tools.send("Page.navigate", { url }),
    async click(selector, text) {
      const isFound = await evaluate(
        `(() => { const found = [...document.querySelectorAll(${JSON.stringify(selector)})]` +
          `.find((each) => each.textContent.includes(${
            JSON.stringify(text)
          })); found?.click(); return !!found; })()`,
      );
      if (isFound !== true) throw new Error(`There is no ${selector} with "${text}"`);
    },
    press: (selector) => press(tools, selector),
    [Symbol.asyncDispose]: close,
  };
}

/** Clicks in the middle of the element, which needs no scripts in the page. */
async function press(tools: Tools, selector: string): Promise<void> {
  const { root } = await tools.send("DOM.getDocument") as { root: { nodeId: number } };
  const { nodeId } = await tools.send("DOM.querySelector", { nodeId: root.nodeId, selector });
  const { model } = await tools.send("DOM.getBoxModel", { nodeId }) as { model: { content: number[] } };
  const [left = 0, top = 0, , , right = 0, bottom = 0] = model.content;
  const at = { x: (left + right) / 2, y: (top + bottom) / 2, button: "left", clickCount: 1 };
  for (const type of ["mousePressed", "mouseReleased"]) {
    await tools.send("Input.dispatchMouseEvent", { type, ...at });
  }
}

/** The address of the developer tools, and a promise that reads the remaining output. */
async function addressOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<[string, Promise<void>]> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Chromium did not start: ${said}`);
    said += value;
    const found = /DevTools listening on (ws:\/\/[^\s]+)/.exec(said)?.[1];
    if (found !== undefined) return [found, drain(reader)];
  }
}

async function drain(reader: ReadableStreamDefaultReader<string>): Promise<void> {
  while (!(await reader.read()).done);
}

/** The tools of the first page. */
async function pageAddress(browser: string): Promise<string> {
  const answer = await fetch(`http://${new URL(browser).host}/json/list`);
  const targets: readonly { readonly type: string; readonly webSocketDebuggerUrl: string }[] = await answer
    .json();
  const page = targets.find(({ type }) => type === "page");
  if (!page) throw new Error("Chromium has no page");
  return page.webSocketDebuggerUrl;
}

/** Processes of a browser that was ended may still write for a moment. */
async function removeProfile(profile: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return await Deno.remove(profile, { recursive: true });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
