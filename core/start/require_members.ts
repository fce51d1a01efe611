/**
 * The members that the service needs of what a plugin gives.
 *
 * @module
 */

import { areTexts } from "@/core/base/plugin_answers.ts";
import type { AuthMethod, Cache, Format } from "@/plugins/contract.ts";

/**
 * Checks the members of a third-party plugin here, so that a mistake stops the start instead of a request.
 */
export function requireMembers(
  instance: unknown,
  members: Readonly<Record<string, keyof typeof KINDS>>,
  giver = "setup",
): void {
  if (typeof instance !== "object" || instance === null) {
    throw new Error(`its ${giver} gives ${instance === null ? "null" : typeof instance}, not an object`);
  }
  const wrong = Object.entries(members).filter(([name, kind]) => !KINDS[kind](Reflect.get(instance, name)));
  if (wrong.length === 0) return;
  const told = wrong.map(([name, kind]) => `${name} must be a ${kind}`);
  throw new Error(`of what its ${giver} gives ${told.join(", ")}`);
}

const KINDS = {
  function: (value: unknown) => typeof value === "function",
  list: (value: unknown) => Array.isArray(value),
  "list of texts": areTexts,
  text: (value: unknown) => typeof value === "string",
  boolean: (value: unknown) => typeof value === "boolean",
} as const;

/** Members that an authentication method need not have. */
const METHOD_MEMBERS = {
  checkPassword: "function",
  queryParameters: "list of texts",
  opensSession: "boolean",
  routes: "list",
  buttons: "function",
  form: "function",
  notices: "function",
  afterLogout: "function",
  start: "function",
} as const satisfies { readonly [Name in keyof AuthMethod]?: keyof typeof KINDS };

/** Checks the members of an authentication method and of its routes. */
export function requireMethod(method: AuthMethod): void {
  requireMembers(method, { authenticate: "function" });
  const present = Object.entries(METHOD_MEMBERS).filter(([name]) => Reflect.get(method, name) !== undefined);
  requireMembers(method, Object.fromEntries(present));
  for (const route of method.routes ?? []) {
    requireMembers(route, { method: "text", path: "text", handle: "function" }, "member routes");
  }
}

/** Opens a location for a try, which connects to nothing. Throws a sentence. */
export async function requireOpens(cache: Cache, location: string): Promise<void> {
  const opened = await cache.open(location);
  const names = ["get", "add", "replace", "touch", "remove"] as const;
  requireMembers(opened, Object.fromEntries(names.map((name) => [name, "function"])), "open");
  if (typeof opened[Symbol.asyncDispose] !== "function") {
    throw new Error("of what its open gives [Symbol.asyncDispose] must be a function");
  }
  await opened[Symbol.asyncDispose]();
}

/** Types as `Accept` and `Content-Type` are compared with them: in lower case and without parameters. */
const CONTENT_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** Refuses content types that no request could mean. */
export function requireContentTypes({ contentTypes, accepts = [] }: Format): void {
  if (contentTypes.length === 0) throw new Error("it names no content type");
  const wrong = [...contentTypes, ...accepts].find((type) => !CONTENT_TYPE.test(type));
  if (wrong === undefined) return;
  const rule = "lower case and without parameters, as in application/x-lines";
  throw new Error(`${JSON.stringify(wrong)} is no content type in ${rule}`);
}
