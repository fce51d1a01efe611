/**
 * Metadata of identity providers.
 *
 * @module
 */

import type { Identity } from "./certificate.ts";
import { certificateInfo } from "./signature.ts";
import { element, root, textOf } from "./xml.ts";

/** A binding: the message is in the query string. */
export const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/** A binding: the message is in a form that sends itself. */
export const POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

/** A place of a provider: how it is reached, and where. */
export interface Endpoint {
  readonly binding: string;
  readonly location: string;
}

/** The content of metadata. */
export interface MetadataOptions {
  readonly entityId: string;
  /** Certificates of keys that sign, or of keys for everything. */
  readonly keys: readonly Pick<Identity, "certificate">[];
  readonly use?: "signing" | "encryption" | "any";
  readonly signOn: readonly Endpoint[];
  readonly signOff?: readonly Endpoint[];
  readonly validUntil?: string;
  /** XML behind the description of the provider: that of a service, for instance. */
  readonly more?: string;
}

/** An `EntityDescriptor`. */
export function providerMetadata(options: MetadataOptions): string {
  const { entityId, keys, use = "signing", signOn, signOff = [], validUntil, more = "" } = options;
  return root(
    "md:EntityDescriptor",
    { entityID: entityId, validUntil },
    element(
      "md:IDPSSODescriptor",
      { protocolSupportEnumeration: "urn:oasis:names:tc:SAML:2.0:protocol" },
      ...keys.map((key) => descriptor(key, use)),
      ...signOff.map((place) => endpoint("md:SingleLogoutService", place)),
      element("md:NameIDFormat", {}, "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"),
      ...signOn.map((place) => endpoint("md:SingleSignOnService", place)),
    ),
    more,
  );
}

function descriptor(key: Pick<Identity, "certificate">, use: "signing" | "encryption" | "any"): string {
  const info = root("ds:KeyInfo", {}, certificateInfo(key));
  return element("md:KeyDescriptor", { use: use === "any" ? undefined : use }, info);
}

function endpoint(name: string, { binding, location }: Endpoint): string {
  return element(name, { Binding: binding, Location: textOf(location) });
}
