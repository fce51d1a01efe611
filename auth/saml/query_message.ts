/**
 * Messages in addresses. Their signature covers the undecoded text of the address, so that text is parsed.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { inflate, type MessageField } from "./bindings.ts";
import { decodeBase64 } from "./bounded_text.ts";
import { allowedAlgorithm, BY_NOBODY, isSignedBy, type SignatureRules } from "./check_signature.ts";
import { require } from "./rejection.ts";

/** A received message. */
export interface Incoming {
  readonly field: MessageField;
  readonly bytes: Uint8Array;
  readonly relayState?: string;
  /** Verifies the signature beside the message; false without one. Throws {@link Rejection} for an invalid one. */
  isSigned(rules: SignatureRules): boolean;
}

const NAMES: readonly string[] = ["SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature"];

/** The message in the query of an address. Throws {@link Rejection} unless there is exactly one. */
export function readQuery(search: string): Incoming {
  const raw = partsOf(search);
  const field = fieldIn(raw);
  const relayState = raw.has("RelayState") ? decode(raw.get("RelayState")) : undefined;
  return {
    field,
    bytes: inflate(decodeBase64(decode(raw.get(field)))),
    ...(relayState === undefined ? {} : { relayState }),
    isSigned: (rules) => isSigned(raw, field, rules),
  };
}

/** The only one of the two fields that is present. */
export function fieldIn(fields: ReadonlyMap<string, string>): MessageField {
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
  require(isSignedBy(rules.keys, Buffer.from(text), { algorithm, value }), BY_NOBODY);
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
