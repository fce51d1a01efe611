/**
 * Documents: lists of databases and tables, settings.
 *
 * @module
 */

import type { Document, Json, JsonObject, Problem } from "@/plugins/contract.ts";
import { isList, isObject, isReference, referenceOf } from "@/plugins/kit/formats.ts";
import type { Frame } from "./frame.ts";
import { escapeAttribute, escapeText } from "./text.ts";

/** A list becomes an element per item, named as the document; an object an element per key. */
export function writeDocument(document: Document, frame: Frame): string {
  const { tree } = document;
  if (isObject(tree)) return frame.open(hrefOf(tree, frame)) + "\n" + writeLines(tree, frame) + frame.close;
  const items = isList(tree) ? tree : [tree];
  const lines = items.map((item) => writeItem(document.name, item, frame) + "\n");
  return frame.open() + "\n" + lines.join("") + frame.close;
}

/** An error, with the members that the API specifies. */
export function writeProblem({ httpCode, description, urlTemplate }: Problem, frame: Frame): string {
  return `${frame.open()}<http_code>${httpCode}</http_code>` +
    `<description>${escapeText(description)}</description>` +
    (urlTemplate === undefined ? "" : `<url_template>${escapeText(urlTemplate)}</url_template>`) +
    frame.close;
}

function writeLines(tree: JsonObject, frame: Frame): string {
  return members(tree, frame).map(([key, value]) => {
    const text = writeMember(key, value, frame);
    return text === "" ? "" : text + "\n";
  }).join("");
}

/** A list becomes one element per item, with the name of the key. */
function writeMember(key: string, value: Json, frame: Frame): string {
  if (isList(value)) return value.map((item) => writeItem(key, item, frame)).join("");
  if (value === null && !frame.nilVisible) return "";
  return writeItem(key, value, frame);
}

/** Always one element, so that the items of a list keep their positions. */
function writeItem(key: string, value: Json, frame: Frame): string {
  const name = frame.encodeName(key);
  if (value === null) return `<${name} xsi:nil="true"/>`;
  if (isList(value)) return `<${name}>${writeMember(key, value, frame)}</${name}>`;
  if (!isObject(value)) return `<${name}>${escapeText(String(value))}</${name}>`;
  const content = members(value, frame).map(([child, item]) => writeMember(child, item, frame)).join("");
  const start = `<${name}${hrefOf(value, frame)}`;
  return content === "" ? `${start}/>` : `${start}>${content}</${name}>`;
}

function members(value: JsonObject, { refidPrefix }: Frame): [string, Json][] {
  return Object.entries(value).filter(([key, item]) => !isReference(key, item, refidPrefix));
}

function hrefOf(value: JsonObject, { href, refidPrefix }: Frame): string {
  const reference = href ? referenceOf(value, refidPrefix) : undefined;
  return reference === undefined ? "" : ` href="${escapeAttribute(reference)}"`;
}
