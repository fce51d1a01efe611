/**
 * One identity provider: what it says of itself and its keys, read when they are needed and kept.
 *
 * @module
 */

import type { JWK } from "jose";
import type { AuthHost } from "@/plugins/contract.ts";
import { CachedDocument, DocumentError } from "./cached_document.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { isUrl, type ProviderSettings } from "./provider_settings.ts";

/** Milliseconds. */
const METADATA_AGE = 3_600_000;
const KEYS_AGE = 600_000;
const MOST_KEYS = 200;

export type Keys = readonly JWK[];

type ProviderHost = Pick<AuthHost, "fetch" | "log" | "now" | "directory">;

export class Provider {
  readonly settings: ProviderSettings;
  readonly #host: ProviderHost;
  readonly #signal: AbortSignal;
  readonly #metadata: CachedDocument<Metadata>;
  #keys: CachedDocument<Keys> | undefined;

  constructor(settings: ProviderSettings, host: ProviderHost, signal: AbortSignal) {
    this.settings = settings;
    this.#host = host;
    this.#signal = signal;
    this.#metadata = new CachedDocument({
      source: settings.wellKnown,
      title: this.#title("configuration"),
      maxAge: METADATA_AGE,
      parse: (document) => readMetadata(document, settings),
      host,
      signal,
    });
  }

  /** Whether something of it could not be read the last time. */
  get isFailing(): boolean {
    return this.#metadata.isFailing || this.#keys?.isFailing === true;
  }

  /** Throws {@link DocumentError}. */
  async metadata(): Promise<Metadata> {
    return await this.#metadata.get();
  }

  /** Throws {@link DocumentError}. */
  async keys(): Promise<Keys> {
    return await (await this.#keySet()).get();
  }

  /** The keys as they are now, because a token names one that is not among those that are kept; undefined: not now. */
  async renewedKeys(): Promise<Keys | undefined> {
    return await (await this.#keySet()).renew();
  }

  /** Reads everything unless it is there. What fails is in the log, and is tried again later. */
  async warmUp(): Promise<void> {
    try {
      await this.keys();
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  }

  /** Files that cannot be used are mistakes of the configuration: their keys, with what is wrong. */
  async checkFiles(): Promise<readonly (readonly [key: string, message: string])[]> {
    const { wellKnown, jwksUri } = this.settings;
    const metadata = isUrl(wellKnown) ? undefined : await messageOf(this.metadata());
    if (metadata !== undefined) return [["well_known_configuration", metadata]];
    if (jwksUri === undefined || isUrl(jwksUri)) return [];
    const keys = await messageOf(this.#keySetAt(jwksUri).get());
    return keys === undefined ? [] : [["jwks_uri", keys]];
  }

  async #keySet(): Promise<CachedDocument<Keys>> {
    return this.#keySetAt((await this.metadata()).jwksUri);
  }

  #keySetAt(source: string): CachedDocument<Keys> {
    if (this.#keys?.source === source) return this.#keys;
    return this.#keys = new CachedDocument({
      source,
      title: this.#title("keys"),
      maxAge: KEYS_AGE,
      parse: readKeys,
      host: this.#host,
      signal: this.#signal,
    });
  }

  #title(what: string): string {
    return `The ${what} of identity provider "${this.settings.id}"`;
  }
}

/** Public keys only: a symmetric one would be no secret. */
function readKeys({ keys }: Readonly<Record<string, unknown>>): Keys {
  if (!Array.isArray(keys)) throw new Error('It has no list "keys"');
  if (keys.length > MOST_KEYS) throw new Error(`It has more than ${MOST_KEYS} keys`);
  return keys.filter((key: unknown): key is JWK =>
    typeof key === "object" && key !== null && "kty" in key && typeof key.kty === "string" &&
    key.kty !== "oct"
  );
}

async function messageOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
}
