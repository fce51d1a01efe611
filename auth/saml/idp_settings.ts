/**
 * Reads `settings.idp` of a provider: the configured members. The metadata has the rest.
 *
 * @module
 */

import type { X509Certificate } from "node:crypto";
import {
  complain,
  inside,
  type Members,
  nested,
  oneOf,
  parsed,
  type Place,
  present,
  requireValue,
  unlessEmpty,
} from "@/plugins/kit/members.ts";
import { webAddress, writtenText } from "@/plugins/kit/provider_blocks.ts";
import { isValidAt, readCertificate } from "./certificates.ts";
import { type Binding, bindingOf, BINDINGS } from "./names.ts";

/** Configured members; they take precedence over the metadata. */
export interface IdpSettings {
  /** A URL, or the path of a file. */
  readonly metadata?: string;
  readonly entityId?: string;
  /** The address and the binding may come from the metadata. */
  readonly signOn?: ConfiguredEndpoint;
  readonly logout?: ConfiguredEndpoint;
  readonly certificates: readonly X509Certificate[];
}

const CERTIFICATE = parsed(readCertificate);
const URNS = oneOf(Object.values(BINDINGS));
const ENDPOINT = nested({ url: unlessEmpty(webAddress), binding: readBinding });

/** A configured address for messages. */
export type ConfiguredEndpoint = NonNullable<ReturnType<typeof ENDPOINT>>;

/** The members of `settings.idp`. */
export const IDP = nested({
  metadata: unlessEmpty(writtenText),
  entityId: unlessEmpty(writtenText),
  singleSignOnService: ENDPOINT,
  singleLogoutService: ENDPOINT,
  x509cert: readCertificates,
});

/** Without metadata all required members must be configured; `place` is that of the block. */
export function settleIdp(read: Members<typeof IDP.shape>, place: Place): IdpSettings {
  const { metadata, entityId, singleSignOnService, singleLogoutService, x509cert } = read;
  if (metadata === undefined) {
    requireValue(entityId, inside(place, "entityId"));
    requireValue(singleSignOnService?.url, inside(inside(place, "singleSignOnService"), "url"));
    requireValue(x509cert, inside(place, "x509cert"));
  }
  const endpoints = { signOn: singleSignOnService, logout: singleLogoutService };
  return { certificates: x509cert ?? [], ...present({ metadata, entityId, ...endpoints }) };
}

/** Why a certificate cannot be used at this time, in milliseconds since 1970; undefined if it can. */
export function invalidityOf(certificate: X509Certificate, now: number): string | undefined {
  if (isValidAt(certificate, now)) return undefined;
  const end = certificate.validToDate;
  const day = end.toISOString().slice(0, 10);
  return end.getTime() <= now ? `Has expired on ${day}` : "Is not valid yet";
}

function readBinding(value: unknown, place: Place): Binding | undefined {
  return bindingOf(URNS(value, place));
}

/** One certificate, or several while the provider changes from one to another. */
function readCertificates(value: unknown, place: Place): readonly X509Certificate[] | undefined {
  const written: readonly unknown[] = Array.isArray(value) ? value : value === "" ? [] : [value];
  const certificates = written.flatMap((text) => {
    if (typeof text === "string") return CERTIFICATE(text, place) ?? [];
    complain(place, "Expected a certificate in base64, or a list of them");
    return [];
  });
  return certificates.length === 0 ? undefined : certificates;
}
