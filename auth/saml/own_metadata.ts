/**
 * The metadata of this service for a provider.
 *
 * @module
 */

import samlify from "samlify";
import type { RouteAnswer } from "@/plugins/contract.ts";
import type { Arrived } from "@/plugins/kit/providers/identity_providers.ts";
import { base64Of } from "./certificates.ts";
import { newId } from "./messages.ts";
import { BINDINGS } from "./names.ts";
import type { Provider } from "./provider.ts";
import type { ProviderSettings } from "./settings.ts";
import { signDocument, signerIf } from "./signature.ts";

const { Constants, SPMetadata } = samlify;

/** The path of the document: `{idp_id}.xml`. */
export const METADATA = "/sso/metadata/saml/{file}";

/** Answers with the document. */
export function showMetadata({ provider }: Arrived<Provider>): RouteAnswer {
  const contentType = "application/samlmetadata+xml; charset=utf-8";
  return { kind: "text", contentType, text: metadataOf(provider) };
}

function metadataOf({ settings, metadataSigner }: Provider): string {
  const signer = metadataSigner ?? signerIf(settings.security.signMetadata === true, settings);
  const plain = plainMetadata(settings);
  if (!signer) return plain;
  const named = plain.replace("<EntityDescriptor ", `<EntityDescriptor ID="${newId()}" `);
  const [start = ""] = /^<EntityDescriptor [^>]*>/.exec(named) ?? [];
  return signDocument(named, start, signer);
}

function plainMetadata({ sp, security }: ProviderSettings): string {
  const certificate = sp.certificate && base64Of(sp.certificate);
  return SPMetadata({
    entityID: sp.entityId,
    elementsOrder: Constants.elementsOrder.shibboleth,
    authnRequestsSigned: security.authnRequestsSigned,
    wantAssertionsSigned: security.wantAssertionsSigned,
    nameIDFormat: [sp.nameIdFormat],
    ...(certificate === undefined ? {} : { signingCert: certificate }),
    ...(certificate === undefined || sp.key?.asymmetricKeyType !== "rsa" ? {} : { encryptCert: certificate }),
    assertionConsumerService: [{ isDefault: true, Binding: BINDINGS.post, Location: sp.acsUrl }],
    singleLogoutService: [
      { Binding: BINDINGS.redirect, Location: sp.logoutUrl },
      { Binding: BINDINGS.post, Location: sp.logoutUrl },
    ],
  }).getMetadata();
}
