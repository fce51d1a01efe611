/**
 * Reads the metadata of a provider.
 *
 * @module
 */

import type { XmlElement } from "libxml2-wasm";
import { Buffer } from "node:buffer";
import type { X509Certificate } from "node:crypto";
import { Rejection } from "@/plugins/kit/providers/login_failure.ts";
import { isUrl } from "@/plugins/kit/providers/provider_blocks.ts";
import { isSupported, parseCertificate } from "./certificates.ts";
import { type Binding, bindingOf, NAMESPACES } from "./names.ts";
import type { Schemas } from "./schema.ts";
import { childrenOf, type Element, everythingIn, parseXml, timeIn, treeOf } from "./xml.ts";

/** The metadata of a provider. */
export interface Metadata {
  readonly entityId: string;
  readonly signOn: readonly Endpoint[];
  readonly logout: readonly Endpoint[];
  readonly signing: readonly X509Certificate[];
  readonly encryption: readonly X509Certificate[];
  /** End of their validity, in milliseconds since 1970; infinite if not stated. */
  readonly until: number;
}

/** An address for messages. */
export interface Endpoint {
  readonly url: string;
  readonly binding: Binding;
  /** The address for answers, if it differs. */
  readonly responseUrl?: string;
}

const { metadata: MD, signature: DS, protocol: PROTOCOL } = NAMESPACES;

/** The context of reading metadata. */
interface MetadataRules {
  readonly schemas: Schemas;
  /** Selects one of several providers. */
  readonly entityId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The message of its error says what is wrong. */
export function readMetadata(text: string, { schemas, entityId, now }: MetadataRules): Metadata {
  const root = treeOfMetadata(text, schemas);
  const providers = [...everythingIn(root)].filter(isProvider);
  const chosen = entityId === undefined
    ? providers
    : providers.filter(({ attributes }) => attributes.get("entityID") === entityId);
  const [entity, ...others] = chosen;
  if (!entity) throw new Error("It describes no such identity provider");
  if (others.length > 0) {
    throw new Error("It describes several identity providers: entityId has to say which");
  }
  const until = untilOf([...wayTo(entity, root), ...rolesOf(entity)]);
  if (until <= now) throw new Error("Its validUntil is over");
  return { ...describe(entity), until };
}

/** The ancestors of an element, from the outermost one, and itself; empty if it is not inside `around`. */
function wayTo(wanted: Element, around: Element): readonly Element[] {
  if (around === wanted) return [around];
  for (const child of around.children) {
    const way = wayTo(wanted, child);
    if (way.length > 0) return [around, ...way];
  }
  return [];
}

function untilOf(elements: readonly Element[]): number {
  return Math.min(...elements.map((element) => timeIn(element, "validUntil") ?? Infinity));
}

function treeOfMetadata(text: string, schemas: Schemas): Element {
  if (text.includes("<!DOCTYPE")) throw new Error("It has a document type");
  try {
    using document = parseXml(text.replace(/^\uFEFF/, ""));
    removeOtherRoles(document.root);
    schemas.require(document);
    return treeOf(document.root);
  } catch (error) {
    // The library's messages may quote the document.
    if (error instanceof Rejection) {
      const [, place = ""] = /schema(: .*)$/.exec(error.message) ?? [];
      throw new Error(`It is no XML that fits the schema of metadata${place}`);
    }
    throw error;
  }
}

/**
 * Roles of other protocols have types that no schema here defines, so they are removed with their content.
 */
function removeOtherRoles(root: XmlElement): void {
  const outermost = "//md:RoleDescriptor[not(ancestor::md:RoleDescriptor)]";
  for (const role of root.find(outermost, { md: MD })) role.remove();
}

function isProvider(element: Element): boolean {
  return element.namespace === MD && element.name === "EntityDescriptor" && rolesOf(element).length > 0;
}

function rolesOf(entity: Element): readonly Element[] {
  return childrenOf(entity, MD, "IDPSSODescriptor").filter(({ attributes }) =>
    attributes.get("protocolSupportEnumeration")?.split(/\s+/).includes(PROTOCOL)
  );
}

function describe(entity: Element): Omit<Metadata, "until"> {
  const roles = rolesOf(entity);
  const keys = roles.flatMap((role) => childrenOf(role, MD, "KeyDescriptor"));
  const signing = certificatesIn(keys, "signing");
  if (signing.length === 0) {
    throw new Error("It has no certificate of RSA or DSA for signatures whose key is long enough");
  }
  return {
    entityId: entity.attributes.get("entityID") ?? "",
    signOn: endpointsIn(roles, "SingleSignOnService"),
    logout: endpointsIn(roles, "SingleLogoutService"),
    signing,
    encryption: certificatesIn(keys, "encryption"),
  };
}

/** A key without stated use serves both uses. Unsupported kinds of keys may stand beside others. */
function certificatesIn(keys: readonly Element[], use: string): readonly X509Certificate[] {
  const texts = keys.filter(({ attributes }) => (attributes.get("use") ?? use) === use)
    .flatMap((key) => childrenOf(key, DS, "KeyInfo"))
    .flatMap((info) => childrenOf(info, DS, "X509Data"))
    .flatMap((data) => childrenOf(data, DS, "X509Certificate"));
  const unique = new Set(texts.map(({ text }) => text.replace(/\s+/g, "")));
  const certificates = [...unique].map((text) =>
    parseCertificate(Buffer.from(text, "base64").toString("base64"))
  );
  return certificates.filter(isSupported);
}

/** Endpoints with a binding through browsers. */
function endpointsIn(roles: readonly Element[], name: string): readonly Endpoint[] {
  return roles.flatMap((role) => childrenOf(role, MD, name)).flatMap(({ attributes }) => {
    const binding = bindingOf(attributes.get("Binding"));
    const url = attributes.get("Location")?.trim() ?? "";
    const responseUrl = attributes.get("ResponseLocation")?.trim() ?? url;
    return binding && isUrl(url) && isUrl(responseUrl) ? [{ url, binding, responseUrl }] : [];
  });
}
