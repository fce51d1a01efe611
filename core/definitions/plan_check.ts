/**
 * Plans `POST` of a definition that is tested without being stored.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import { chooseBodyFormat } from "@/core/request/body.ts";
import { readMembersOf, type SentMembers } from "./read_body.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import type { Document } from "@/core/model.ts";
import { requireWritable } from "@/core/request/parameters.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";

/** A test of a definition. */
export interface Check {
  readonly kind: DefinitionKind;
  /** Returns the outcome. */
  run(sent: SentMembers): Promise<Document>;
}

const METHODS = "POST, OPTIONS";

/** Tests the definition in the body. Throws 405 for other methods. */
export function planCheck(request: ApiRequest, { service, headers }: PlanInput, check: Check): SimplePlan {
  if (request.method === "OPTIONS") return { kind: "options", allow: METHODS };
  if (request.method !== "POST") throw refuseMethod(request.method, METHODS);
  requireWritable(request.parameters, request.method);
  const format = chooseBodyFormat(headers, request.extension, service);
  return {
    kind: "task",
    effect: true,
    run: async ({ source }) => {
      const limit = service.settings.max_body_size;
      const sent = await readMembersOf(check.kind, source, { format, limit });
      return { kind: "document", document: await check.run(sent) };
    },
  };
}
