/**
 * Messages that travel through browsers: in an address, or in a form.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Onward, RouteRequest } from "@/plugins/contract.ts";
import { OtherKey, Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import { decodeBase64, LARGEST } from "./bounded_text.ts";
import type { Endpoint } from "./metadata.ts";
import {
  allowedAlgorithm,
  BY_NOBODY,
  isSignedBy,
  signatureOf,
  type SignatureRules,
  signDocument,
  type Signer,
} from "./signature.ts";

type MessageField = "SAMLRequest" | "SAMLResponse";

/** A message to send. */
interface Outgoing {
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

/** A received message. */
export interface Incoming {
  readonly field: MessageField;
  readonly bytes: Uint8Array;
  readonly relayState: string | undefined;
  /**
   * Verifies the signature beside the message; false without one. Throws
   * {@link Rejection} for an invalid one.
   */
  isSigned(rules: SignatureRules): boolean;
}

/** The fields of a form; JSON of a program counts as empty. */
export async function formIn({ headers, fields }: RouteRequest): Promise<ReadonlyMap<string, string>> {
  const isJson = /^application\/json\b/i.test(headers.get("content-type") ?? "");
  return isJson ? new Map() : await fields();
}

/** The message in a form. Throws {@link Rejection} unless there is exactly one. */
export async function readForm(request: RouteRequest): Promise<Incoming> {
  const fields = await formIn(request);
  const field = fieldIn(fields);
  return {
    field,
    bytes: decodeBase64(fields.get(field) ?? ""),
    relayState: fields.get("RelayState"),
    isSigned: () => false,
  };
}

const NAMES: readonly string[] = ["SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature"];

/**
 * The message in the query of an address, whose signature covers the undecoded text. Throws {@link
 * Rejection} unless there is exactly one.
 */
export function readQuery(search: string): Incoming {
  const raw = partsOf(search);
  const field = fieldIn(raw);
  return {
    field,
    bytes: inflate(decodeBase64(decode(raw.get(field)))),
    relayState: raw.has("RelayState") ? decode(raw.get("RelayState")) : undefined,
    isSigned: (rules) => isSigned(raw, field, rules),
  };
}

function inflate(bytes: Uint8Array): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: LARGEST });
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new Rejection("a message that cannot be inflated, or is too large", { cause });
  }
}

/** The only one of the two fields that is present. */
function fieldIn(fields: ReadonlyMap<string, string>): MessageField {
  const [field, ...others] = (["SAMLRequest", "SAMLResponse"] as const).filter((name) => fields.has(name));
  require(field !== undefined && others.length === 0, "an address without one message");
  return field;
}

function partsOf(search: string): ReadonlyMap<string, string> {
  const raw = new Map<string, string>();
  for (const part of search.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (!NAMES.includes(name)) continue;
    require(!raw.has(name), "an address in which something stands twice");
    raw.set(name, value.join("="));
  }
  return raw;
}

function isSigned(raw: ReadonlyMap<string, string>, field: string, rules: SignatureRules): boolean {
  if (!raw.has("Signature")) return false;
  const algorithm = allowedAlgorithm(decode(raw.get("SigAlg")), rules);
  const signed = [field, "RelayState", "SigAlg"].filter((name) => raw.has(name));
  const text = signed.map((name) => `${name}=${raw.get(name)}`).join("&");
  const value = decodeBase64(decode(raw.get("Signature")));
  if (!isSignedBy(rules.keys, Buffer.from(text), { algorithm, value })) throw new OtherKey(BY_NOBODY);
  return true;
}

function decode(raw = ""): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch (error) {
    require(!(error instanceof URIError), "an address that cannot be read");
    throw error;
  }
}
