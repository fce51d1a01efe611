/**
 * The schemas of the standards, which every message must match. They are in this folder; the parser loads
 * nothing from elsewhere, and after they are read nothing at all.
 *
 * @module
 */

import {
  XmlBufferInputProvider,
  xmlCleanupInputProvider,
  XmlDocument,
  xmlRegisterInputProvider,
  XmlValidateError,
  XsdValidator,
} from "libxml2-wasm";
import { basename, join } from "node:path";
import { Rejection } from "@/plugins/kit/providers/login_failure.ts";
import { NAMESPACES } from "./names.ts";

/** Validates documents. */
export interface Schemas {
  /** Throws {@link Rejection}. */
  require(document: XmlDocument): void;
}

/** The names in the schemas' references; each ends with the name of a file. */
const REFERENCES = [
  "saml-schema-protocol-2.0.xsd",
  "saml-schema-metadata-2.0.xsd",
  "saml-schema-assertion-2.0.xsd",
  "http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd",
  "http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd",
  "http://www.w3.org/2001/xml.xsd",
  "xenc11-schema.xsd",
  "xmldsig-core-schema.xsd",
  "xenc-schema.xsd",
];

const ALL = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:import namespace="${NAMESPACES.protocol}" schemaLocation="saml-schema-protocol-2.0.xsd"/>
  <xs:import namespace="${NAMESPACES.metadata}" schemaLocation="saml-schema-metadata-2.0.xsd"/>
  <xs:import namespace="${NAMESPACES.encryption11}" schemaLocation="xenc11-schema.xsd"/>
</xs:schema>`;

let opened: Promise<Schemas> | undefined;

/** Reads the schemas on first use. */
export function openSchemas(): Promise<Schemas> {
  return opened ??= readSchemas();
}

async function readSchemas(): Promise<Schemas> {
  const entries = await Promise.all(REFERENCES.map(async (name) => {
    const path = join(import.meta.dirname ?? "", "schemas", basename(name));
    return [name, await Deno.readFile(path)] as const;
  }));
  const validator = compile(Object.fromEntries(entries));
  return {
    require: (document) => {
      try {
        validator.validate(document);
      } catch (error) {
        if (!(error instanceof XmlValidateError)) throw error;
        throw new Rejection(`a message that does not fit the schema${placeIn(error)}`, { cause: error });
      }
    },
  };
}

/** The place of the first mistake, without the library's message, which may quote values. */
function placeIn({ details: [first] }: XmlValidateError): string {
  const [, element, attribute] =
    /^Element '(?:\{[^}]*\})?([\w.-]{1,60})'(?:, attribute '(?:\{[^}]*\})?([\w.-]{1,60})')?/.exec(
      first?.message ?? "",
    ) ?? [];
  if (element === undefined) return "";
  return attribute === undefined ? `: element ${element}` : `: attribute ${attribute} of element ${element}`;
}

function compile(files: Record<string, Uint8Array>): XsdValidator {
  xmlRegisterInputProvider(new XmlBufferInputProvider(files));
  try {
    using schema = XmlDocument.fromString(ALL, { url: "saml:all" });
    return XsdValidator.fromDoc(schema);
  } finally {
    xmlCleanupInputProvider();
  }
}
