/**
 * Sends messages through browsers: in an address, or in a form.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Onward } from "@/plugins/contract.ts";
import { LARGEST } from "./bounded_text.ts";
import type { Endpoint } from "./metadata.ts";
import { Rejection } from "./rejection.ts";
import { signatureOf, signDocument, type Signer } from "./sign.ts";

/** The field with a message. */
export type MessageField = "SAMLRequest" | "SAMLResponse";

/** A message to send. */
export interface Outgoing {
  readonly field: MessageField;
  readonly xml: string;
  /** Absent: not signed. */
  readonly signer?: Signer | undefined;
  readonly relayState?: string | undefined;
}

/** Leads the browser to a provider with the message. */
export function send({ url, binding }: Endpoint, message: Outgoing): Onward {
  return binding === "redirect"
    ? { kind: "redirect", status: 302, to: addressOf(url, message) }
    : { kind: "send", to: url, fields: fieldsOf(message) };
}

/** Inflates bytes. Throws {@link Rejection} if the result is too large. */
export function inflate(bytes: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: LARGEST });
  } catch (error) {
    if (error instanceof Error) {
      throw new Rejection("a message that cannot be inflated, or is too large", error);
    }
    throw error;
  }
}

/** The schema requires the signature after the issuer. */
function fieldsOf({ field, xml, signer, relayState }: Outgoing): Readonly<Record<string, string>> {
  const signed = signer ? signDocument(xml, "</saml:Issuer>", signer) : xml;
  const message = { [field]: Buffer.from(signed).toString("base64") };
  return relayState === undefined ? message : { ...message, RelayState: relayState };
}

/** The signature covers the text of the address itself, in this order. */
function addressOf(url: string, { field, xml, signer, relayState }: Outgoing): string {
  const message = [[field, deflateRawSync(xml).toString("base64")], ["RelayState", relayState]];
  const signed = [...message, ...(signer ? [["SigAlg", signer.signatureAlgorithm]] : [])];
  const query = signed.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  ).join("&");
  const signature = signer ? `&Signature=${encodeURIComponent(signatureOf(query, signer))}` : "";
  return `${url}${url.includes("?") ? "&" : "?"}${query}${signature}`;
}
