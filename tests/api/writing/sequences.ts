/**
 * Sequences: golden files of several steps against one fresh database. A step is a request with its whole
 * answer, as in `tests/api/golden/golden.ts`, or a query with the rows that the database then has.
 *
 * ```text
 * # specification.md, PUT and DELETE rules: a DELETE by a primary key removes one row
 * DELETE /db/Shop/Tag/Text/plain.json
 * ----------
 * HTTP/1.1 204 No Content
 *
 * ==========
 * SELECT Text FROM Tag
 * ----------
 * 'a/b'
 * ```
 *
 * `{service}` in an answer is the service's address. `{etag}` in a request's header is the tag that was seen
 * last. `␍` in a body is a carriage return.
 *
 * @module
 */

import { join } from "node:path";
import { type RawAnswer, type RawRequest, sendRaw } from "@/tests/support/raw_request.ts";
import {
  describeAnswer,
  type ExpectedAnswer,
  formatGolden,
  type Golden,
  parseGolden,
} from "@/tests/api/golden/golden.ts";
import { FOLDER } from "./shop_files.ts";

/** Either a request with its answer, or a look into the database with its rows as text. */
export type Step =
  | { readonly kind: "request"; readonly golden: Golden }
  | {
    readonly kind: "look";
    readonly comments: readonly string[];
    readonly sql: string;
    readonly rows: readonly string[];
  };

/** The parts of the shop that a sequence needs, on any engine. */
export interface OpenShop {
  readonly service: { readonly url: string; readonly port: number };
  look(sql: string): readonly string[] | Promise<readonly string[]>;
}

const STEP = "\n==========\n";
const SEPARATOR = "\n----------\n";

/** All sequences as `topic/name`, in order. */
export function listSequences(): readonly string[] {
  const topics = [...Deno.readDirSync(FOLDER)].filter(({ isDirectory, name }) =>
    isDirectory && name !== "differences"
  );
  return topics.flatMap(({ name: topic }) =>
    [...Deno.readDirSync(join(FOLDER, topic))].map(({ name }) => `${topic}/${name.replace(/\.txt$/, "")}`)
  ).toSorted();
}

/** The path of a sequence, by its name without extension. */
export function sequenceFile(name: string): string {
  return join(FOLDER, `${name}.txt`);
}

/** A step that begins with SELECT or PRAGMA is a look, any other a request. */
export function parseSequence(text: string): readonly Step[] {
  return text.split(STEP).map(parseStep);
}

/** The text that {@link parseSequence} reads. */
export function formatSequence(steps: readonly Step[]): string {
  return `${steps.map(formatStep).join(STEP)}\n`;
}

function parseStep(text: string): Step {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => !line.startsWith("#"));
  if (!/^(SELECT|PRAGMA) /.test(lines[start] ?? "")) return { kind: "request", golden: parseRequest(text) };
  const [sql = "", rows = ""] = lines.slice(start).join("\n").split(SEPARATOR);
  const list = rows.trimEnd();
  return { kind: "look", comments: lines.slice(0, start), sql, rows: list === "" ? [] : list.split("\n") };
}

function parseRequest(text: string): Golden {
  const golden = parseGolden(text.includes(SEPARATOR) ? `${text}\n` : `${text}${SEPARATOR}`);
  const { body } = golden.request;
  return body === undefined
    ? golden
    : { ...golden, request: { ...golden.request, body: body.replaceAll("␍", "\r") } };
}

function formatStep(step: Step): string {
  if (step.kind === "request") return formatRequest(step.golden).replace(/\n$/, "");
  return [...step.comments, step.sql].join("\n") + SEPARATOR + step.rows.join("\n");
}

function formatRequest(golden: Golden): string {
  const { body } = golden.request;
  if (body === undefined) return formatGolden(golden);
  return formatGolden({ ...golden, request: { ...golden.request, body: body.replaceAll("\r", "␍") } });
}

/** Runs a sequence and returns its actual result; `onSent` sees each raw answer. */
export async function playSequence(
  steps: readonly Step[],
  shop: OpenShop,
  onSent: (sent: RawAnswer, request: RawRequest) => void | Promise<void>,
): Promise<readonly Step[]> {
  const played: Step[] = [];
  let etag = "";
  for (const step of steps) {
    if (step.kind === "look") {
      played.push({ ...step, rows: inOrder(step, await shop.look(step.sql)) });
      continue;
    }
    const { golden } = step;
    const answer = await sendRaw(shop.service.port, withTag(golden.request, etag));
    await onSent(answer, golden.request);
    etag = answer.headers.get("etag") ?? etag;
    const asked = (golden.answer?.headers ?? []).map(([name]) => name);
    played.push({ ...step, golden: { ...golden, answer: hideAddress(describeAnswer(answer, asked), shop) } });
  }
  return played;
}

/** Rows without a requested order take the order of the file if both have the same rows. */
function inOrder(
  { sql, rows: expected }: Extract<Step, { kind: "look" }>,
  rows: readonly string[],
): readonly string[] {
  if (sql.includes("ORDER BY")) return rows;
  return expected.toSorted().join("\n") === rows.toSorted().join("\n") ? expected : rows;
}

function withTag(request: RawRequest, etag: string): RawRequest {
  const headers = Object.entries(request.headers ?? {}).map((
    [name, value],
  ) => [name, value.replace("{etag}", etag)]);
  return { ...request, headers: Object.fromEntries(headers) };
}

function hideAddress({ headers, ...answer }: ExpectedAnswer, shop: OpenShop): ExpectedAnswer {
  const hidden = headers.map(([name, value]) => {
    return [name, value === null ? null : value.replace(shop.service.url, "{service}")] as const;
  });
  return { ...answer, headers: hidden };
}
