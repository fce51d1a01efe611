/**
 * A JSON document of a provider, from a URL or a file: kept for a while, and read again by itself. While it cannot be read
 * the last one is used, and after a pause it is tried again.
 *
 * @module
 */

import { isAbsolute, join } from "node:path";
import type { AuthHost } from "@/plugins/contract.ts";
import { isUrl } from "./provider_settings.ts";

export interface DocumentOptions<Content> {
  /** A URL, or a file. */
  readonly source: string;
  /** Whose it is and what: for the log. */
  readonly title: string;
  /** Milliseconds after which it is read again. */
  readonly maxAge: number;
  /** Reads the content. Throws an error whose message says what is wrong with it. */
  parse(document: Readonly<Record<string, unknown>>): Content;
  readonly host: Pick<AuthHost, "fetch" | "log" | "now" | "directory">;
  /** Aborted when the service ends. */
  readonly signal: AbortSignal;
}

/** A document that is needed cannot be read. The message is for operators. */
export class DocumentError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DocumentError";
  }
}

/** Milliseconds after a failure during which nothing is tried. */
const PAUSE = 5_000;
/** Milliseconds between two times that somebody from outside can make it be read again. */
const COOLDOWN = 30_000;
/** A document that cannot be renewed is used for so many times its age. */
const STALE = 6;

export class CachedDocument<Content> {
  readonly #options: DocumentOptions<Content>;
  #kept: { readonly content: Content; readonly at: number } | undefined;
  #failure: { readonly message: string; readonly at: number } | undefined;
  #renewedAt = -Infinity;
  #running: Promise<Content> | undefined;

  constructor(options: DocumentOptions<Content>) {
    this.#options = options;
  }

  get source(): string {
    return this.#options.source;
  }

  /** Whether it could not be read the last time. */
  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** The document. Throws {@link DocumentError}. */
  async get(): Promise<Content> {
    const { maxAge } = this.#options;
    const kept = this.#keptFor(maxAge);
    if (kept) {
      if (this.#failure && !this.#running && !this.#isPausing()) void this.#loadQuietly();
      return kept.content;
    }
    if (this.#running || !this.#isPausing()) return await this.#load();
    return this.#keptOr(this.#failure?.message);
  }

  /**
   * The document as it is now, because something is not in the one that is kept. Everybody together can have that once in
   * a while only; undefined: not now.
   */
  async renew(): Promise<Content | undefined> {
    const now = this.#options.host.now();
    if (now - this.#renewedAt < COOLDOWN) return undefined;
    this.#renewedAt = now;
    return await this.#load();
  }

  /** Tries again beside the requests that the document that is kept will do for. */
  async #loadQuietly(): Promise<void> {
    try {
      await this.#load();
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  }

  #keptFor(age: number) {
    const { now } = this.#options.host;
    return this.#kept && now() - this.#kept.at < age ? this.#kept : undefined;
  }

  #isPausing(): boolean {
    return this.#failure !== undefined && this.#options.host.now() - this.#failure.at < PAUSE;
  }

  #keptOr(message = "It cannot be read"): Content {
    const kept = this.#keptFor(this.#options.maxAge * STALE);
    if (kept) return kept.content;
    throw new DocumentError(message);
  }

  #load(): Promise<Content> {
    return this.#running ??= this.#read().finally(() => this.#running = undefined);
  }

  async #read(): Promise<Content> {
    const { host, source, title, parse } = this.#options;
    try {
      const content = parse(objectIn(await this.#textOf()));
      this.#kept = { content, at: host.now() };
      if (this.#failure) host.log.info(`${title}: "${source}" can be read again`);
      this.#failure = undefined;
      return content;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return this.#fail(error);
    }
  }

  #fail(error: Error): Content {
    const { host, source, title, signal } = this.#options;
    const message = `${title}: "${source}" cannot be read: ${error.message}`;
    if (this.#failure?.message !== message && !signal.aborted) host.log.error(message);
    this.#failure = { message, at: host.now() };
    return this.#keptOr(message);
  }

  async #textOf(): Promise<string> {
    const { source, host, signal } = this.#options;
    if (!isUrl(source)) return await Deno.readTextFile(pathOf(source, host.directory));
    const answer = await host.fetch(source, { headers: { accept: "application/json" }, signal });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`It answers with status ${answer.status}`);
    return text;
  }
}

/** A file's name, which may be relative to the directory of the configuration. */
function pathOf(source: string, directory: string): string {
  return isAbsolute(source) ? source : join(directory, source);
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error("It is no JSON object");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the text, which may be anything.
    if (error instanceof SyntaxError) throw new Error("It is no JSON");
    throw error;
  }
}
