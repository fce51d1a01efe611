/**
 * Stage 2: who is asking. The first method that finds its credentials decides.
 *
 * @module
 */

import { ServiceError } from "./errors.ts";
import { type Eventual, whenThere } from "./eventual.ts";
import { type Caller, PUBLIC } from "./permissions.ts";
import type { ApiRequest } from "./request.ts";
import type { Service } from "./service.ts";

/**
 * Asks each method in the order of the policy file. Rejected credentials are refused at once and never become
 * `public`; a request without any is `public`, or refused while there is no such user.
 */
export function authenticate(request: ApiRequest, headers: Headers, service: Service): Eventual<Caller> {
  return askFrom(0, { request, headers, service });
}

interface Asking {
  readonly request: ApiRequest;
  readonly headers: Headers;
  readonly service: Service;
}

function askFrom(position: number, asking: Asking): Eventual<Caller> {
  const { request: { method, credentials }, headers, service } = asking;
  const named = service.methods[position];
  if (!named) return anonymous(service);
  return whenThere(named.method.authenticate({ method, headers, credentials }), (result) => {
    if (result.outcome === "accepted") return { user: result.user, anonymous: false };
    if (result.outcome === "absent") return askFrom(position + 1, asking);
    service.log.info(`Authentication by ${named.name} rejected: ${result.reason}`);
    throw forbidden(result.tell ?? "The credentials are not valid");
  });
}

function anonymous(service: Service): Caller {
  const user = service.users.get(PUBLIC);
  if (!user) throw forbidden("This service needs credentials");
  return { user, anonymous: true };
}

/** A refusal that tells what to do; the same text whatever was wrong with the credentials. */
export function forbidden(reason: string): ServiceError {
  return new ServiceError("forbidden", `${reason}: log in, or resend with a valid API key`);
}
