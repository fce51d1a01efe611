/**
 * The security schemes and requirements of an OpenAPI document.
 *
 * @module
 */

import type { DatabaseMapping, Json } from "@/core/model.ts";
import { PUBLIC } from "@/core/identity/permissions.ts";
import type { NamedMethod, Service } from "@/core/service.ts";

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

/** Collects the schemes of the enabled methods, and the access of `public`. */
export function describeSecurity({ methods, users }: Pick<Service, "methods" | "users">): Security {
  const schemes = methods.flatMap((named) =>
    Object.entries(named.method.securitySchemes ?? {}).map(([name, scheme]) =>
      [schemeName(named, name), scheme] as const
    )
  );
  const withCredentials = methods.flatMap((named) =>
    requirementsOf(named).map((names) =>
      Object.fromEntries(names.map((name) => [schemeName(named, name), []]))
    )
  );
  const visitor = users.get(PUBLIC);
  return {
    schemes: Object.fromEntries(schemes),
    withCredentials,
    optional: visitor ? [{}, ...withCredentials] : withCredentials,
    publicDatabases: visitor?.databases ?? new Map(),
  };
}

function requirementsOf({ method }: NamedMethod): readonly (readonly string[])[] {
  return method.securityRequirements ?? Object.keys(method.securitySchemes ?? {}).map((name) => [name]);
}

/** Two methods may use the same name for their schemes. */
function schemeName({ name: method }: NamedMethod, name: string): string {
  return name === method ? name : `${method}.${name}`;
}
