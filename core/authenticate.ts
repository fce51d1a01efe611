/**
 * Stage 2: who is asking. The first method that finds its credentials decides.
 *
 * @module
 */

import { ServiceError } from "./errors.ts";
import { type Caller, PUBLIC } from "./permissions.ts";
import type { ApiRequest } from "./request.ts";
import type { Service } from "./service.ts";

/**
 * Asks each method in the order of the policy file. Rejected credentials are refused at once and never become
 * `public`; a request without any is `public`, or refused while there is no such user.
 */
export async function authenticate(request: ApiRequest, headers: Headers, service: Service): Promise<Caller> {
  for (const { name, method } of service.methods) {
    const asked = method.authenticate({ method: request.method, headers, credentials: request.credentials });
    const result = asked instanceof Promise ? await asked : asked;
    if (result.outcome === "accepted") return { user: result.user, anonymous: false };
    if (result.outcome === "rejected") {
      service.log.info(`Authentication by ${name} rejected: ${result.reason}`);
      throw forbidden(result.tell ?? "The credentials are not valid");
    }
  }
  const user = service.users.get(PUBLIC);
  if (!user) throw forbidden("This service needs credentials");
  return { user, anonymous: true };
}

/** A refusal that tells what to do; the same text whatever was wrong with the credentials. */
export function forbidden(reason: string): ServiceError {
  return new ServiceError("forbidden", `${reason}: log in, or resend with a valid API key`);
}
