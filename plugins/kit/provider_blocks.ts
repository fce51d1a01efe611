/**
 * Reads `identity_providers` of the policy file for every method that has them. A provider with a mistake is reported
 * and left out; the others work.
 *
 * @module
 */

import { compilePattern, type Pattern } from "./match_user.ts";
import {
  block,
  complain,
  type Complaint,
  flag,
  inside,
  type Members,
  nested,
  parsed,
  type Place,
  type Reader,
  readMembers,
  type Shape,
  text,
  unlessEmpty,
} from "./members.ts";

const ID = /^[A-Za-z0-9:@_~-]+$/;
const ROOT = "identity_providers";

/** Text that is not blank. */
export function writtenText(value: unknown, place: Place): string | undefined {
  const isBlank = typeof value === "string" && value.trim() === "";
  return isBlank ? complain(place, "Expected text, found empty text") : text(value, place);
}

/** A URL of a web server. */
export const webAddress: Reader<string> = parsed((written) => {
  if (isUrl(written)) return written;
  throw new Error("Expected a URL");
});

/** The pattern of a provider; `key` is its member. */
export function pattern(key: string): Reader<Pattern> {
  return unlessEmpty(parsed((written) => compilePattern(key, written)));
}

const COMMON = {
  idp_name: writtenText,
  enabled: flag,
  gui: nested({ visible: flag }),
  "gui.visible": flag,
};

/** The members of a provider of one method. */
export interface ProviderTable<S extends Shape> {
  readonly shape: S & typeof COMMON;
  readonly required: readonly (keyof S & string)[];
}

/** The members of a provider: these, and those that providers of all methods have. */
export function providerTable<const S extends Shape>(
  shape: S,
  required: ProviderTable<S>["required"],
): ProviderTable<S> {
  return { shape: { ...COMMON, ...shape }, required };
}

/** The position of a provider, and the settings that all of them have. */
export interface ProviderBlock {
  /** Its key in `identity_providers`: letters, digits and `: @ _ ~ -`. */
  readonly id: string;
  readonly name: string;
  readonly visible: boolean;
  /** A provider with a complaint is left out. */
  readonly place: Place;
}

/** The settings of the enabled providers without a mistake, in the order of the file. */
export function readProviderBlocks<S extends Shape, Settings>(
  configured: unknown,
  table: ProviderTable<S>,
  host: { complain(key: string, message: string): void },
  settle: (members: Members<S & typeof COMMON>, provider: ProviderBlock) => Settings | undefined,
): readonly Settings[] {
  const providers = reporting(host, (place) => block(configured, place)) ?? {};
  return Object.entries(providers).flatMap(([id, value]) =>
    reporting(host, (place) => readProvider(id, value, { table, place: inside(place, id), settle })) ?? []
  );
}

/** The result of reading; undefined where something was wrong, which the operator is told. */
function reporting<T>(
  host: { complain(key: string, message: string): void },
  read: (place: Place) => T | undefined,
): T | undefined {
  const complaints: Complaint[] = [];
  const result = read({ file: "", key: ROOT, complaints });
  for (const { key, message } of complaints) host.complain(key, message);
  return complaints.length > 0 ? undefined : result;
}

function readProvider<S extends Shape, Settings>(
  id: string,
  value: unknown,
  { table: { shape, required }, place, settle }: {
    readonly table: ProviderTable<S>;
    readonly place: Place;
    readonly settle: (members: Members<S & typeof COMMON>, provider: ProviderBlock) => Settings | undefined;
  },
): Settings | undefined {
  const members = block(value, place);
  if (!ID.test(id)) complain(place, "Expected an id of letters, digits and : @ _ ~ -");
  if (!members || place.complaints.length > 0) return undefined;
  // A disabled provider may be incomplete.
  const { enabled } = readMembers({ enabled: members["enabled"] }, place, { enabled: flag }, ["enabled"]);
  if (!enabled) return undefined;
  const read = readMembers(members, place, shape, required);
  const common: Members<typeof COMMON> = read;
  const visible = common.gui?.visible ?? common["gui.visible"] ?? true;
  return settle(read, { id, name: common.idp_name ?? id, visible, place });
}

/** Characters of URLs. The parser skips line breaks and encodes other characters, which are invalid in headers. */
const WRITTEN = /^[\x21-\x7e]+$/;

/** Whether a text is a valid URL of a web server in its final spelling. */
export function isUrl(text: string): boolean {
  return WRITTEN.test(text) && /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
