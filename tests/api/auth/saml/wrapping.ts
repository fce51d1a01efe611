/**
 * Signature wrapping: documents in which the signature of a right answer is still right, and something else
 * stands where a careless reader looks. Numbers are those of the paper "On Breaking SAML" (2012).
 *
 * @module
 */

import { buildAssertion, buildResponse, newId } from "./response.ts";
import type { ResponseOptions } from "./response_options.ts";
import { idOf } from "./signature.ts";
import { element } from "./xml.ts";

/** A provider's statement, and the one that an attacker wants. */
interface Pieces {
  /** The right document, for carl. */
  readonly document: string;
  /** Its assertion with and without signature, and the signature. */
  readonly signed: string;
  readonly plain: string;
  readonly signature: string;
  /** An unsigned assertion for anna. */
  readonly evil: string;
}

/** Makes an attack's document of a right one. */
export type Wrap = (right: ResponseOptions) => string;

/** The user whom the provider vouches for in every one of these documents. */
export const VOUCHED = "carl@example.com";

function piecesOf(right: ResponseOptions, signs: "assertion" | "response"): Pieces {
  const document = buildResponse({ ...right, nameId: VOUCHED, signs: [signs] });
  const [signature = ""] = /<ds:Signature .*?<\/ds:Signature>/.exec(document) ?? [];
  const [signed = ""] = /<saml:Assertion .*<\/saml:Assertion>/.exec(document) ?? [];
  const plain = signed.replace(signature, "");
  const evil = buildAssertion({ ...right, nameId: "anna@example.com" });
  return { document, signature, signed, plain, evil };
}

const withinAssertion = (wrap: (pieces: Pieces) => string): Wrap => (right) =>
  wrap(piecesOf(right, "assertion"));
const withinResponse = (wrap: (pieces: Pieces) => string): Wrap => (right) =>
  wrap(piecesOf(right, "response"));

/** An element with more behind its issuer, or at its end. */
const afterIssuer = (xml: string, more: string) => xml.replace("</saml:Issuer>", `</saml:Issuer>${more}`);
const atEnd = (xml: string, more: string) => xml.replace(/<\/[^<]+>$/, (end) => more + end);
/** A signature with something in it. */
const inside = (signature: string, more: string) =>
  signature.replace("</ds:Signature>", `${more}</ds:Signature>`);
const object = (xml: string) => element("ds:Object", {}, xml);

/** The response of carl without signature, and one like it that names anna. */
function responses({ document, signature, plain, evil }: Pieces) {
  const original = document.replace(signature, "");
  const forged = original.replace(plain, evil).replace(` ID="${idOf(original)}"`, ` ID="${newId()}"`);
  return { original, forged };
}

/** Attacks by their name. */
export const WRAPPINGS: Readonly<Record<string, Wrap>> = {
  "XSW1: the signed response inside the signature of another": withinResponse((pieces) => {
    const { original, forged } = responses(pieces);
    return afterIssuer(forged, inside(pieces.signature, original));
  }),
  "XSW2: the signed response before its signature in another": withinResponse((pieces) => {
    const { original, forged } = responses(pieces);
    return afterIssuer(forged, original + pieces.signature);
  }),
  "XSW3: an unsigned assertion before the signed one": withinAssertion(({ document, signed, evil }) =>
    document.replace(signed, evil + signed)
  ),
  "XSW4: the signed assertion inside an unsigned one": withinAssertion(({ document, signed, evil }) =>
    document.replace(signed, atEnd(evil, signed))
  ),
  "XSW5: the signature in another assertion, the signed one behind it": withinAssertion((pieces) => {
    const { document, signed, signature, plain, evil } = pieces;
    return document.replace(signed, afterIssuer(evil, signature) + plain);
  }),
  "XSW6: the signed assertion inside the signature of another": withinAssertion((pieces) => {
    const { document, signed, signature, plain, evil } = pieces;
    return document.replace(signed, afterIssuer(evil, inside(signature, plain)));
  }),
  "XSW7: an unsigned assertion among extensions": withinAssertion(({ document, evil }) =>
    afterIssuer(document, element("samlp:Extensions", {}, evil))
  ),
  "XSW8: the signed assertion in an object of the signature of another": withinAssertion((pieces) => {
    const { document, signed, signature, plain, evil } = pieces;
    return document.replace(signed, afterIssuer(evil, inside(signature, object(plain))));
  }),
  "an unsigned assertion behind the signed one": withinAssertion(({ document, signed, evil }) =>
    document.replace(signed, signed + evil)
  ),
  "an unsigned assertion of the same ID before the signed one": withinAssertion((
    { document, signed, evil },
  ) => document.replace(signed, evil.replace(idOf(evil), idOf(signed)) + signed)),
  "an unsigned assertion of the same ID behind the signed one": withinAssertion((
    { document, signed, evil },
  ) => document.replace(signed, signed + evil.replace(idOf(evil), idOf(signed)))),
  "the ID of the response is that of the signed assertion": withinAssertion(({ document, signed }) =>
    document.replace(` ID="${idOf(document)}"`, ` ID="${idOf(signed)}"`)
  ),
  "an element of nobody with the ID of the signed assertion": withinAssertion(({ document, signed }) =>
    document.replace(
      "</samlp:Status>",
      (end) => `<samlp:StatusDetail><x xmlns="urn:x" ID="${idOf(signed)}"></x></samlp:StatusDetail>${end}`,
    )
  ),
  "another response in the status": withinAssertion(({ document, signed }) => {
    const inner = document.replace(signed, "").replace(` ID="${idOf(document)}"`, ` ID="${newId()}"`);
    return document.replace(
      "</samlp:Status>",
      (end) => `<samlp:StatusDetail>${inner}</samlp:StatusDetail>${end}`,
    );
  }),
  "the signed response inside an attribute's value of another": withinResponse((pieces) => {
    const { original, forged } = responses(pieces);
    const held = afterIssuer(original, pieces.signature);
    return forged.replace("</saml:AttributeValue>", `${held}</saml:AttributeValue>`);
  }),
  "the signed assertion in an attribute's value of another": withinAssertion(({ document, signed, evil }) =>
    document.replace(signed, evil.replace("</saml:AttributeValue>", `${signed}</saml:AttributeValue>`))
  ),
  "the signed assertion as advice of another": withinAssertion(({ document, signed, evil }) =>
    document.replace(
      signed,
      evil.replace("</saml:Conditions>", `</saml:Conditions><saml:Advice>${signed}</saml:Advice>`),
    )
  ),
  "the signed assertion in the status, another in its place": withinAssertion(({ document, signed, evil }) =>
    document.replace(signed, evil).replace(
      "</samlp:Status>",
      `<samlp:StatusDetail>${signed}</samlp:StatusDetail></samlp:Status>`,
    )
  ),
  "a response around the signed response": withinResponse((pieces) => {
    const { original, forged } = responses(pieces);
    return atEnd(forged, afterIssuer(original, pieces.signature));
  }),
};
