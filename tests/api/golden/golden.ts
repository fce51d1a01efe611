/**
 * Golden files: one request and its whole answer each.
 *
 * ```text
 * # api.md 3: `A*` is LIKE with *
 * GET /db/Demo/Vessel/Name/S*.csv
 * Accept: text/html
 * ----------
 * HTTP/1.1 200 OK
 * Content-Type: text/csv; charset=utf-8
 * !Warning
 *
 * Name␍
 * Skarv␍
 * ```
 *
 * Comments first, then the request as it is sent, with a body after an empty line if it has one. Of the
 * answer's headers those that stand there are compared; `!Warning` says that there is none. The body is
 * everything after the empty line but the file's last line break; `␍` is a carriage return.
 *
 * @module
 */

import { stable } from "@/tests/support/stable_text.ts";
import type { RawAnswer, RawRequest } from "@/tests/support/raw_request.ts";

/** One golden file, or one step of a sequence. */
export interface Golden {
  /** Lines at the top, each with its `#`. */
  readonly comments: readonly string[];
  readonly request: RawRequest & { readonly method: string };
  /** Absent: not recorded yet. */
  readonly answer?: ExpectedAnswer;
}

/** The expected answer; headers that are not listed may have any value. */
export interface ExpectedAnswer {
  readonly statusLine: string;
  /** Names with their values as written; null: the header is absent. */
  readonly headers: readonly (readonly [string, string | null])[];
  readonly body: string;
}

const SEPARATOR = "\n----------\n";
/** Headers that are recorded if an answer has them. */
const TELLING = [
  "Content-Type",
  "Location",
  "Warning",
  "Allow",
  "Retry-After",
  "Rowhouse-All-Record-Count",
];

/** Reads a file's text. Throws where it is none. */
export function parseGolden(text: string): Golden {
  const [before = "", after] = splitOnce(text, SEPARATOR);
  const lines = before.trimEnd().split("\n");
  const start = lines.findIndex((line) => !line.startsWith("#"));
  const request = parseRequest(lines.slice(start));
  return {
    comments: lines.slice(0, start),
    request,
    ...(after === undefined || after === "" ? {} : { answer: parseAnswer(after) }),
  };
}

/** Writes the text that `parseGolden` reads. */
export function formatGolden({ comments, request, answer }: Golden): string {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = request.body === undefined ? [] : ["", request.body];
  const lines = [...comments, `${request.method} ${request.target}`, ...headers, ...body];
  return lines.join("\n") + SEPARATOR + (answer ? formatAnswer(answer) : "");
}

/**
 * The answer as a file would have it, with the headers that `asked` names and
 * those that always tell something.
 */
export function describeAnswer(answer: RawAnswer, asked: readonly string[]): ExpectedAnswer {
  const telling = TELLING.filter((name) => answer.headers.has(name));
  const names = [...telling, ...asked.filter((name) => !telling.includes(name))];
  return {
    statusLine: answer.statusLine,
    headers: names.map((name) => [name, answer.headers.get(name)]),
    body: stable(answer.text),
  };
}

function formatAnswer({ statusLine, headers, body }: ExpectedAnswer): string {
  const lines = headers.map(([name, value]) => (value === null ? `!${name}` : `${name}: ${value}`));
  return `${[statusLine, ...lines].join("\n")}\n\n${body.replaceAll("\r", "␍")}\n`;
}

function parseRequest(lines: readonly string[]): Golden["request"] {
  const end = lines.indexOf("");
  const [first = "", ...headers] = end < 0 ? lines : lines.slice(0, end);
  const [, method, target] = /^([A-Z]+) (\S+)$/.exec(first) ?? [];
  if (method === undefined || target === undefined) throw new Error(`Cannot read request ${first}`);
  return {
    method,
    target,
    headers: Object.fromEntries(headers.map((line) => splitOnce(line, ": "))),
    ...(end < 0 ? {} : { body: lines.slice(end + 1).join("\n") }),
  };
}

function parseAnswer(text: string): ExpectedAnswer {
  const [head, body = ""] = splitOnce(text, "\n\n");
  const [statusLine = "", ...headers] = head.split("\n");
  return {
    statusLine,
    headers: headers.map((line) =>
      line.startsWith("!") ? [line.slice(1), null] as const : [...splitOnce(line, ": ")] as [string, string]
    ),
    body: body.replace(/\n$/, "").replaceAll("␍", "\r"),
  };
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
