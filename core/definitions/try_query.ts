/**
 * Asks a query's database whether it accepts the SQL, without running it.
 *
 * @module
 */

import { ConfigurationError, formatComplaint, type Members, readQueryDefinition } from "@/config/mod.ts";
import { refuseMembers } from "./read_body.ts";
import { shownMembers } from "./documents.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { explainFailure } from "@/core/database/explain_failure.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { refuseQuery } from "./escalation.ts";
import type { QueryDefinition, User } from "@/core/model.ts";
import { describeQuery, type SavedQuery } from "@/core/queries/saved_query.ts";
import type { Service } from "@/core/service.ts";
import type { Database } from "@/plugins/contract.ts";

/** The prepared query, or the reason why the database refuses it. */
export type Trial = { readonly query: SavedQuery } | { readonly reason: string };

/** Members that decide whether a database accepts a query. */
const DECISIVE = ["database", "sqlstr", "parameters"];

/** The definition from given members and an existing query, or of a new one. Throws 400. */
export function defineQuery(
  members: Members,
  existing: QueryDefinition | undefined,
  { login }: User,
): QueryDefinition {
  const shown = existing ? shownMembers({ kind: "querydef", definition: existing }) : { creator: login };
  try {
    return readQueryDefinition(existing?.id ?? "check", { ...shown, ...members });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw refuseMembers("definition", error.complaints.map(formatComplaint));
  }
}

/**
 * Tests a query under the author's own database login, so that messages only contain names that this login can see.
 * Undefined: the author has no login for the database. Throws 503 while the database is unavailable.
 */
export async function tryQuery(
  definition: QueryDefinition,
  author: User,
  service: Pick<Service, "databases">,
): Promise<Trial | undefined> {
  const managed = service.databases.get(definition.database);
  const mapping = managed && mappingOf(author, managed);
  if (!managed || !mapping) return undefined;
  const { connection } = managed;
  const { database, schema } = managed.view(connection, mapping);
  try {
    return { query: await describeQuery(definition, database) };
  } catch (error) {
    const reason = reasonOf(error, database);
    if (reason !== undefined) return { reason };
    throw explainFailure(error, { kind: "read", managed, connection, database, visible: schema });
  }
}

/** Why the database refuses the statement; undefined for a failure with another cause. */
function reasonOf(error: unknown, database: Database): string | undefined {
  if (error instanceof ServiceError) return error.code === "bad-request" ? error.message : undefined;
  const failure = database.classify(error);
  const isRefusal = failure === "invalid" || failure === "permission" || failure === "changed";
  return isRefusal ? database.explain(error) : undefined;
}

/**
 * Throws 400 for a query to be saved if its database refuses it or does not exist. If the database is unavailable,
 * mistakes are found when the query runs.
 */
export async function requireUsable(
  members: Members,
  existing: QueryDefinition | undefined,
  { author, service }: { readonly author: User; readonly service: Pick<Service, "databases"> },
): Promise<void> {
  if (existing && !DECISIVE.some((name) => name in members)) return;
  const definition = defineQuery(members, existing, author);
  // The change is refused later, with its reason; until then this author must not see messages of the database.
  if (refuseQuery(author, { before: existing, after: definition }).length > 0) return;
  if (!service.databases.has(definition.database)) {
    throw refuseMembers("definition", [`"database": there is no database ${quote(definition.database)}`]);
  }
  const trial = await tryQuery(definition, author, service).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
  if (trial && "reason" in trial) {
    throw refuseMembers("definition", [`"sqlstr": the database refuses it: ${trial.reason}`]);
  }
}
