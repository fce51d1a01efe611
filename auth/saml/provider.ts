/**
 * One identity provider: what the configuration and its metadata say of it, read when it is needed and kept.
 *
 * @module
 */

import type { KeyObject } from "node:crypto";
import type { AuthHost, KeptDocument } from "@/plugins/contract.ts";
import { isUrl } from "@/plugins/kit/web_address.ts";
import { type Certificate, isValidAt } from "./certificates.ts";
import type { ConfiguredEndpoint } from "./idp_settings.ts";
import { type Endpoint, type Metadata, readMetadata } from "./metadata.ts";
import type { Schemas } from "./schema.ts";
import type { ProviderSettings } from "./settings.ts";
import type { Signer } from "./sign.ts";

/** Milliseconds. */
const METADATA_AGE = 3_600_000;
/** How long before its end a certificate is warned of: 30 days. */
const REMINDER = 2_592_000_000;

/** A provider as it is now. */
export interface Peer {
  readonly entityId: string;
  readonly signOn: Endpoint;
  /** Absent: it offers no single logout. */
  readonly logout?: Endpoint;
  /** What its signatures are verified with. */
  readonly keys: readonly KeyObject[];
  /** What is encrypted for it. */
  readonly encryption: readonly Certificate[];
}

type ProviderHost = Pick<AuthHost, "keepDocument" | "log" | "now">;

/** A provider that is on. */
export class Provider {
  readonly settings: ProviderSettings;
  /** Signs the metadata of this service; absent: what signs messages does, or nothing. */
  readonly metadataSigner: Signer | undefined;
  readonly #host: ProviderHost;
  readonly #metadata: KeptDocument<Metadata> | undefined;
  #complaint: string | undefined;
  #warning: string | undefined;

  constructor(
    settings: ProviderSettings,
    { host, schemas, signal, metadataSigner }: {
      readonly host: ProviderHost;
      readonly schemas: Schemas;
      readonly signal: AbortSignal;
      readonly metadataSigner?: Signer | undefined;
    },
  ) {
    this.settings = settings;
    this.metadataSigner = metadataSigner;
    this.#host = host;
    const { metadata: source, entityId } = settings.idp;
    if (source === undefined) return;
    this.#metadata = host.keepDocument({
      source,
      title: `The metadata of identity provider "${settings.id}"`,
      accept: "application/samlmetadata+xml, application/xml;q=0.9, */*;q=0.1",
      maxAge: METADATA_AGE,
      parse: (text) => readMetadata(text, { schemas, entityId, now: host.now() }),
      signal,
    });
  }

  /** Whether nobody can log in there at the moment, or its metadata could not be read the last time. */
  get isFailing(): boolean {
    return this.#metadata?.isFailing === true || this.#complaint !== undefined;
  }

  /** The provider as it is now; undefined while it cannot be used, which is in the log. */
  async peer(): Promise<Peer | undefined> {
    const read = await this.#metadata?.get();
    if (read && "complaint" in read) return undefined;
    if (!read || !this.#isOver(read.content)) return this.#describe(read?.content);
    return await this.renewedPeer() ?? this.#fail("the validUntil of its metadata is over");
  }

  /** Reads the metadata unless they are there. */
  async warmUp(): Promise<void> {
    await this.peer();
  }

  /** As it is now, because a signature fits none of the keys that are kept; undefined: nothing is newer. */
  async renewedPeer(): Promise<Peer | undefined> {
    const read = await this.#metadata?.renew();
    const isUsable = read && "content" in read && !this.#isOver(read.content);
    return isUsable ? this.#describe(read.content) : undefined;
  }

  /** They are kept for a while, and may say that they are not good for so long. */
  #isOver({ until }: Metadata): boolean {
    return until <= this.#host.now();
  }

  /** A file that cannot be used is a mistake of the configuration: what is wrong with it. */
  async checkFile(): Promise<string | undefined> {
    if (!this.#metadata || isUrl(this.#metadata.source)) return undefined;
    const read = await this.#metadata.get();
    if ("complaint" in read) return read.complaint;
    return this.#describe(read.content) ? undefined : this.#complaint;
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
      ...(logout ? { logout } : {}),
      keys: usable.map(({ key }) => key),
      encryption: metadata && metadata.encryption.length > 0 ? metadata.encryption : usable,
    };
  }

  /** Those that are valid. Where none is, all of them: they were given here, and an end is a reminder to renew the key. */
  #usable(certificates: readonly Certificate[]): readonly Certificate[] {
    const now = this.#host.now();
    const valid = certificates.filter((certificate) => isValidAt(certificate, now));
    const end = Math.max(...certificates.map(({ until }) => until));
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

/** What is configured goes before what is offered; of what is offered redirects go first. */
function chooseEndpoint(
  configured: ConfiguredEndpoint | undefined,
  offered: readonly Endpoint[],
): Endpoint | undefined {
  const wanted = configured?.binding;
  if (configured?.url !== undefined) return { url: configured.url, binding: wanted ?? "redirect" };
  const fitting = offered.filter(({ binding }) => wanted === undefined || binding === wanted);
  return fitting.find(({ binding }) => binding === "redirect") ?? fitting[0];
}
