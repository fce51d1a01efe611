/**
 * One identity provider with its metadata and keys, read on demand and cached.
 *
 * @module
 */

import { createLocalJWKSet, type JWK } from "jose";
import type { AuthHost, DocumentOptions, DocumentRead, Json, KeptDocument } from "@/plugins/contract.ts";
import { defined } from "@/plugins/kit/members.ts";
import type { IdentityProvider } from "@/plugins/kit/providers/identity_providers.ts";
import { Unreachable } from "@/plugins/kit/providers/login_failure.ts";
import { isUrl } from "@/plugins/kit/providers/provider_blocks.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import type { ProviderSettings } from "./provider_settings.ts";

/** Milliseconds. */
const METADATA_AGE = 3_600_000;
const KEYS_AGE = 600_000;

/** Public keys, imported on first use. */
export type Keys = ReturnType<typeof createLocalJWKSet>;

/** An enabled provider. */
export class Provider implements IdentityProvider {
  readonly settings: ProviderSettings;
  readonly #keep: <Content>(kept: Kept<Content>) => KeptDocument<Content>;
  readonly #metadata: KeptDocument<Metadata>;
  #known: Metadata | undefined;
  #keys: KeptDocument<Keys> | undefined;

  constructor(settings: ProviderSettings, host: Pick<AuthHost, "keepDocument">, signal: AbortSignal) {
    this.settings = settings;
    this.#keep = ({ what, parse, ...kept }) =>
      host.keepDocument({
        ...kept,
        title: `The ${what} of identity provider "${settings.id}"`,
        accept: "application/json",
        parse: (text) => parse(objectIn(text)),
        signal,
      });
    this.#metadata = this.#keep({
      source: settings.wellKnown,
      what: "configuration",
      maxAge: METADATA_AGE,
      parse: (document) => readMetadata(document, settings),
    });
  }

  /** Whether the last attempt to read one of its documents failed. */
  get isFailing(): boolean {
    return this.#metadata.isFailing || this.#keys?.isFailing === true;
  }

  /** See {@link IdentityProvider}. The endpoints of its metadata are there after the first reading. */
  get facts(): Readonly<Record<string, Json>> {
    const { clientId, redirectUri, responseType, scope, ...own } = this.settings;
    return {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: responseType,
      scope,
      ...defined({
        authorization_endpoint: this.#known?.authorization_endpoint ?? own.authorizationEndpoint,
        token_endpoint: this.#known?.token_endpoint ?? own.tokenEndpoint,
      }),
    };
  }

  /** Throws {@link Unreachable}, like {@link keys}. */
  async metadata(): Promise<Metadata> {
    return this.#known = contentOf(await this.#metadata.get());
  }

  /** The keys that verify its tokens. */
  async keys(): Promise<Keys> {
    return contentOf(await (await this.#keySet()).get());
  }

  /** Newer keys than `used`, because none of these fits a token; undefined: not now. */
  async renewedKeys(used: Keys): Promise<Keys | undefined> {
    const renewed = await (await this.#keySet()).renew(used);
    return renewed && contentOf(renewed);
  }

  /** See {@link IdentityProvider}. */
  async warmUp(): Promise<void> {
    try {
      await this.keys();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  /** See {@link IdentityProvider}. */
  async mistakes(): Promise<readonly (readonly [key: string, message: string])[]> {
    const { wellKnown, jwksUri } = this.settings;
    const metadata = isUrl(wellKnown) ? undefined : await complaintOf(this.#metadata);
    if (metadata !== undefined) return [["well_known_configuration", metadata]];
    if (jwksUri === undefined || isUrl(jwksUri)) return [];
    const keys = await complaintOf(this.#keySetAt(jwksUri));
    return keys === undefined ? [] : [["jwks_uri", keys]];
  }

  async #keySet(): Promise<KeptDocument<Keys>> {
    return this.#keySetAt((await this.metadata()).jwks_uri);
  }

  #keySetAt(source: string): KeptDocument<Keys> {
    if (this.#keys?.source === source) return this.#keys;
    return this.#keys = this.#keep({ source, what: "keys", maxAge: KEYS_AGE, parse: readKeys });
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON document of the provider. */
interface Kept<Content> extends Pick<DocumentOptions<Content>, "source" | "maxAge"> {
  readonly what: string;
  readonly parse: (document: JsonObject) => Content;
}

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error("It is no JSON object");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may be anything.
    if (error instanceof SyntaxError) throw new Error("It is no JSON");
    throw error;
  }
}

/** Public keys only: a published symmetric key would not be secret. */
function readKeys({ keys }: JsonObject): Keys {
  if (!Array.isArray(keys)) throw new Error('It has no list "keys"');
  const usable = keys.filter((key: unknown): key is JWK =>
    typeof key === "object" && key !== null && "kty" in key && typeof key.kty === "string" &&
    key.kty !== "oct"
  );
  return createLocalJWKSet({ keys: usable });
}

function contentOf<Content>(read: DocumentRead<Content>): Content {
  if ("content" in read) return read.content;
  throw new Unreachable(read.complaint);
}

async function complaintOf(document: KeptDocument<unknown>): Promise<string | undefined> {
  const read = await document.get();
  return "complaint" in read ? read.complaint : undefined;
}
