/**
 * Types of parameters that the SQL of a query does not have. A mistyped name must not go unnoticed: the
 * parameter that is meant would be text.
 *
 * @module
 */

import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { quote } from "@/core/errors.ts";
import type { JsonObject, QueryDefinition } from "@/core/model.ts";
import { namesInText } from "@/core/queries/saved_query.ts";
import type { NameComplaint } from "@/core/schema/definition_names.ts";
import { parametersIn } from "@/core/sql/query_text.ts";
import type { SqlLexis } from "@/plugins/contract.ts";
import { refuseMembers } from "./read_body.ts";

/** Complaints about such names; none for a text that cannot be a saved query. */
export function complaintsAboutTypes(
  definition: QueryDefinition,
  lexis: SqlLexis,
): readonly NameComplaint[] {
  const names = namesInText(definition, lexis);
  if (!names) return [];
  const known = names.length === 0 ? "has none" : `has ${names.map(quote).join(", ")}`;
  return [...definition.parameters.keys()].filter((name) => !names.includes(name)).map((name) => {
    return {
      key: `parameters.${name}`,
      message: `Cannot find parameter ${quote(name)} in the SQL: it ${known}`,
    };
  });
}

/** Throws 400 for such names. Those of a disconnected database are not known. */
export function requireTypesInUse(definition: QueryDefinition, { lexis }: ManagedDatabase): void {
  const complaints = lexis ? complaintsAboutTypes(definition, lexis) : [];
  if (complaints.length === 0) return;
  throw refuseMembers(complaints.map(({ message }) => ({ key: "parameters", message })));
}

/**
 * The members of a form without such types, and without values for a trial of such parameters: it has fields
 * for the parameters that its SQL had at first.
 */
export function withoutUnusedParameters(
  members: JsonObject,
  databases: ReadonlyMap<string, ManagedDatabase>,
): JsonObject {
  const { database, sqlstr } = members;
  const lexis = typeof database === "string" ? databases.get(database)?.lexis : undefined;
  const names = lexis && typeof sqlstr === "string" ? parametersIn(sqlstr, lexis) : undefined;
  if (!names) return members;
  const used = ["parameters", "arguments"].flatMap((member) => {
    const given = members[member];
    if (typeof given !== "object" || given === null) return [];
    return [[member, Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)))]];
  });
  return { ...members, ...Object.fromEntries(used) };
}
