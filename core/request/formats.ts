/**
 * Chooses the format of an answer: by the URL's extension, or by the best match of the `Accept` header. Pure.
 *
 * @module
 */

import { quote, ServiceError } from "@/core/errors.ts";
import type { Format } from "@/plugins/contract.ts";
import { type OwnParameter, ownParameters } from "./own_parameters.ts";

/** A format with its name, which is also its extension. */
export interface NamedFormat {
  readonly name: string;
  readonly format: Format;
}

/** A chosen format and its content type. */
export interface Negotiated extends NamedFormat {
  readonly contentType: string;
}

/** Names a format in logs. */
export function titleOf({ name }: NamedFormat): string {
  return `format ${quote(name)}`;
}

/** Throws 406 for a format that only writes schemas: it cannot show the result of a change. */
export function requireData({ name, format }: NamedFormat): void {
  if (format.schemasOf === undefined) return;
  throw new ServiceError(
    "not-acceptable",
    `The format ${name} has schemas only: use another extension or Accept`,
  );
}

/** Sentences about one content type of two formats: `Accept` and bodies would mean the first of them. */
export function complaintsAboutTypes(
  formats: readonly NamedFormat[],
): readonly { readonly format: string; readonly sentence: string }[] {
  const owners = new Map<string, string>();
  return formats.flatMap(({ name, format }) =>
    format.contentTypes.flatMap((type) => {
      const owner = owners.get(type) ?? name;
      owners.set(type, owner);
      const what = `The formats "${owner}" and "${name}" both have the content type ${type}`;
      return owner === name ? [] : [{ format: name, sentence: `${what}: leave one out` }];
    })
  );
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

/** All enabled formats by name, in order of preference, with their content types for `Accept`. */
export class FormatTable {
  readonly #formats: ReadonlyMap<string, Negotiated>;
  readonly #accepted: readonly Negotiated[];
  /** Query parameters that the formats declare. */
  readonly parameters: ReadonlyMap<string, OwnParameter>;
  /** Results by header: clients send very few different ones. */
  readonly #cache = new Map<string, Negotiated | undefined>();

  constructor(formats: readonly NamedFormat[]) {
    this.#formats = new Map(
      formats.map((named) => [named.name, withType(named, named.format.contentTypes[0])]),
    );
    this.parameters = ownParameters(formats);
    this.#accepted = formats.flatMap((named) => {
      return (named.format.accepts ?? named.format.contentTypes).map((type) => withType(named, type));
    });
  }

  get names(): readonly string[] {
    return [...this.#formats.keys()];
  }

  has(name: string): boolean {
    return this.#formats.has(name);
  }

  get(name: string): Negotiated | undefined {
    return this.#formats.get(name);
  }

  /** The format that writes a content type; undefined for an unknown type. */
  byContentType(type: string): NamedFormat | undefined {
    return [...this.#formats.values()].find(({ format }) => format.contentTypes.includes(type));
  }

  /** Content types of bodies. */
  get readable(): readonly string[] {
    return [...this.#formats.values()].flatMap(({ format }) => (format.read ? format.contentTypes : []));
  }

  /**
   * The format of answers without a preference, and before one is known: JSON, else the first enabled format.
   */
  get fallback(): Negotiated {
    const first = this.#formats.get("json") ?? [...this.#formats.values()][0];
    if (!first) throw new Error("No format is enabled");
    return first;
  }

  /** The best match of an `Accept` header. Throws 406 without a match. */
  negotiate(accept: string | null): Negotiated {
    if (accept === null || accept === "*/*" || accept.trim() === "") return this.fallback;
    const found = accept.length > MAX_REMEMBERED ? this.#match(accept) : this.#remembered(accept);
    if (found) return found;
    const known = this.#accepted.map(({ contentType }) => contentType).join(", ");
    throw new ServiceError(
      "not-acceptable",
      `The format asked for in Accept is unsupported: send one of ${known}, or add an extension to the URL`,
    );
  }

  /** A format from the URL, with the best of its content types for `Accept`; else with its first. */
  typed(named: Negotiated, accept: string | null): Negotiated {
    if (accept === null || accept === "*/*") return named;
    const types = named.format.contentTypes.map((type) => withType(named, type));
    return match(accept, types) ?? named;
  }

  #remembered(accept: string): Negotiated | undefined {
    if (!this.#cache.has(accept)) {
      if (this.#cache.size >= 200) this.#cache.clear();
      this.#cache.set(accept, this.#match(accept));
    }
    return this.#cache.get(accept);
  }

  #match(accept: string): Negotiated | undefined {
    return match(accept, this.#accepted, this.fallback);
  }
}

/**
 * The best of the offers for an `Accept` header; `fallback` is for a client that accepts anything. The most
 * specific range that covers a type tells its quality (RFC 9110, section 12.5.1).
 */
function match(accept: string, offers: readonly Negotiated[], fallback?: Negotiated): Negotiated | undefined {
  const ranges = parseAccept(accept);
  const ranked = (fallback ? [fallback, ...offers] : offers).flatMap((offer) => {
    const [own] = ranges.filter(({ type }) => covers(type, offer.contentType))
      .toSorted((a, b) => specificity(b.type) - specificity(a.type));
    return own && own.quality > 0 ? [{ offer, rank: ranges.indexOf(own) }] : [];
  });
  return ranked.toSorted((a, b) => a.rank - b.rank)[0]?.offer;
}

/** Largest number of media ranges that are read; no client needs more. */
const MAX_RANGES = 50;
/** Longest header that is cached. */
const MAX_REMEMBERED = 500;

/** Media ranges, or encodings, best first: by quality, then the more specific, then in their order. */
export function parseAccept(accept: string): readonly Range[] {
  return accept.split(",", MAX_RANGES).map(parseRange).toSorted((a, b) => {
    return b.quality - a.quality || specificity(b.type) - specificity(a.type);
  });
}

function specificity(type: string): number {
  return type === "*/*" ? 0 : type.endsWith("/*") ? 1 : 2;
}

function parseRange(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const written = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const quality = written === undefined ? 1 : Number(written);
  // Old clients of Java write `*` for any type.
  return { type: type === "*" ? "*/*" : type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

function covers(range: string, type: string): boolean {
  if (range === "*/*" || range === type) return true;
  return range.endsWith("/*") && type.startsWith(range.slice(0, -1));
}

function withType(named: NamedFormat, contentType: string | undefined): Negotiated {
  if (contentType === undefined) throw new Error(`Format "${named.name}" names no content type`);
  return { ...named, contentType };
}
