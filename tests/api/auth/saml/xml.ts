/**
 * Writes XML that is its own exclusive canonical form, if each namespace is declared where it is first used.
 * The text can be digested, signed and wrapped without changes.
 *
 * @module
 */

/** Namespaces by prefix. */
const NAMESPACES = {
  samlp: "urn:oasis:names:tc:SAML:2.0:protocol",
  saml: "urn:oasis:names:tc:SAML:2.0:assertion",
  md: "urn:oasis:names:tc:SAML:2.0:metadata",
  ds: "http://www.w3.org/2000/09/xmldsig#",
  xenc: "http://www.w3.org/2001/04/xmlenc#",
  xenc11: "http://www.w3.org/2009/xmlenc11#",
} as const;

/** Attributes without a value are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>;

/** An element inside one that declares its namespace. `content` is XML. */
export function element(name: string, attributes: Attributes = {}, ...content: readonly string[]): string {
  return `<${name}${write(attributes)}>${content.join("")}</${name}>`;
}

/** An element that declares the namespace of its prefix. */
export function root(name: string, attributes: Attributes = {}, ...content: readonly string[]): string {
  const prefix = name.slice(0, name.indexOf(":"));
  const namespace = Object.entries(NAMESPACES).find(([other]) => other === prefix)?.[1] ?? "";
  return `<${name} xmlns:${prefix}="${namespace}"${write(attributes)}>${content.join("")}</${name}>`;
}

/** Text escaped for element content. */
export function textOf(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(
    "\r",
    "&#xD;",
  );
}

/** A moment as SAML writes it. */
export function moment(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function write(attributes: Attributes): string {
  return Object.entries(attributes)
    .toSorted(([one], [other]) => one < other ? -1 : 1)
    .map(([name, value]) => value === undefined ? "" : ` ${name}="${quoted(value)}"`)
    .join("");
}

function quoted(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
