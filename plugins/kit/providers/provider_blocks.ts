/**
 * Reads `identity_providers` of the policy file for every method that has them. A provider with a mistake is
 * reported and left out; the others work.
 *
 * @module
 */

import type { MatchAttribute } from "@/plugins/contract.ts";
import { compilePattern, type Pattern } from "./match_user.ts";
import {
  block,
  complain,
  type Complaint,
  flag,
  inside,
  type Members,
  nested,
  oneOf,
  parsed,
  type Place,
  type Reader,
  readMembers,
  type Shape,
  text,
  unlessEmpty,
} from "@/plugins/kit/members.ts";

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
  user_config_attribute: oneOf(["login", "name", "email", "appid"] satisfies readonly MatchAttribute[]),
};

/** The members of a provider of one method. */
interface ProviderTable<S extends Shape> {
  readonly shape: S & typeof COMMON;
  readonly required: readonly (keyof (S & typeof COMMON) & string)[];
}

/** The members of a provider: these, and those that providers of all methods have. */
export function providerTable<const S extends Shape>(
  shape: S,
  required: ProviderTable<S>["required"],
): ProviderTable<S> {
  return { shape: { ...COMMON, ...shape }, required };
}

/** The settings that all providers have. */
export interface CommonSettings {
  /** Its key in `identity_providers`: letters, digits and `: @ _ ~ -`. */
  readonly id: string;
  readonly name: string;
  readonly visible: boolean;
  /** The attribute of users that the provider's value must equal. */
  readonly attribute: MatchAttribute;
}

/** Makes the settings of a provider; with a complaint about its place the provider is left out. */
type Settle<S extends Shape, Settings> = (
  members: Members<S & typeof COMMON>,
  common: CommonSettings,
  place: Place,
) => Settings | undefined;

/** The settings of the enabled providers without a mistake, in the order of the file. */
export function readProviderBlocks<S extends Shape, Settings>(
  configured: unknown,
  table: ProviderTable<S>,
  host: { complain(key: string, message: string): void },
  settle: Settle<S, Settings>,
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
    readonly settle: Settle<S, Settings>;
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
  const attribute = common.user_config_attribute ?? "login";
  return settle(read, { id, name: common.idp_name ?? id, visible, attribute }, place);
}

/**
 * Characters of URLs. The parser skips line breaks and encodes other
 * characters, which are invalid in headers.
 */
const WRITTEN = /^[\x21-\x7e]+$/;

/** Whether a text is a valid URL of a web server in its final spelling. */
export function isUrl(text: string): boolean {
  return WRITTEN.test(text) && /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}
