/**
 * The methods that a resource allows a caller.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Grants } from "@/core/identity/permissions.ts";
import type { Operation } from "@/core/model.ts";
import { isWritable } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";

/** Methods of resources that are read-only. */
export const READING = "GET, HEAD, OPTIONS";

/** The operations that each method needs, its own last; filters read, too. */
export const OPERATIONS_OF: ReadonlyMap<string, readonly Operation[]> = new Map([
  ["GET", ["read"]],
  ["HEAD", ["read"]],
  ["OPTIONS", []],
  ["POST", ["create"]],
  ["PUT", ["read", "update"]],
  ["DELETE", ["read", "delete"]],
]);

/** Methods that a caller with these rights may use on the records of a walk. */
export function allowedMethods(may: Grants, { columns, last }: Walk): string {
  if (columns) return READING;
  const allowed = [...OPERATIONS_OF].filter(([method, operations]) => {
    // A relation to one record leads to a record that exists already.
    if (method === "POST" && last.via?.many === false) return false;
    return operations.every((operation) =>
      may(last.table.name, operation) && isWritable(last.table, operation)
    );
  });
  return allowed.map(([method]) => method).join(", ");
}

/** 405 with the allowed methods, in the message and in `Allow`. */
export function refuseMethod(method: string, allowed: string, what = "this resource"): ServiceError {
  return new ServiceError("method-not-allowed", `Cannot ${method} ${what}: use ${allowed}`, {
    headers: { Allow: allowed },
  });
}
