/**
 * The part of the page of a user about the data that this user may reach.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import type { User } from "@/core/model.ts";
import { queryLinks } from "@/core/pages/home.ts";
import { narrowing } from "@/core/pages/narrowing.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageText } from "@/plugins/contract.ts";

/** The data and queries that a user may reach, by the functions that decide about requests. */
export function accessBlocks(user: User, service: Service): readonly PageBlock[] {
  if (!user.enabled) {
    return [{ kind: "notice", tone: "warning", text: "This account is disabled: nobody can use it." }];
  }
  const queries = queryLinks({ user, anonymous: false }, service);
  return [
    ...(user.databases.size === 0
      ? [{ kind: "text", text: "This user may use no database yet: Edit gives the rights." } as const]
      : [tablesOf(user, service)]),
    ...(queries.length === 0 ? [] : [
      {
        kind: "section",
        id: "queries",
        title: "May run",
        blocks: [{ kind: "links", style: "list", items: queries }],
      } as const,
    ]),
  ];
}

function tablesOf(user: User, service: Service): PageBlock {
  const rows = [...user.databases].flatMap(([id, mapping]): PageText[][] => {
    const managed = service.databases.get(id);
    if (managed && !mappingOf(user, managed)) return [[id, NO_LOGIN, ""]];
    const tables = managed?.tables;
    if (!managed || !tables) return [[id, "not connected: its tables are unknown", ""]];
    const { may } = managed.connection.views.find(mapping);
    const rights = tables.names.map((table) =>
      (["read", "create", "update", "delete"] as const).filter((each) => may(table, each))
        .map((each) => WORDS[each]).join(", ")
    );
    const [first = ""] = rights;
    if (rights.length > 1 && first !== "" && rights.every((each) => each === first)) {
      return [[id, `all ${rights.length} tables`, first]];
    }
    return rights.flatMap((text, index) => text === "" ? [] : [[id, tables.names[index] ?? "", text]]);
  });
  return {
    kind: "section",
    id: "access",
    title: "May use",
    blocks: [{
      kind: "table",
      caption: "Tables that this user may use",
      columns: [{ label: "Database" }, { label: "Table" }, { label: "Rights" }],
      rows,
      empty: "None of the tables that there are.",
      ...narrowing(rows.length),
    }],
  };
}

const NO_LOGIN = {
  text: "nothing: the account has no database login for it",
  tone: "warning",
} as const;

/** The operations in words. */
export const WORDS = { read: "read", create: "create", update: "change", delete: "delete" } as const;
