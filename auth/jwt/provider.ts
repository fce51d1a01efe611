/**
 * One identity provider with its metadata and keys, read on demand and cached.
 *
 * @module
 */

import type { JWK } from "jose";
import type { AuthHost, KeptDocument } from "@/plugins/contract.ts";
import { isUrl } from "@/plugins/kit/provider_blocks.ts";
import { contentOf, DocumentError, objectIn } from "./documents.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import type { ProviderSettings } from "./provider_settings.ts";

/** Milliseconds. */
const METADATA_AGE = 3_600_000;
const KEYS_AGE = 600_000;
const MOST_KEYS = 200;
const JSON_TYPE = "application/json";

/** Public keys. */
export type Keys = readonly JWK[];

type ProviderHost = Pick<AuthHost, "keepDocument">;

/** An enabled provider. */
export class Provider {
  readonly settings: ProviderSettings;
  readonly #host: ProviderHost;
  readonly #signal: AbortSignal;
  readonly #metadata: KeptDocument<Metadata>;
  #keys: KeptDocument<Keys> | undefined;

  constructor(settings: ProviderSettings, host: ProviderHost, signal: AbortSignal) {
    this.settings = settings;
    this.#host = host;
    this.#signal = signal;
    this.#metadata = host.keepDocument({
      source: settings.wellKnown,
      title: this.#title("configuration"),
      accept: JSON_TYPE,
      maxAge: METADATA_AGE,
      parse: (text) => readMetadata(objectIn(text), settings),
      signal,
    });
  }

  /** Whether the last attempt to read one of its documents failed. */
  get isFailing(): boolean {
    return this.#metadata.isFailing || this.#keys?.isFailing === true;
  }

  /** Throws {@link DocumentError}. */
  async metadata(): Promise<Metadata> {
    return contentOf(await this.#metadata.get());
  }

  /** Throws {@link DocumentError}. */
  async keys(): Promise<Keys> {
    return contentOf(await (await this.#keySet()).get());
  }

  /** Reads the keys again, because a token names one that is not cached; undefined: not now. */
  async renewedKeys(): Promise<Keys | undefined> {
    const renewed = await (await this.#keySet()).renew();
    return renewed && contentOf(renewed);
  }

  /** Reads all documents that are not cached. Failures are logged and retried later. */
  async warmUp(): Promise<void> {
    try {
      await this.keys();
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  }

  /** Unreadable files are mistakes of the configuration: returns their keys with messages. */
  async checkFiles(): Promise<readonly (readonly [key: string, message: string])[]> {
    const { wellKnown, jwksUri } = this.settings;
    const metadata = isUrl(wellKnown) ? undefined : await complaintOf(this.#metadata);
    if (metadata !== undefined) return [["well_known_configuration", metadata]];
    if (jwksUri === undefined || isUrl(jwksUri)) return [];
    const keys = await complaintOf(this.#keySetAt(jwksUri));
    return keys === undefined ? [] : [["jwks_uri", keys]];
  }

  async #keySet(): Promise<KeptDocument<Keys>> {
    return this.#keySetAt((await this.metadata()).jwksUri);
  }

  #keySetAt(source: string): KeptDocument<Keys> {
    if (this.#keys?.source === source) return this.#keys;
    return this.#keys = this.#host.keepDocument({
      source,
      title: this.#title("keys"),
      accept: JSON_TYPE,
      maxAge: KEYS_AGE,
      parse: (text) => readKeys(objectIn(text)),
      signal: this.#signal,
    });
  }

  #title(what: string): string {
    return `The ${what} of identity provider "${this.settings.id}"`;
  }
}

/** Public keys only: a published symmetric key would not be secret. */
function readKeys({ keys }: Readonly<Record<string, unknown>>): Keys {
  if (!Array.isArray(keys)) throw new Error('It has no list "keys"');
  if (keys.length > MOST_KEYS) throw new Error(`It has more than ${MOST_KEYS} keys`);
  return keys.filter((key: unknown): key is JWK =>
    typeof key === "object" && key !== null && "kty" in key && typeof key.kty === "string" &&
    key.kty !== "oct"
  );
}

async function complaintOf(document: KeptDocument<unknown>): Promise<string | undefined> {
  const read = await document.get();
  return "complaint" in read ? read.complaint : undefined;
}
