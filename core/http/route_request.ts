/**
 * A request in the form for the service's own routes.
 *
 * @module
 */

import { withBody } from "@/core/request/body.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import { readFields } from "@/core/request/form_fields.ts";
import type { Service } from "@/core/service.ts";
import type { RouteRequest, Sender } from "@/plugins/contract.ts";

/** The raw request, its sender and its route. */
export interface RouteArrival {
  readonly raw: Request;
  readonly target: string;
  readonly sender: Sender;
  readonly requestId: string;
  /** The values of the names in braces. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The format of errors. */
  readonly format: Negotiated;
}

/** Default of the largest body, in bytes. */
const MAX_BODY = 65_536;

/** Reads the body on demand, at most once. */
export function routeRequest(
  { raw, target, sender, requestId, parameters, format }: RouteArrival,
  service: Service,
  maxBody: number = MAX_BODY,
): RouteRequest {
  const { headers, client } = sender;
  const limit = Math.min(maxBody, service.settings.max_body_size);
  const search = splitTarget(target, service.prefix).query;
  let fields: ReturnType<typeof readFields> | undefined;
  return {
    requestId,
    method: raw.method,
    headers,
    client,
    parameters,
    query: new URLSearchParams(search),
    search,
    wantsPage: format.format.form !== undefined && !sendsJson(headers),
    get baseUrl() {
      return (service.origin ?? ownOrigin(sender)) + service.prefix;
    },
    fields: () => fields ??= withBody(raw, sender, service, (source) => readFields(source, limit)),
  };
}

/** Whether a program sent the request, whatever it accepts. */
function sendsJson(headers: Headers): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
}

function ownOrigin({ headers, client }: Sender): string {
  return `${client.isHttps ? "https" : "http"}://${headers.get("host") ?? "localhost"}`;
}
