/**
 * Judges that share no code with the service: xmlsec1 for signatures and encryption, xmllint for schemas.
 *
 * @module
 */

import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { findProgram } from "@/tests/support/servers/programs.ts";
import { type Identity, pemOf, privatePemOf } from "./certificate.ts";

/** Tells which of the programs are installed. Tests that need a missing one are ignored. */
export const HAS_XMLSEC = findProgram("xmlsec1") !== undefined;
/** Without it nothing can be held against the schemas. */
export const HAS_XMLLINT = findProgram("xmllint") !== undefined;

const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";

/** Elements whose `ID` can be signed. */
const SIGNABLE = [
  `${PROTOCOL}:Response`,
  `${PROTOCOL}:AuthnRequest`,
  `${PROTOCOL}:LogoutRequest`,
  `${PROTOCOL}:LogoutResponse`,
  `${ASSERTION}:Assertion`,
  `${METADATA}:EntityDescriptor`,
];

/** "ok" if the document's only or first signature is by this key, else the message of xmlsec1. */
export async function verifySignature(xml: string, key: Pick<Identity, "certificate">): Promise<string> {
  const ids = SIGNABLE.flatMap((name) => ["--id-attr:ID", name]);
  return await judge("xmlsec1", { "document.xml": xml, "key.pem": pemOf(key) }, (directory) => [
    "--verify",
    "--enabled-key-data",
    "rsa,dsa",
    "--pubkey-cert-pem",
    join(directory, "key.pem"),
    ...ids,
    join(directory, "document.xml"),
  ]);
}

/** Decrypts a document with the key. */
export async function decrypt(xml: string, key: Identity): Promise<string> {
  const files = { "document.xml": xml, "key.pem": privatePemOf(key) };
  return await judge("xmlsec1", files, (directory) => [
    "--decrypt",
    "--privkey-pem",
    join(directory, "key.pem"),
    join(directory, "document.xml"),
  ], true);
}

/** The files of the schemas that other schemas name by URL. The judge fetches nothing. */
const CATALOG: Readonly<Record<string, string>> = {
  "http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd": "xmldsig-core-schema.xsd",
  "http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd": "xenc-schema.xsd",
  "http://www.w3.org/2001/xml.xsd": "xml.xsd",
};
const SCHEMAS = join(ROOT, "auth", "saml", "schemas");

/** "ok" if the document fits the schema `protocol` or `metadata` of SAML 2.0, else the message of xmllint. */
export async function validate(xml: string, schema: "protocol" | "metadata"): Promise<string> {
  const file = join(SCHEMAS, `saml-schema-${schema}-2.0.xsd`);
  const entries = Object.entries(CATALOG).map(([uri, name]) =>
    `<system systemId="${uri}" uri="${join(SCHEMAS, name)}"/>`
  );
  const catalog = `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">${
    entries.join("")
  }</catalog>`;
  return await judge("xmllint", { "document.xml": xml, "catalog.xml": catalog }, (directory) => [
    "--nonet",
    "--noout",
    "--schema",
    file,
    join(directory, "document.xml"),
  ]);
}

/** `ok`, or the output of a failure; always the output if it is `wanted`. */
async function judge(
  command: string,
  files: Readonly<Record<string, string>>,
  argumentsIn: (directory: string) => readonly string[],
  wanted = false,
): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-judge-" });
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(directory, name), text);
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args: [...argumentsIn(directory)],
      env: { XML_CATALOG_FILES: join(directory, "catalog.xml") },
      stdin: "null",
    }).output();
    const [said, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    if (!success) return `${command}: ${said}${errors}`;
    return wanted ? said ?? "" : "ok";
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
