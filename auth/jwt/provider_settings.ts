/**
 * Reads `identity_providers` of the policy file. A provider with a mistake is named and left out; the others work.
 *
 * @module
 */

import type { MatchAttribute } from "@/plugins/contract.ts";

/** One provider that is enabled. */
export interface ProviderSettings {
  readonly id: string;
  /** On its button. */
  readonly name: string;
  readonly visible: boolean;
  /** The claim that tells who somebody is, and the attribute of users that it equals. */
  readonly claim: string;
  readonly attribute: MatchAttribute;
  /** An e-mail address counts only when the provider says that it is verified. */
  readonly requireVerifiedEmail: boolean;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly redirectUri: string;
  readonly responseType: "code" | "id_token";
  readonly scope: string;
  /** URLs or files. */
  readonly wellKnown: string;
  readonly jwksUri?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
}

/** Tells of a mistake: the key below the method's block, and a sentence. */
export type Complain = (key: string, message: string) => void;

type Members = Readonly<Record<string, unknown>>;

const ID = /^[A-Za-z0-9:@_~-]+$/;
const CALLBACK = /\/login\/callback$/;
const ATTRIBUTES: readonly MatchAttribute[] = ["login", "name", "email", "appid"];
const RESPONSE_TYPES = ["code", "id_token"] as const;
const KEYS: readonly string[] = [
  "idp_name",
  "enabled",
  "claim_attribute",
  "user_config_attribute",
  "require_verified_email",
  "client_id",
  "client_secret",
  "redirect_uri",
  "response_type",
  "scope",
  "well_known_configuration",
  "jwks_uri",
  "authorization_endpoint",
  "token_endpoint",
  "gui",
  "gui.visible",
];

/** The enabled providers, in the order of the file. */
export function readProviders(configured: unknown, complain: Complain): readonly ProviderSettings[] {
  const providers = membersOf(configured);
  if (!providers) {
    complain("identity_providers", "Expected a map of identity providers by their id");
    return [];
  }
  return Object.entries(providers).flatMap(([id, value]) => {
    const reader = new Reader(`identity_providers.${id}`, value, complain);
    if (!ID.test(id)) reader.refuse(undefined, "Expected an id of letters, digits and : @ _ ~ -");
    const provider = reader.isEnabled() ? readProvider(id, reader) : undefined;
    return provider && !reader.hasRefused ? [provider] : [];
  });
}

function readProvider(id: string, reader: Reader): ProviderSettings {
  reader.refuseUnknown();
  return {
    id,
    name: reader.text("idp_name", id),
    visible: reader.visible(),
    claim: reader.text("claim_attribute"),
    attribute: reader.choice("user_config_attribute", ATTRIBUTES),
    requireVerifiedEmail: reader.flag("require_verified_email", false),
    clientId: reader.text("client_id"),
    ...reader.optional("client_secret", "clientSecret"),
    redirectUri: readRedirectUri(id, reader),
    responseType: reader.choice("response_type", RESPONSE_TYPES),
    scope: readScope(reader),
    wellKnown: reader.text("well_known_configuration"),
    ...reader.optional("jwks_uri", "jwksUri"),
    ...reader.optional("authorization_endpoint", "authorizationEndpoint", isUrl),
    ...reader.optional("token_endpoint", "tokenEndpoint", isUrl),
  };
}

function readRedirectUri(id: string, reader: Reader): string {
  const written = reader.text("redirect_uri");
  const url = URL.parse(written);
  const names = url?.searchParams.getAll("idp_id") ?? [];
  const fits = url && isUrl(written) && CALLBACK.test(url.pathname) && url.hash === "" &&
    names.length === 1 && names[0] === id;
  if (written !== "" && !fits) {
    reader.refuse("redirect_uri", `Expected the address of this service with /login/callback?idp_id=${id}`);
  }
  return written;
}

function readScope(reader: Reader): string {
  const scope = reader.text("scope", "openid email");
  if (!scope.split(" ").includes("openid")) {
    reader.refuse("scope", 'Expected words with spaces between them, "openid" among them');
  }
  return scope;
}

/** Whether a text is a URL of a web server. */
export function isUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Reads the members of one provider, and tells of each that is wrong. */
class Reader {
  hasRefused = false;
  readonly #key: string;
  readonly #members: Members;
  readonly #complain: Complain;

  constructor(key: string, value: unknown, complain: Complain) {
    this.#key = key;
    this.#complain = complain;
    const members = membersOf(value);
    this.#members = members ?? {};
    if (!members) this.refuse(undefined, "Expected a map with the keys of an identity provider");
  }

  refuse(key: string | undefined, message: string): void {
    this.hasRefused = true;
    this.#complain(key === undefined ? this.#key : `${this.#key}.${key}`, message);
  }

  /** A provider that is off may be half written. */
  isEnabled(): boolean {
    return !this.hasRefused && this.flag("enabled");
  }

  refuseUnknown(): void {
    for (const key of Object.keys(this.#members)) {
      if (!KEYS.includes(key)) this.refuse(key, `Unknown key: expected one of ${KEYS.join(", ")}`);
    }
  }

  text(key: string, fallback?: string): string {
    const value = this.#members[key] ?? fallback;
    if (typeof value === "string" && value.trim() !== "") return value;
    this.refuse(key, this.#isThere(key) ? "Expected a text" : "Is missing");
    return "";
  }

  flag(key: string, fallback?: boolean): boolean {
    const value = this.#members[key] ?? fallback;
    if (typeof value === "boolean") return value;
    this.refuse(key, this.#isThere(key) ? "Expected true or false" : "Is missing");
    return false;
  }

  choice<Word extends string>(key: string, words: readonly Word[]): Word {
    const found = words.find((word) => word === this.#members[key]);
    if (found !== undefined) return found;
    this.refuse(key, this.#isThere(key) ? `Expected one of ${words.join(", ")}` : "Is missing");
    // Whoever has been refused is left out.
    return words[0] as Word;
  }

  optional<Name extends string>(
    key: string,
    name: Name,
    fits: (text: string) => boolean = () => true,
  ): { readonly [Key in Name]?: string } {
    if (!this.#isThere(key)) return {};
    const text = this.text(key);
    if (text !== "" && !fits(text)) this.refuse(key, "Expected a URL");
    return { [name]: text } as { readonly [Key in Name]?: string };
  }

  /** `gui: {visible: true}` or `gui.visible: true`. */
  visible(): boolean {
    const gui = this.#isThere("gui") ? membersOf(this.#members["gui"]) : {};
    const value = gui?.["visible"] ?? this.#members["gui.visible"] ?? true;
    if (gui && typeof value === "boolean") return value;
    this.refuse("gui.visible", "Expected true or false");
    return false;
  }

  #isThere(key: string): boolean {
    return this.#members[key] !== undefined && this.#members[key] !== null;
  }
}
