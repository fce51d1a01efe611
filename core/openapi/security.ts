/**
 * The security schemes and requirements of an OpenAPI document.
 *
 * @module
 */

import { areTexts, ask, isJsonObject } from "@/core/base/plugin_answers.ts";
import { PUBLIC } from "@/core/identity/permissions.ts";
import type { DatabaseMapping, Json } from "@/core/model.ts";
import type { Service } from "@/core/service.ts";

/** The security facts for the parts of a document. */
export interface Security {
  /** Security schemes of the enabled methods by their component's name. */
  readonly schemes: Readonly<Record<string, Json>>;
  /** The alternatives that suffice with credentials. */
  readonly withCredentials: readonly Json[];
  /** The alternatives for resources that `public` may use. */
  readonly optional: readonly Json[];
  /** The databases of `public`. */
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
