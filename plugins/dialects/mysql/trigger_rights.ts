/**
 * Where a login may see triggers: only there it is known that a table has none.
 *
 * @module
 */

import type { Server } from "./server.ts";
import type { Session } from "./session.ts";

/** What is listed, and who is told the SQL. */
export interface ListingOptions {
  readonly server: Server;
  /** Databases, as MySQL calls its schemas. */
  readonly schemas: readonly string[];
  echo(sql: string): void;
}

/** Where the login may see triggers: everywhere, in a schema, or of one table. */
export interface TriggerRight {
  readonly schema: string | null;
  readonly table: string | null;
}

/** The login as the lists of rights write it; its name may have an @, its host has none. */
const GRANTEE =
  `concat('''', left(current_user(), char_length(current_user()) - locate('@', reverse(current_user()))),
  '''@''', substring_index(current_user(), '@', -1), '''')`;

/** Of several patterns that a schema fits MySQL goes by one alone, so all of them have to give the right. */
const GIVEN_BY_ALL = `count(DISTINCT table_schema) =
    count(DISTINCT CASE WHEN privilege_type = 'TRIGGER' THEN table_schema END)`;

/**
 * Rights that come by roles are not listed, and a right on every schema may have exceptions on MySQL: then the login counts as
 * if it did not see what it may see.
 */
export async function askTriggerRights(
  session: Session,
  { server: { flavour }, schemas, echo }: ListingOptions,
): Promise<readonly TriggerRight[]> {
  const listed = `grantee = ${GRANTEE}`;
  const own = `privilege_type = 'TRIGGER' AND ${listed}`;
  // The schema of a right is a pattern.
  const served = schemas.map(() => "cast(? AS binary) LIKE cast(table_schema AS binary)");
  const sql = `SELECT NULL, NULL FROM information_schema.user_privileges
      WHERE ${own}${flavour === "mysql" ? " AND NOT @@partial_revokes" : ""}
    ${
    served.map((isServed) =>
      `UNION ALL SELECT ?, NULL FROM information_schema.schema_privileges WHERE ${listed} AND ${isServed}
        HAVING count(*) > 0 AND ${GIVEN_BY_ALL}`
    ).join(" ")
  }
    UNION ALL SELECT table_schema, table_name FROM information_schema.table_privileges WHERE ${own}`;
  echo(`${sql} -- ${JSON.stringify(schemas)}`);
  const answer = await session.run(sql, schemas.flatMap((schema) => [schema, schema]));
  if (!("rows" in answer)) return [];
  return answer.rows.map(([schema, table]) => ({ schema, table }) as TriggerRight);
}
