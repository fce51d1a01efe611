/**
 * How a caller proves who it is, in an OpenAPI document.
 *
 * @module
 */

import type { DatabaseMapping, Json } from "@/core/model.ts";
import { PUBLIC } from "@/core/identity/permissions.ts";
import type { NamedMethod, Service } from "@/core/service.ts";

/** What of security a document's parts need to know. */
export interface Security {
  /** Security schemes of the enabled methods by their component's name. */
  readonly schemes: Readonly<Record<string, Json>>;
  /** What is enough, with credentials: one of these. */
  readonly withCredentials: readonly Json[];
  /** What is enough for what `public` may do. */
  readonly optional: readonly Json[];
  /** The databases of `public`. */
  readonly publicDatabases: ReadonlyMap<string, DatabaseMapping>;
}

/** What the enabled methods say about themselves, and what needs no credentials. */
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

/** Two methods may call their schemes alike. */
function schemeName({ name: method }: NamedMethod, name: string): string {
  return name === method ? name : `${method}.${name}`;
}
