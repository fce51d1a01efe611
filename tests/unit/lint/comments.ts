/**
 * Finds lines of comments that are longer than lines of code may be: `deno fmt` does not break them. Rows of
 * tables and lines with one long word, such as an address, cannot be broken.
 *
 * @module
 */

import project from "@/deno.json" with { type: "json" };

/** Characters of a line, as in `deno.json`. */
export const LINE_WIDTH: number = project.fmt.lineWidth;

/** The comments of a file that have a long line. */
export function longComments(source: Deno.lint.SourceCode): readonly Deno.lint.Node[] {
  return source.getAllComments().filter(({ range: [start, end] }) => {
    const indent = start - (source.text.lastIndexOf("\n", start - 1) + 1);
    const [first = "", ...others] = source.text.slice(start, end).split("\n");
    return [" ".repeat(indent) + first, ...others].some(isLong);
  });
}

function isLong(line: string): boolean {
  return line.length > LINE_WIDTH && !/^\s*\* \|/.test(line) && !/\S{60}/.test(line);
}
