/**
 * What speaks against a change of a definition of whatever kind. Pure.
 *
 * @module
 */

import type { Configuration, DefinitionKind, Members } from "@/config/mod.ts";
import { refuseDatabase, refuseQuery, refuseUser, type TablesOf } from "./escalation.ts";
import type { User } from "@/core/model.ts";

/** A change that has been decided. */
export interface Refusing {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly actor: User;
  /** The members as they were sent. */
  readonly sent: Members;
  readonly tablesOf: TablesOf;
  /** Whether a kind of database has users of its own. */
  hasLogins(dbType: string): boolean;
}

/** Why the writer may not make a definition what it would become. */
export function refusalsOf(
  { kind, id, actor, sent, tablesOf, hasLogins }: Refusing,
  current: Configuration,
  next: Configuration,
): readonly string[] {
  switch (kind) {
    case "userdef": {
      const after = next.users.get(id);
      return after ? refuseUser(actor, { before: current.users.get(id), after, current, tablesOf }) : [];
    }
    case "dbdef": {
      const after = next.databases.get(id);
      const login = sent["autoload_user"];
      const sendsPassword = typeof login === "object" && login !== null && "dbpass" in login;
      const before = current.databases.get(id);
      if (!after) return [];
      const change = { before, after, current, sendsPassword, hasLogins: hasLogins(after.dbType) };
      return refuseDatabase(actor, change);
    }
    case "querydef": {
      const after = next.queries.get(id);
      return after ? refuseQuery(actor, { before: current.queries.get(id), after }) : [];
    }
    default:
      return kind satisfies never;
  }
}
