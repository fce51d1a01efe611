/**
 * The frame of all pages: the built-in one, or the operator's file `page.html` in `templates_path`.
 *
 * @module
 */

import { join } from "node:path";

/** The pieces of a frame, around what a page puts in. */
export interface Template {
  /** Before the content of `head`. */
  readonly begin: string;
  /** Between `head` and the bar with menu, account and breadcrumbs. */
  readonly between: string;
  /** Between the bar and the content. */
  readonly before: string;
  /** Behind the content. */
  readonly after: string;
}

const BUILT_IN = '<!DOCTYPE html>\n<html lang="en">\n<head>\n{{ head }}</head>\n' +
  "<body>\n{{ bar }}{{ content }}</body>\n</html>\n";

const PLACE = /\{\{ *(head|bar|content) *\}\}/;

/** Reads the frame. Throws an error that says what the file lacks. */
export function readTemplate(directory: string | undefined): Template {
  if (directory === undefined) return parseTemplate(BUILT_IN);
  const path = join(directory, "page.html");
  try {
    return parseTemplate(Deno.readTextFileSync(path));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`templates_path: "${path}": ${error.message}`, { cause: error });
  }
}

function parseTemplate(text: string): Template {
  const [begin = "", head, between = "", bar, before = "", content, after = "", ...more] = text.split(PLACE);
  if (head !== "head" || bar !== "bar" || content !== "content" || more.length > 0) {
    throw new Error("expected {{ head }}, {{ bar }} and {{ content }} once each, in this order");
  }
  return { begin, between, before, after };
}
