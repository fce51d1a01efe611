/**
 * The security schemes and requirements of an OpenAPI document.
 *
 * @module
 */

import { areTexts, ask, isJsonObject } from "@/core/base/plugin_answers.ts";
import { PUBLIC } from "@/core/identity/permissions.ts";
import type { DatabaseMapping, Json, JsonObject } from "@/core/model.ts";
import type { Service } from "@/core/service.ts";

/** The security facts for the parts of a document. */
export interface Security {
  /** Security schemes of the enabled methods by their component's name. */
  readonly schemes: Readonly<Record<string, Json>>;
  /** The alternatives that suffice with credentials. */
  readonly withCredentials: readonly Json[];
  /** The alternatives for resources that `public` may use. */
  readonly optional: readonly Json[];
  readonly publicDatabases: ReadonlyMap<string, DatabaseMapping>;
}

/** Whether an answer is a list of lists of names. */
function areNames(answer: unknown): answer is readonly (readonly string[])[] {
  return Array.isArray(answer) && answer.every(areTexts);
}

/** Collects the schemes of the enabled methods, and the access of `public`. */
export function describeSecurity(service: Pick<Service, "methods" | "users" | "log">): Security {
  const { methods, users } = service;
  const all = methods.map(({ name: owner, method }) => {
    const asked = <T>(
      member: string,
      question: () => T | undefined,
      isAnswer: (answer: unknown) => answer is T,
    ) => ask(owner, member, { question, isAnswer }, service);
    const securitySchemes = asked("securitySchemes", () => method.securitySchemes, isJsonObject) ?? {};
    const securityRequirements = asked("securityRequirements", () => method.securityRequirements, areNames);
    // Two methods may use the same name for their schemes.
    const unique = (name: string) => name === owner ? name : `${owner}.${name}`;
    const requirements = securityRequirements ?? Object.keys(securitySchemes).map((name) => [name]);
    return {
      schemes: Object.entries(securitySchemes).map(([name, scheme]) => [unique(name), scheme] as const),
      sufficient: requirements.map((names) => Object.fromEntries(names.map((name) => [unique(name), []]))),
    };
  });
  const withCredentials = all.flatMap(({ sufficient }) => sufficient);
  const visitor = users.get(PUBLIC);
  return {
    schemes: Object.fromEntries(all.flatMap(({ schemes }) => schemes)),
    withCredentials,
    optional: visitor ? [{}, ...withCredentials] : withCredentials,
    publicDatabases: visitor?.databases ?? new Map(),
  };
}

/** The paths, with the requirement of credentials for the operations that `open` lacks. */
export function requireCredentials(
  paths: JsonObject,
  open: JsonObject | undefined,
  { withCredentials: security }: Security,
): JsonObject {
  if (!open) return paths;
  const isOpen = (path: string, method: string) => Object.hasOwn(membersOf(open[path]), method);
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const members = Object.entries(membersOf(item)).map(([name, member]) => {
        const isClosed = name !== "parameters" && !isOpen(path, name);
        return [name, isClosed ? { ...membersOf(member), security } : member] as const;
      });
      return [path, Object.fromEntries<Json>(members)] as const;
    }),
  );
}

/** Items of paths and operations are objects. */
function membersOf(item: Json | undefined): JsonObject {
  return (item ?? {}) as JsonObject;
}
