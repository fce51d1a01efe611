/**
 * Compares the answers of the engines to one request.
 *
 * @module
 */

import { stable } from "@/tests/support/stable_text.ts";
import type { TestDialect } from "@/tests/support/databases/mod.ts";
import type { RawAnswer } from "@/tests/support/raw_request.ts";
import type { Excuse } from "./excuses.ts";
import type { Mirror } from "./mirrors.ts";
import type { Asked } from "./read_requests.ts";

/** The compared headers. Tags are compared by {@link Tags}. */
const HEADERS = [
  "Content-Type",
  "Location",
  "Link",
  "Warning",
  "Allow",
  "Retry-After",
  "Cache-Control",
  "Vary",
  "Rowhouse-All-Record-Count",
];

/** How much of two answers is shown where they differ. */
const SHOWN = { before: 200, after: 600 } as const;

/** Entity tags of all engines: two are the same on one engine where they are on the other. */
export class Tags {
  readonly #known = new Map<string, string>();

  /** Tells whether a tag of the first engine always came with this tag of the other engine. */
  match(dialect: TestDialect, first: string | null, other: string | null): boolean {
    if (first === null || other === null) return first === other;
    const there = this.#remember(`${dialect} ${first}`, other);
    const back = this.#remember(`first ${dialect} ${other}`, first);
    return there === other && back === first;
  }

  #remember(key: string, value: string): string {
    const known = this.#known.get(key) ?? value;
    this.#known.set(key, known);
    return known;
  }
}

/** The buttons of a list: only some engines can insert into a view. */
const ADD = /<ul class="actions">.*?<\/ul>/;

/** The answer as text, without parts that only this service has. */
export function describe({ statusLine, headers, text }: RawAnswer, { service }: Mirror): string {
  const lines = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [statusLine, ...lines, "", stable(text).replace(ADD, "")].join("\n").replaceAll(
    service.url,
    "{service}",
  );
}

/** Tells two answers apart, from where they differ. */
function report({ method, target, headers = {}, body }: Asked, first: Said, other: Said): string {
  const at = [...first.text].findIndex((_, index) => first.text[index] !== other.text[index]);
  const start = Math.max(0, (at < 0 ? Math.min(first.text.length, other.text.length) : at) - SHOWN.before);
  const shown = ({ dialect, text }: Said) => {
    const [status = ""] = text.split("\n");
    return `--- ${dialect}: ${status}\n${text.slice(start, start + SHOWN.before + SHOWN.after)}`;
  };
  const lines = [
    `${method} ${target}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const request = lines.join("\n") + (body === undefined ? "" : `\n\n${body}\n`);
  return `The engines answer otherwise:\n${request}\n${shown(first)}\n${shown(other)}`;
}

/** The answer of one engine. */
export interface Said {
  readonly dialect: TestDialect;
  readonly text: string;
  /** The entity tag. */
  readonly tag: string | null;
}

/** Asks every engine and returns a difference; undefined if all are equal. */
export async function difference(
  request: Asked,
  { mirrors, tags, excuses }: {
    readonly mirrors: readonly Mirror[];
    readonly tags: Tags;
    readonly excuses: readonly Excuse[];
  },
): Promise<string | undefined> {
  const said = await Promise.all(mirrors.map(async (mirror) => {
    const answer = await mirror.connection.send(request);
    const { dialect } = mirror;
    return { dialect, text: describe(answer, mirror), tag: answer.headers.get("etag") };
  }));
  return compare(request, said, { tags, excuses });
}

/** Describes a difference; undefined if all are equal. */
export function compare(
  request: Asked,
  [first, ...others]: readonly Said[],
  { tags, excuses }: { readonly tags: Tags; readonly excuses: readonly Excuse[] },
): string | undefined {
  if (!first) throw new Error("There is an engine at least");
  for (const other of others) {
    const pair = excused(request, { first, other }, excuses);
    if (pair.first.text !== pair.other.text) return report(request, pair.first, pair.other);
    if (tags.match(other.dialect, pair.first.tag, pair.other.tag)) continue;
    return report(request, withTag(first), withTag(other));
  }
  return undefined;
}

interface Pair {
  readonly first: Said;
  readonly other: Said;
}

function excused(request: Asked, { first, other }: Pair, excuses: readonly Excuse[]): Pair {
  if (first.text === other.text) return { first, other };
  const applying = excuses.filter((excuse) =>
    excuse.dialects.includes(other.dialect) && excuse.applies(request, other.text)
  );
  const normalize = ({ text, dialect, tag }: Said) => {
    const left = applying.reduce((left, excuse) => excuse.normalize(left), text);
    return { dialect, text: left, tag: left === "" ? null : tag };
  };
  return { first: normalize(first), other: normalize(other) };
}

function withTag({ text, ...rest }: Said): Said {
  return { ...rest, text: `${text}\nETag: ${rest.tag}` };
}
