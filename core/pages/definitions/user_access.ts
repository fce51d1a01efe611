/**
 * The part of the page of a user about the data that this user may reach.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { mayDo, OPERATIONS } from "@/core/identity/definition_rights.ts";
import type { DatabaseMapping, Operation, User } from "@/core/model.ts";
import { narrowable, notice, section } from "@/core/pages/blocks.ts";
import { queryLinks } from "@/core/pages/queries/query_links.ts";
import { isExecutable } from "@/core/queries/find_query.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageText } from "@/plugins/contract.ts";

/**
 * The data and queries that a user may reach, by the functions that decide about requests, as far as the
 * actor may know their names.
 */
export function accessBlocks(user: User, actor: User, service: Service): readonly PageBlock[] {
  if (!user.enabled) return [notice("warning", "This account is disabled: nobody can use it.")];
  const queries = queryLinks({ user, anonymous: false }, service, (definition) => {
    return mayDo(actor, "view", { kind: "querydef", definition }) ||
      isExecutable(definition, { user: actor }, service);
  });
  return [
    ...(user.databases.size === 0
      ? [{ kind: "text", text: "This user may use no database yet: Edit gives the rights." } as const]
      : [tablesOf(user, actor, service)]),
    ...(queries.length === 0
      ? []
      : [section("queries", "May run", { kind: "links", style: "list", items: queries })]),
  ];
}

function tablesOf(user: User, actor: User, service: Service): PageBlock {
  const rows = [...user.databases].flatMap(([id, mapping]): PageText[][] => {
    const managed = service.databases.get(id);
    if (managed && !mappingOf(user, managed)) return [[id, NO_LOGIN, ""]];
    if (!knowsTables(actor, user, managed)) return entriesOf(id, mapping);
    const tables = managed?.tables;
    if (!managed || !tables) return [[id, "not connected: its tables are unknown", ""]];
    const { may } = managed.connection.views.find(mapping);
    const rights = tables.names.map((table) => inWords((each) => may(table, each)));
    const [first = ""] = rights;
    if (rights.length > 1 && first !== "" && rights.every((each) => each === first)) {
      return [[id, `all ${rights.length} tables`, first]];
    }
    return rights.flatMap((text, index) => text === "" ? [] : [[id, tables.names[index] ?? "", text]]);
  });
  const [caption, empty] = ["Tables that this user may use", "This user may use none of the tables."];
  return section("access", "May use", narrowable(caption, ["Database", "Table", "Rights"], rows, empty));
}

const NO_LOGIN = { text: "nothing: the account has no database login for it", tone: "warning" } as const;

/** Whether the actor may know all tables of a database, or those of the account, which is its own. */
function knowsTables(actor: User, user: User, managed: ManagedDatabase | undefined): boolean {
  const mapping = managed && mappingOf(actor, managed);
  return actor.login === user.login || (mapping !== undefined && mapping.access === undefined) ||
    mayDo(actor, "view", { kind: "dbdef", definition: managed?.definition });
}

/** The rights as the definition has them. */
function entriesOf(id: string, { access }: DatabaseMapping): PageText[][] {
  if (!access) return [[id, "all tables", inWords(() => true)]];
  const others = access.size === 1 ? "all tables" : "all others";
  return [...access].map(([table, operations]) => {
    return [id, table === "*" ? others : table, inWords((each) => operations.has(each))];
  });
}

/** The permitted operations in words. */
export function inWords(may: (operation: Operation) => boolean): string {
  return OPERATIONS.filter(may).map((each) => each === "update" ? "change" : each).join(", ");
}
