/**
 * Reads `identity_providers` of the policy file, for every method with providers. A provider with a mistake is reported
 * and left out; the others work.
 *
 * @module
 */

import type { BlockReader, ProviderBlock } from "@/plugins/contract.ts";

/** Reports a mistake: the key below the method's block, and a sentence. */
export type Complain = (key: string, message: string) => void;

type Members = Readonly<Record<string, unknown>>;

const ID = /^[A-Za-z0-9:@_~-]+$/;
const COMMON_KEYS: readonly string[] = ["idp_name", "enabled", "gui", "gui.visible"];

/** The enabled providers, in the order of the file; `keys` are the method's own. */
export function readProviderBlocks(
  configured: unknown,
  keys: readonly string[],
  complain: Complain,
): readonly ProviderBlock[] {
  const providers = membersOf(configured);
  if (!providers) {
    complain("identity_providers", "Expected a map of identity providers by their id");
    return [];
  }
  return Object.entries(providers).flatMap(([id, value]) => {
    const block = new Block(`identity_providers.${id}`, value, { complain });
    if (!membersOf(value)) block.refuse(undefined, "Expected a map with the keys of an identity provider");
    if (!ID.test(id)) block.refuse(undefined, "Expected an id of letters, digits and : @ _ ~ -");
    // A disabled provider may be incomplete.
    if (block.hasRefused || !block.flag("enabled")) return [];
    block.refuseUnknown([...COMMON_KEYS, ...keys]);
    return [{ id, name: block.text("idp_name", id), visible: readVisible(value, block), block }];
  });
}

/** `gui: {visible: true}` or `gui.visible: true`. */
function readVisible(value: unknown, block: BlockReader): boolean {
  const members = membersOf(value) ?? {};
  const gui = block.has("gui") ? membersOf(members["gui"]) : {};
  const visible = gui?.["visible"] ?? members["gui.visible"] ?? true;
  if (gui && typeof visible === "boolean") return visible;
  block.refuse("gui.visible", "Expected true or false");
  return false;
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** State that a block shares with its nested blocks. */
interface Complaints {
  readonly complain: Complain;
  hasRefused?: boolean;
}

class Block implements BlockReader {
  readonly #key: string;
  readonly #members: Members;
  readonly #complaints: Complaints;

  constructor(key: string, value: unknown, complaints: Complaints) {
    this.#key = key;
    this.#members = membersOf(value) ?? {};
    this.#complaints = complaints;
  }

  get hasRefused(): boolean {
    return this.#complaints.hasRefused === true;
  }

  refuse(key: string | undefined, message: string): void {
    this.#complaints.hasRefused = true;
    this.#complaints.complain(key === undefined ? this.#key : `${this.#key}.${key}`, message);
  }

  refuseUnknown(keys: readonly string[]): void {
    for (const key of Object.keys(this.#members)) {
      if (!keys.includes(key)) this.refuse(key, `Unknown key: expected one of ${keys.join(", ")}`);
    }
  }

  has(key: string): boolean {
    return this.#members[key] !== undefined && this.#members[key] !== null;
  }

  value(key: string): unknown {
    return this.#members[key];
  }

  text(key: string, fallback?: string): string {
    const value = this.#members[key] ?? fallback;
    if (typeof value === "string" && value.trim() !== "") return value;
    this.#miss(key, "Expected a text");
    return "";
  }

  optional(key: string): string | undefined {
    return this.has(key) ? this.text(key) : undefined;
  }

  flag(key: string, fallback?: boolean): boolean {
    const value = this.#members[key] ?? fallback;
    if (typeof value === "boolean") return value;
    this.#miss(key, "Expected true or false");
    return false;
  }

  choice<Word extends string>(key: string, words: readonly Word[], fallback?: Word): Word {
    const value = this.#members[key] ?? fallback;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    this.#miss(key, `Expected one of ${words.join(", ")}`);
    // A refused provider is left out, so any value will do.
    return words[0] as Word;
  }

  block(key: string, keys: readonly string[]): BlockReader {
    const value = this.#members[key] ?? {};
    if (!membersOf(value)) this.refuse(key, `Expected a map with ${keys.join(", ")}`);
    const block = new Block(`${this.#key}.${key}`, value, this.#complaints);
    block.refuseUnknown(keys);
    return block;
  }

  #miss(key: string, expected: string): void {
    this.refuse(key, this.has(key) ? expected : "Is missing");
  }
}
