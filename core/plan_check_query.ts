/**
 * `POST /settings/check-query`: tries the SQL of a query without running it, for authors.
 *
 * @module
 */

import { ConfigurationError, formatComplaint, type Members, readQueryDefinition } from "@/config/mod.ts";
import { refuseMembers } from "./definition_body.ts";
import { showQuery } from "./definition_views.ts";
import { mayNot, notToBeGranted } from "./definition_problems.ts";
import { quote, ServiceError } from "./errors.ts";
import { mappingOf } from "./find_database.ts";
import { refuseQuery } from "./grants.ts";
import type { Document, Json, QueryDefinition, User } from "./model.ts";
import type { Caller } from "./permissions.ts";
import type { Plan, PlanInput } from "./plan.ts";
import { planCheck } from "./plan_check.ts";
import { isAuthor } from "./query_access.ts";
import { describeQuery } from "./saved_query.ts";
import type { ApiRequest } from "./request.ts";
import { mayDo } from "./rights.ts";
import type { Service } from "./service.ts";
import type { Database } from "@/plugins/contract.ts";

/** A new query, or with `query_id` a change of one that is there. Throws 403 for whoever may write none. */
export function planCheckQuery(request: ApiRequest, { user }: Caller, input: PlanInput): Plan {
  const { service } = input;
  if (request.segments.length > 1) throw new ServiceError("not-found", `Cannot find ${quote(request.path)}`);
  if (!isAuthor(user, service)) throw mayNot(user, "try queries of", "querydef");
  return planCheck(request, input, {
    kind: "querydef",
    run: async ({ id, members }) => {
      const existing = typeof id === "string" ? service.queries.get(id) : undefined;
      const may = mayDo(user, existing ? "edit" : "create", { kind: "querydef", ...present(existing) });
      if (!may) throw mayNot(user, "try queries of", "querydef");
      const definition = defineQuery(members, existing, user);
      const refusals = refuseQuery(user, { before: existing, after: definition });
      if (refusals.length > 0) throw notToBeGranted(user, refusals);
      return await check(definition, findDatabase(user, definition, service));
    },
  });
}

/** What the members make of the query that is there, or of a new one. */
function defineQuery(
  members: Members,
  existing: QueryDefinition | undefined,
  { login }: User,
): QueryDefinition {
  const { query_id: _, url_template: __, ...shown } = existing ? showQuery(existing) : { creator: login };
  try {
    return readQueryDefinition(existing?.id ?? "check", { ...shown, ...members });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw refuseMembers("definition", error.complaints.map(formatComplaint));
  }
}

function present(definition: QueryDefinition | undefined): { readonly definition?: QueryDefinition } {
  return definition ? { definition } : {};
}

/** The database under the author's own login: what it tells of names is theirs to know. */
function findDatabase(user: User, { database }: QueryDefinition, service: Service): Database {
  const managed = service.databases.get(database);
  const mapping = managed && mappingOf(user, managed);
  if (managed && mapping) return managed.view(managed.connection, mapping).database;
  throw new ServiceError(
    "bad-request",
    `Cannot try the query: you have no login for a database ${quote(database)}`,
  );
}

/** What the engine says of the statement: its columns and parameters, or what is wrong with it. */
async function check(definition: QueryDefinition, database: Database): Promise<Document> {
  const tree = await describe(definition, database);
  return {
    name: "query",
    tree,
    columns: Object.keys(tree),
    rows: [
      Object.values(tree).map((value) => {
        return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
      }),
    ],
  };
}

async function describe(definition: QueryDefinition, database: Database): Promise<Record<string, Json>> {
  try {
    const { text, columns, isReadOnly } = await describeQuery(definition, database);
    const types = text.parameters.map((name) => [name, definition.parameters.get(name) ?? "text"]);
    return {
      valid: true,
      error: null,
      parameters: Object.fromEntries(types),
      columns:
        columns?.map(({ name, type, declaredType }) => ({ name, type, declared_type: declaredType })) ?? null,
      read_only: isReadOnly ?? null,
    };
  } catch (error) {
    const reason = reasonOf(error, database);
    return { valid: false, error: reason, parameters: {}, columns: [], read_only: null };
  }
}

function reasonOf(error: unknown, database: Database): string {
  if (error instanceof ServiceError && error.code === "bad-request") return error.message;
  const failure = error instanceof ServiceError ? undefined : database.classify(error);
  if (failure === "invalid" || failure === "permission" || failure === "changed") {
    return database.explain(error);
  }
  throw error;
}
