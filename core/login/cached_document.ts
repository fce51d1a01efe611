/**
 * A document of a provider, from a URL or a file: cached and renewed. While it cannot be read the last one is
 * used, and reading is retried after a pause.
 *
 * @module
 */

import { isAbsolute, join } from "node:path";
import type { AuthHost, DocumentOptions, DocumentRead, KeptDocument } from "@/plugins/contract.ts";

/** Milliseconds without a new attempt after a failure. */
const PAUSE = 5_000;
/** Milliseconds between two renewals that outside requests can cause. */
const COOLDOWN = 30_000;
/** A document that cannot be renewed is used for this many times its maximum age. */
const STALE = 6;

/** The services that read documents. */
type DocumentHost = Pick<AuthHost, "fetch" | "log" | "now" | "directory">;

/**
 * One document with its source. It does not throw when the document is unreadable: the
 * complaint is part of the result.
 */
export class CachedDocument<Content> implements KeptDocument<Content> {
  readonly #options: DocumentOptions<Content>;
  readonly #host: DocumentHost;
  #kept: { readonly content: Content; readonly at: number } | undefined;
  #failure: { readonly complaint: string; readonly at: number } | undefined;
  #renewedAt = -Infinity;
  #running: Promise<DocumentRead<Content>> | undefined;

  constructor(options: DocumentOptions<Content>, host: DocumentHost) {
    this.#options = options;
    this.#host = host;
  }

  get source(): string {
    return this.#options.source;
  }

  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  async get(): Promise<DocumentRead<Content>> {
    const kept = this.#kept;
    const isFresh = kept && this.#isWithin(this.#options.maxAge, kept.at);
    const usable = this.#keptOr(this.#failure?.complaint);
    if (isFresh || (this.#failure && "content" in usable)) {
      // Retries in the background, because the cached document serves the request.
      if (this.#failure && !this.#isPausing()) void this.#load();
      return usable;
    }
    return this.#isPausing() ? usable : await this.#load();
  }

  async renew(used?: Content): Promise<DocumentRead<Content> | undefined> {
    const kept = this.#kept?.content;
    if (used !== undefined && kept !== undefined && kept !== used) return { content: kept };
    if (this.#running) return await this.#running;
    if (this.#isWithin(COOLDOWN, this.#renewedAt)) return undefined;
    this.#renewedAt = this.#host.now();
    return await this.#load();
  }

  /** Whether less time has passed. A clock that was set back must not put off the next attempt for hours. */
  #isWithin(milliseconds: number, at: number): boolean {
    const passed = this.#host.now() - at;
    return passed >= 0 && passed < milliseconds;
  }

  #isPausing(): boolean {
    return this.#failure !== undefined && this.#isWithin(PAUSE, this.#failure.at);
  }

  #keptOr(complaint = "It cannot be read"): DocumentRead<Content> {
    const kept = this.#kept;
    const isUsable = kept && this.#host.now() - kept.at < this.#options.maxAge * STALE;
    return isUsable ? { content: kept.content } : { complaint };
  }

  #load(): Promise<DocumentRead<Content>> {
    return this.#running ??= this.#read().finally(() => this.#running = undefined);
  }

  async #read(): Promise<DocumentRead<Content>> {
    const { source, title, parse } = this.#options;
    try {
      const content = parse(await this.#textOf());
      this.#kept = { content, at: this.#host.now() };
      if (this.#failure) this.#host.log.info(`${title}: "${source}" can be read again`);
      this.#failure = undefined;
      return { content };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return this.#fail(error);
    }
  }

  #fail(error: Error): DocumentRead<Content> {
    const { source, title, signal } = this.#options;
    const complaint = `${title}: "${source}" cannot be read: ${error.message}`;
    if (this.#failure?.complaint !== complaint && !signal.aborted) this.#host.log.error(complaint);
    this.#failure = { complaint, at: this.#host.now() };
    return this.#keptOr(complaint);
  }

  async #textOf(): Promise<string> {
    const { source, accept, signal } = this.#options;
    const isUrl = /^https?:$/.test(URL.parse(source)?.protocol ?? "");
    if (!isUrl) {
      return await Deno.readTextFile(isAbsolute(source) ? source : join(this.#host.directory, source));
    }
    const answer = await this.#host.fetch(source, { headers: { accept }, signal });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`It answers with status ${answer.status}`);
    return text;
  }
}
