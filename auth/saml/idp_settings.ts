/**
 * Reads `settings.idp` of a provider: the configured members. The metadata has the rest.
 *
 * @module
 */

import type { BlockReader } from "@/plugins/contract.ts";
import { isUrl } from "@/plugins/kit/web_address.ts";
import { type Certificate, isValidAt, readCertificate } from "./certificates.ts";
import { type Binding, BINDINGS } from "./names.ts";

/** Configured members; they take precedence over the metadata. */
export interface IdpSettings {
  /** A URL, or the path of a file. */
  readonly metadata?: string;
  readonly entityId?: string;
  readonly signOn?: ConfiguredEndpoint;
  readonly logout?: ConfiguredEndpoint;
  readonly certificates: readonly Certificate[];
}

/** Both members may come from the metadata. */
export interface ConfiguredEndpoint {
  readonly url?: string;
  readonly binding?: Binding;
}

const KEYS = ["metadata", "entityId", "singleSignOnService", "singleLogoutService", "x509cert"];

/** The context of reading a provider's block. */
export interface IdpReading {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Reports a problem that does not prevent logins. */
  warn(key: string, message: string): void;
}

/** Without metadata all required members must be configured. */
export function readIdp(settings: BlockReader, reading: IdpReading): IdpSettings {
  const block = settings.block("idp", KEYS);
  const metadata = optional("metadata", block);
  const entityId = metadata === undefined ? block.text("entityId") : optional("entityId", block);
  const signOn = readEndpoint("singleSignOnService", block, { isNeeded: metadata === undefined });
  const logout = readEndpoint("singleLogoutService", block, { isNeeded: false });
  const certificates = readCertificates(block, reading);
  if (metadata === undefined && certificates.length === 0 && !block.hasRefused) {
    block.refuse("x509cert", "Is missing");
  }
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(entityId === undefined ? {} : { entityId }),
    ...(signOn ? { signOn } : {}),
    ...(logout ? { logout } : {}),
    certificates,
  };
}

/** Samples write empty texts for absent members. */
function optional(key: string, block: BlockReader): string | undefined {
  return block.value(key) === "" ? undefined : block.optional(key);
}

function readEndpoint(
  key: string,
  block: BlockReader,
  { isNeeded }: { readonly isNeeded: boolean },
): ConfiguredEndpoint | undefined {
  if (!isNeeded && !block.has(key)) return undefined;
  const endpoint = block.block(key, ["url", "binding"]);
  const url = isNeeded ? endpoint.text("url") : optional("url", endpoint);
  if (url !== undefined && url !== "" && !isUrl(url)) endpoint.refuse("url", "Expected a URL");
  const binding = endpoint.has("binding") ? readBinding(endpoint) : undefined;
  return { ...(url === undefined ? {} : { url }), ...(binding === undefined ? {} : { binding }) };
}

function readBinding(endpoint: BlockReader): Binding {
  const urn = endpoint.choice("binding", Object.values(BINDINGS));
  return urn === BINDINGS.post ? "post" : "redirect";
}

/**
 * One certificate, or a list while the provider changes from one to another. Certificates that are not valid now are
 * reported.
 */
function readCertificates(block: BlockReader, { now, warn }: IdpReading): readonly Certificate[] {
  const value = block.value("x509cert") ?? "";
  const written: readonly unknown[] = Array.isArray(value) ? value : value === "" ? [] : [value];
  const certificates = written.flatMap((text) => readOne(text, block) ?? []);
  for (const certificate of certificates) {
    if (isValidAt(certificate, now)) continue;
    const day = new Date(certificate.until).toISOString().slice(0, 10);
    warn("x509cert", certificate.until <= now ? `Has expired on ${day}` : "Is not valid yet");
  }
  return certificates;
}

function readOne(text: unknown, block: BlockReader): Certificate | undefined {
  try {
    if (typeof text !== "string") throw new Error("Expected a certificate in base64, or a list of them");
    return readCertificate(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    block.refuse("x509cert", error.message);
    return undefined;
  }
}
