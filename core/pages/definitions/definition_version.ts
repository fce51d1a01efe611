/**
 * Tells a form of a definition that was opened before somebody else has changed the definition.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import { type Definition, findDefinition, shownMembers } from "@/core/definitions/documents.ts";
import { ServiceError } from "@/core/errors.ts";
import { notice } from "@/core/pages/blocks.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { Service } from "@/core/service.ts";
import { hashRecord } from "@/core/tables/etag.ts";
import type { PageBlock } from "@/plugins/contract.ts";

/** The field of a form with the version of the definition that it shows. */
export const VERSION = "ui.version";

/** A hash of the members of a definition, without its secrets. */
export function versionOf(found: Definition): string {
  return hashRecord([JSON.stringify(shownMembers(found))]);
}

/** The refusal of a form that shows another version than the configuration has. */
export function outdatedDefinition(
  kind: DefinitionKind,
  id: string,
  values: FormState["values"],
  { configuration }: Service,
): ServiceError | undefined {
  const [given] = values.get(VERSION) ?? [];
  if (given === undefined) return undefined;
  const found = findDefinition(kind, id, configuration);
  if (!found || versionOf(found) === given) return undefined;
  return new ServiceError("precondition-failed", "Somebody else has changed this definition");
}

/** The notice of the form that is shown again then; `own` is the address of the definition's page. */
export function outdatedBlocks(typed: FormState | undefined, own: string): readonly PageBlock[] {
  if (!typed?.isOutdated) return [];
  const text =
    "Somebody else has changed this since you opened it. Fields that differ show what they hold now, " +
    "tables of switches do not; saving again replaces everything.";
  return [notice("warning", text, { label: "See it as it is now", href: own, isBeside: true })];
}
