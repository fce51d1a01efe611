/**
 * The body of a request to a route: a few named texts, from a form or a JSON object.
 *
 * @module
 */

import { badRequest, quote, type ServiceError } from "@/core/errors.ts";
import { type BodySource, readBytes, readText } from "./body.ts";
import { charsetOf, contentTypeOf, refuseEncoded, unreadableType } from "./body_format.ts";

const FORM = "application/x-www-form-urlencoded";
const WITH_FILES = "multipart/form-data";
const JSON_TYPE = "application/json";

/** The values of a form that is shown again: by name, with the mistake of each field and of the whole. */
export interface FormState {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly complaints: ReadonlyMap<string, string>;
  readonly problem?: string;
  /** Another user has changed the record since the form was shown. */
  readonly isOutdated?: true;
}

/** Largest number of fields of a form: that of a user has two for each table of each database. */
const MOST_VALUES = 30_000;
/** Parts take longer to read. Forms with files are about a record: tables have some thousand columns. */
const MOST_PARTS = 10_000;

/** The name under which a form has the reason why its file is no text. */
export const UNREAD = "ui.unread";

/**
 * The values of a form by name, in their order. The bytes of a file for a column are base64. Other files are
 * text, or {@link UNREAD}. A field without a chosen file has no value. Throws 415, 413 and 400 as
 * {@link readFields}.
 */
export async function readForm(
  source: BodySource,
  limit: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { type, charset } = typeOf(source.headers, [FORM, WITH_FILES]);
  const options = { limit, label: "form", charset };
  const pairs = type === FORM
    ? readPairs(await readText(source, options))
    : await readParts(await readBytes(source, options), source.headers);
  const groups = Map.groupBy(pairs, ([name]) => name);
  return new Map([...groups].map(([name, list]) => [name, list.map(([, value]) => value)]));
}

/** The type and charset of a body. Throws 415 for a type that is not among `types`. */
function typeOf(headers: Headers, types: readonly string[]) {
  refuseEncoded(headers);
  const { type, parameters } = contentTypeOf(headers);
  if (types.includes(type)) return { type, charset: charsetOf(parameters) };
  throw unreadableType(type, `send ${types.join(" or ")}`);
}

type Pair = readonly [name: string, value: string];

/**
 * Throws 400 for more fields than forms have; millions of them would stop the service
 * for seconds while they are read.
 */
function requireFew(text: string, separator: string, most: number): void {
  if (text.split(separator, most + 1).length <= most) return;
  throw unreadable("form", `there are more than ${most} fields`);
}

function readPairs(text: string): readonly Pair[] {
  requireFew(text, "&", MOST_VALUES);
  return [...new URLSearchParams(text)].map(unbroken);
}

/**
 * Browsers send every line break as two characters, also in the name of a field, which may be that of a
 * column. Those of files stay.
 */
function unbroken([name, value]: Pair): Pair {
  return [name.replaceAll("\r\n", "\n"), value.replaceAll("\r\n", "\n")];
}

async function readParts(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<readonly Pair[]> {
  const type = headers.get("content-type") ?? "";
  const [, boundary = ""] = /boundary="?([^";\\]+)/i.exec(type) ?? [];
  requireFew(new TextDecoder("latin1").decode(bytes), `--${boundary}`, MOST_PARTS);
  // The header may have another boundary: only the counted one is read.
  const counted = { "content-type": `${WITH_FILES}; boundary="${boundary.trimEnd()}"` };
  const parts = await new Response(bytes, { headers: counted }).formData()
    .catch(() => {
      throw unreadable("form", "its parts do not have the boundary of its Content-Type");
    });
  const pairs = [...parts].map(async ([escaped, value]): Promise<readonly Pair[]> => {
    // Browsers escape these in the names of parts, and Deno leaves them so.
    const name = escaped.replaceAll("%0D%0A", "\n").replaceAll("%22", '"');
    if (typeof value === "string") return [unbroken([name, value])];
    if (value.size === 0 && value.name === "") return [];
    return [name.startsWith("c.") ? [name, (await value.bytes()).toBase64()] : await fileOf(name, value)];
  });
  return (await Promise.all(pairs)).flat();
}

/**
 * UTF-8 or, as spreadsheets save "Unicode Text", UTF-16 with its mark. Bytes of another encoding would be
 * stored as replacement characters: the form has a sentence in their place.
 */
async function fileOf(name: string, file: File): Promise<Pair> {
  const bytes = await file.bytes();
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  try {
    return [name, new TextDecoder(encoding, { fatal: true }).decode(bytes)];
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const what = `Cannot read the file ${quote(file.name)}, because it is not UTF-8 text`;
    return [UNREAD, `${what}: save it in the spreadsheet as "CSV UTF-8", and choose that file`];
  }
}

/** Whether the body is a form. */
export function isForm(headers: Headers): boolean {
  return contentTypeOf(headers).type === FORM;
}

/**
 * The texts in a body by name; members of a JSON object that are not text are left out. Throws 415 for
 * another type, 413 for more than `limit` bytes and 400 for an unreadable body.
 */
export async function readFields(source: BodySource, limit: number): Promise<ReadonlyMap<string, string>> {
  const { type, charset } = typeOf(source.headers, [JSON_TYPE, FORM]);
  const label = type === FORM ? "form" : "JSON";
  const text = await readText(source, { limit, label, charset });
  return type === FORM ? parseForm(text) : parseObject(text);
}

function parseForm(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw unreadable("form", `${quote(name)} stands twice`);
    fields.set(name, value);
  }
  return fields;
}

function parseObject(text: string): ReadonlyMap<string, string> {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unreadable("JSON", "expected an object of texts");
  }
  const texts = Object.entries(value).filter((member): member is [string, string] => {
    return typeof member[1] === "string";
  });
  return new Map(texts);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's message quotes the text, which may contain a password.
    if (cause instanceof SyntaxError) throw unreadable("JSON", "this is no JSON");
    throw cause;
  }
}

function unreadable(label: string, reason: string): ServiceError {
  return badRequest(`Could not parse ${label}: ${reason}`);
}
