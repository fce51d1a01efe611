/**
 * The metadata of this service for a provider.
 *
 * @module
 */

import { resolve } from "node:path";
import samlify from "samlify";
import type { AuthHost, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";
import { readCertificate, readPrivateKey } from "./certificates.ts";
import { isPair } from "./key_settings.ts";
import { newId } from "./messages.ts";
import { BINDINGS, SIGNATURE_ALGORITHMS } from "./names.ts";
import type { Provider } from "./provider.ts";
import type { MetadataFiles } from "./security_settings.ts";
import type { ProviderSettings } from "./settings.ts";
import { signDocument, type Signer } from "./sign.ts";
import { signerIf, type Surroundings, unknownProvider } from "./surroundings.ts";

const { Constants, SPMetadata } = samlify;

/** The path of the document: `{idp_id}.xml`. */
export const METADATA = "/sso/metadata/saml/{file}";

/** Answers with the document. */
export function showMetadata({ parameters }: RouteRequest, { providers }: Surroundings): RouteAnswer {
  const [, id = ""] = /^(.+)\.xml$/.exec(parameters.get("file") ?? "") ?? [];
  const provider = providers.get(id);
  if (!provider) return unknownProvider();
  const text = metadataOf(provider);
  return { kind: "text", contentType: "application/samlmetadata+xml; charset=utf-8", text };
}

/** Reads the files of `signMetadata`. The message of its error is for the operator. */
export async function readMetadataSigner(
  { keyFileName, certFileName }: MetadataFiles,
  { security: { signatureAlgorithm, digestAlgorithm } }: ProviderSettings,
  { directory }: Pick<AuthHost, "directory">,
): Promise<Signer> {
  const key = readPrivateKey(await textOf(keyFileName, directory));
  const certificate = readCertificate(await textOf(certFileName, directory));
  if (!isPair(certificate, key)) throw new Error("Expected the key and the certificate of one pair");
  const wanted = SIGNATURE_ALGORITHMS.get(signatureAlgorithm)?.keyType;
  if (key.asymmetricKeyType !== wanted) throw new Error(`Expected a key that fits signatureAlgorithm`);
  return { key, certificate: certificate.text, signatureAlgorithm, digestAlgorithm };
}

async function textOf(file: string, directory: string): Promise<string> {
  try {
    return await Deno.readTextFile(resolve(directory, file));
  } catch (error) {
    if (error instanceof Error) throw new Error(`Cannot read "${file}": ${error.message}`);
    throw error;
  }
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
  const certificate = sp.certificate?.text;
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
