/**
 * Deno's exporter of traces and the credentials of URLs.
 *
 * @module
 */

import type { Environment } from "@/config/mod.ts";
import { quote, ServiceError } from "@/core/errors.ts";

/**
 * Throws a {@link ServiceError} while Deno exports traces and a method takes credentials from the query: the
 * exporter sends whole URLs to its collector, and nothing can change them before.
 */
export function refuseExporter(
  credentialNames: ReadonlySet<string>,
  environment: Environment,
): void {
  if (!/^(true|1)$/i.test(environment["OTEL_DENO"] ?? "")) return;
  if (credentialNames.size === 0) return;
  const names = [...credentialNames].map(quote).join(", ");
  throw new ServiceError(
    "internal",
    `Cannot start with OTEL_DENO: traces would have the credentials in URLs, ${names}; ` +
      "unset OTEL_DENO, or disable the methods of auth.cfg that look for them there, if only to refuse them",
  );
}
