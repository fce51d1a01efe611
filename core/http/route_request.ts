/**
 * A request in the form for the service's own routes.
 *
 * @module
 */

import type { Exchange } from "@/core/exchange.ts";
import { withBody } from "@/core/request/body.ts";
import { readFields } from "@/core/request/form_fields.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import type { RouteRequest } from "@/plugins/contract.ts";

/** Default of the largest body, in bytes. */
const MAX_BODY = 65_536;

/** Reads the body on demand, at most once. */
export function routeRequest(
  exchange: Exchange,
  format: Negotiated,
  parameters: ReadonlyMap<string, string>,
  maxBody: number = MAX_BODY,
): RouteRequest {
  const { requestId, method, headers, client, target, service } = exchange;
  const limit = Math.min(maxBody, service.settings.max_body_size);
  const search = splitTarget(target, service.prefix).query;
  let fields: ReturnType<typeof readFields> | undefined;
  return {
    requestId,
    method,
    headers,
    client,
    parameters,
    query: new URLSearchParams(search),
    search,
    wantsPage: format.format.form !== undefined && !sendsJson(headers),
    get baseUrl() {
      return exchange.origin + service.prefix;
    },
    fields: () => fields ??= withBody(exchange, (source) => readFields(source, limit)),
  };
}

/** Whether a program sent the request, whatever it accepts. */
function sendsJson(headers: Headers): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
}
