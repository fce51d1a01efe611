/**
 * The members that the service needs of what a plugin gives.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { areTexts, isObject, kindOf } from "@/core/base/plugin_answers.ts";
import { quote } from "@/core/errors.ts";
import { FORMAT_MEMBERS } from "@/core/request/guard_format.ts";
import type { AuthMethod, AuthRoute, Cache, Dialect, Format, FormatParameter } from "@/plugins/contract.ts";

/**
 * Checks the members of a third-party plugin here, so that a mistake stops the start instead of a request.
 */
export function requireMembers(instance: unknown, members: Kinds, giver = "setup"): void {
  if (typeof instance !== "object" || instance === null) {
    throw new Error(`its ${giver} gives ${kindOf(instance)}, not an object`);
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
  "positive number": (value: unknown) => typeof value === "number" && value > 0,
  "plain object": isObject,
  "Map of files with contentType and bytes": (value: unknown) =>
    value instanceof Map && value.values().every(isAsset),
} as const;

type Kinds = Readonly<Record<string, keyof typeof KINDS>>;

/** Only members that the type has. */
type KindsOf<T> = { readonly [Name in keyof T]?: keyof typeof KINDS };

function isAsset(value: unknown): boolean {
  return isObject(value) && typeof value["contentType"] === "string" && value["bytes"] instanceof Uint8Array;
}

/** Checks members that an object need not have. */
function requirePresent(instance: object, members: Kinds, giver?: string): void {
  const present = Object.entries(members).filter(([name]) => Reflect.get(instance, name) !== undefined);
  requireMembers(instance, Object.fromEntries(present), giver);
}

/** Checks the members of a format. */
export function requireFormat(format: Format): void {
  const { contentTypes, writer, document, problem } = FORMAT_MEMBERS;
  requireMembers(format, { contentTypes, writer, document, problem });
  requirePresent(format, FORMAT_MEMBERS);
  requireContentTypes(format);
  const wrong = Object.entries(format.parameters ?? {}).find(([, parameter]) => !isParameter(parameter));
  if (wrong === undefined) return;
  const rule = `a type (${[...PARAMETER_TYPES].join(", ")}) and parts (answer, body)`;
  throw new Error(`its parameter ${quote(wrong[0])} must be an object with ${rule}`);
}

const PARAMETER_TYPES: ReadonlySet<unknown> = new Set<FormatParameter["type"]>([
  "boolean",
  "integer",
  "text",
]);

function isParameter(value: unknown): boolean {
  if (!isObject(value) || !PARAMETER_TYPES.has(value["type"])) return false;
  const { values = [], parts } = value;
  return areTexts(values) && areTexts(parts) && parts.every((part) => part === "answer" || part === "body");
}

/** Members that a dialect need not have. */
const DIALECT_MEMBERS = {
  hasLogins: "boolean",
  variant: "function",
  directories: "list of texts",
  requireFileIn: "function",
} as const satisfies KindsOf<Dialect>;

/** Checks the members of a dialect. */
export function requireDialect(dialect: Dialect): void {
  requireMembers(dialect, { connect: "function" });
  requirePresent(dialect, DIALECT_MEMBERS);
  if (dialect.files === undefined) return;
  requireMembers(dialect.files, { pathOf: "function", copy: "function", beside: "list" }, "member files");
}

/** Members that an authentication method need not have. */
const METHOD_MEMBERS = {
  checkPassword: "function",
  queryParameters: "list of texts",
  opensSession: "boolean",
  isAmbient: "boolean",
  routes: "list",
  buttons: "function",
  form: "function",
  notices: "function",
  afterLogout: "function",
  start: "function",
} as const satisfies KindsOf<AuthMethod>;

/** Checks the members of an authentication method and of its routes. */
export function requireMethod(method: AuthMethod): void {
  requireMembers(method, { authenticate: "function" });
  requirePresent(method, METHOD_MEMBERS);
  for (const route of method.routes ?? []) requireRoute(route);
}

function requireRoute(route: AuthRoute): void {
  const giver = "member routes";
  requireMembers(route, { method: "text", path: "text", handle: "function" }, giver);
  requirePresent(route, { maxBody: "positive number" }, giver);
  const { method, path } = route;
  if (method === "GET" || method === "POST") return;
  throw new Error(`its route ${path} has the method ${quote(method)}: only GET and POST are possible`);
}

/** Opens a location for a try, which connects to nothing. Throws a sentence. */
export async function requireOpens(cache: Cache, location: string, seconds: number): Promise<void> {
  const late = () => new Error(`open() has not ended after ${seconds} seconds`);
  const opened = await inTime(Promise.resolve(cache.open(location)), seconds, late);
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
function requireContentTypes({ contentTypes, accepts = [] }: Format): void {
  if (contentTypes.length === 0) throw new Error("it names no content type");
  const wrong = [...contentTypes, ...accepts].find((type) => !CONTENT_TYPE.test(type));
  if (wrong === undefined) return;
  const rule = "lower case and without parameters, as in application/x-lines";
  throw new Error(`${JSON.stringify(wrong)} is no content type in ${rule}`);
}
