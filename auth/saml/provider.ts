/**
 * One identity provider with its configuration and metadata, read on demand and cached.
 *
 * @module
 */

import type { KeyObject, X509Certificate } from "node:crypto";
import type { AuthHost, KeptDocument, RouteAnswer } from "@/plugins/contract.ts";
import {
  type Arrived,
  type IdentityProvider,
  readWithKeys,
  unreachable,
} from "@/plugins/kit/providers/identity_providers.ts";
import { isUrl } from "@/plugins/kit/providers/provider_blocks.ts";
import { isValidAt } from "./certificates.ts";
import { type Endpoint, type Metadata, readMetadata } from "./metadata.ts";
import type { MessageRules } from "./rules.ts";
import type { Schemas } from "./schema.ts";
import type { ConfiguredEndpoint, ProviderSettings } from "./settings.ts";
import { readSigner, type Signer } from "./signature.ts";

/** Milliseconds. */
const METADATA_AGE = 3_600_000;
/** Milliseconds before a certificate's end at which warnings begin: 30 days. */
const REMINDER = 2_592_000_000;

/** The present state of a provider. */
export interface Peer {
  readonly entityId: string;
  readonly signOn: Endpoint;
  /** Undefined: it has no single logout. */
  readonly logout: Endpoint | undefined;
  /** The keys that verify its signatures. */
  readonly keys: readonly KeyObject[];
  /** The certificates that encrypt for it. */
  readonly encryption: readonly X509Certificate[];
  /** The metadata with the keys; undefined: everything is configured. */
  readonly metadata: Metadata | undefined;
}

/** An enabled provider. */
export class Provider implements IdentityProvider {
  readonly settings: ProviderSettings;
  /** Signs the metadata of this service; undefined: the signer of messages does, if there is one. */
  metadataSigner: Signer | undefined;
  readonly #host: AuthHost;
  readonly #schemas: Schemas;
  readonly #metadata: KeptDocument<Metadata> | undefined;
  #complaint: string | undefined;
  #warning: string | undefined;

  constructor(
    settings: ProviderSettings,
    { host, schemas, signal }: {
      readonly host: AuthHost;
      readonly schemas: Schemas;
      readonly signal: AbortSignal;
    },
  ) {
    this.settings = settings;
    this.#host = host;
    this.#schemas = schemas;
    const { metadata: source, entityId } = settings.idp;
    this.#metadata = source === undefined ? undefined : host.keepDocument({
      source,
      title: `The metadata of identity provider "${settings.id}"`,
      accept: "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1",
      maxAge: METADATA_AGE,
      parse: (text) => readMetadata(text, { schemas, entityId, now: host.now() }),
      signal,
    });
  }

  /** Whether logins are impossible at the moment, or the last attempt to read its metadata failed. */
  get isFailing(): boolean {
    return this.#metadata?.isFailing === true || this.#complaint !== undefined;
  }

  /** The present state; undefined while the provider is unusable, which is logged. */
  async peer(): Promise<Peer | undefined> {
    const read = await this.#metadata?.get();
    if (read && "complaint" in read) return undefined;
    if (!read || !this.#isOver(read.content)) return this.#describe(read?.content);
    return await this.#renewedPeer(read.content) ?? this.#fail("the validUntil of its metadata is over");
  }

  /** See {@link IdentityProvider}. */
  async warmUp(): Promise<void> {
    await this.peer();
  }

  async #renewedPeer(used: Metadata | undefined): Promise<Peer | undefined> {
    const read = await this.#metadata?.renew(used);
    const isUsable = read && "content" in read && !this.#isOver(read.content);
    return isUsable ? this.#describe(read.content) : undefined;
  }

  /** Cached metadata may expire before their maximum age. */
  #isOver({ until }: Metadata): boolean {
    return until <= this.#host.now();
  }

  /** See {@link IdentityProvider}. */
  async mistakes(): Promise<readonly (readonly [key: string, message: string])[]> {
    const found = [
      ["settings.security.signMetadata", await this.#openSigner()],
      ["settings.idp.metadata", await this.#checkFile()],
    ] as const;
    return found.flatMap(([key, message]) => message === undefined ? [] : [[key, message]]);
  }

  async #openSigner(): Promise<string | undefined> {
    const { security } = this.settings;
    if (typeof security.signMetadata === "boolean") return undefined;
    try {
      this.metadataSigner = await readSigner(security.signMetadata, security, this.#host.directory);
      return undefined;
    } catch (error) {
      if (error instanceof Error) return error.message;
      throw error;
    }
  }

  async #checkFile(): Promise<string | undefined> {
    if (!this.#metadata || isUrl(this.#metadata.source)) return undefined;
    const read = await this.#metadata.get();
    if ("complaint" in read) return read.complaint;
    return this.#describe(read.content) ? undefined : this.#complaint;
  }

  /** Reads a message with the keys of the present state, and with renewed ones if none of them fits. */
  async read<Result>(peer: Peer, work: (rules: MessageRules) => Result): Promise<Result> {
    const keys = { keys: peer, renew: () => this.#renewedPeer(peer.metadata) };
    return await readWithKeys(keys, (each) => work(this.#rulesFor(each)));
  }

  #rulesFor({ keys, entityId: issuer }: Peer): MessageRules {
    const { sp, security } = this.settings;
    const { now, setting } = this.#host;
    const skew = setting("clock_skew") * 1000;
    return { schemas: this.#schemas, sp, security, keys, issuer, now: now(), skew };
  }

  #describe(metadata: Metadata | undefined): Peer | undefined {
    const { idp } = this.settings;
    const signOn = chooseEndpoint(idp.signOn, metadata?.signOn ?? []);
    const logout = chooseEndpoint(idp.logout, metadata?.logout ?? []);
    const certificates = idp.certificates.length > 0 ? idp.certificates : metadata?.signing ?? [];
    const usable = this.#usable(certificates);
    const entityId = idp.entityId ?? metadata?.entityId;
    if (!signOn || entityId === undefined) {
      return this.#fail("it names no place to log in with a usual binding");
    }
    this.#complaint = undefined;
    return {
      entityId,
      signOn,
      logout,
      keys: usable.map(({ publicKey }) => publicKey),
      encryption: metadata && metadata.encryption.length > 0 ? metadata.encryption : usable,
      metadata,
    };
  }

  /**
   * The valid certificates. If none is valid, all of them: the operator configured them, and the end of
   * validity is only a reminder to renew the key.
   */
  #usable(certificates: readonly X509Certificate[]): readonly X509Certificate[] {
    const now = this.#host.now();
    const valid = certificates.filter((certificate) => isValidAt(certificate, now));
    const end = Math.max(...certificates.map(({ validToDate }) => validToDate.getTime()));
    this.#warn(valid.length > 0 && end > now + REMINDER ? undefined : sentenceFor(end, now));
    return valid.length > 0 ? valid : certificates;
  }

  #warn(sentence: string | undefined): void {
    const text = sentence && `The certificate of identity provider "${this.settings.id}" ${sentence}`;
    if (text !== undefined && this.#warning !== text) this.#host.log.warn(text);
    this.#warning = text;
  }

  #fail(complaint: string): undefined {
    const text = `Nobody can log in at identity provider "${this.settings.id}": ${complaint}`;
    if (this.#complaint !== text) this.#host.log.error(text);
    this.#complaint = text;
    return undefined;
  }
}

function sentenceFor(end: number, now: number): string {
  const day = new Date(end).toISOString().slice(0, 10);
  if (end <= now) return `has expired on ${day}: logins go on with it until there is another`;
  return end <= now + REMINDER ? `expires on ${day}` : "is not valid yet: logins go on with it";
}

/**
 * Configured values take precedence over the offered ones; among the offered endpoints, redirects come first.
 */
function chooseEndpoint(
  configured: ConfiguredEndpoint | undefined,
  offered: readonly Endpoint[],
): Endpoint | undefined {
  const wanted = configured?.binding;
  if (configured?.url !== undefined) return { url: configured.url, binding: wanted ?? "redirect" };
  const fitting = offered.filter(({ binding }) => wanted === undefined || binding === wanted);
  return fitting.find(({ binding }) => binding === "redirect") ?? fitting[0];
}

/** A request to a usable provider. */
export interface Taken extends Arrived<Provider> {
  readonly peer: Peer;
}

/**
 * Continues with the present state of the provider; while it is unusable, the
 * person is told so, and goes to `next`.
 */
export async function withPeer(
  arrived: Arrived<Provider>,
  next: string,
  work: (taken: Taken) => RouteAnswer | Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  const peer = await arrived.provider.peer();
  return peer ? await work({ ...arrived, peer }) : { ...unreachable(arrived.provider, next), redirect: true };
}
