/**
 * The link from the pages of a query to its definition.
 *
 * @module
 */

import { mayDo } from "@/core/identity/definition_rights.ts";
import type { QueryDefinition, User } from "@/core/model.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageAction } from "@/plugins/contract.ts";

/** Empty for a user who may not change the query. */
export function definitionLinks(
  definition: QueryDefinition,
  user: User,
  { prefix, links }: Pick<Service, "prefix" | "links">,
): readonly PageAction[] {
  if (!mayDo(user, "edit", { kind: "querydef", definition })) return [];
  const href = `${prefix}/querydef/${printName(definition.id, links)}.html`;
  return [{ label: "Definition", href, tone: "plain" }];
}
