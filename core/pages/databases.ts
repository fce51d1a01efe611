/**
 * The pages of all databases, and of the tables of one.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import { printName } from "@/core/request/print_path.ts";
import { allTables, type Table } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import type { View } from "@/core/database/connect.ts";
import { findDiagram } from "./diagram.ts";
import type { DiagramModel, PageBlock, PageLink, PageText, PageView } from "@/plugins/contract.ts";

/** The databases that a caller has a mapping to, as cards. */
export function databaseCards({ user }: Caller, service: Service): readonly PageLink[] {
  const mapped = [...service.databases.values()].filter((managed) => mappingOf(user, managed));
  return mapped.map(({ definition: { id, description }, state }): PageLink => ({
    label: id,
    href: `${service.prefix}/db/${printName(id, service.links)}.html`,
    note: description,
    status: STATES[state],
  }));
}

/** The states of a connection in words. */
export const STATES = {
  connecting: { text: "connecting", tone: "warning" },
  connected: { text: "connected", tone: "good" },
  failed: { text: "failed", tone: "problem" },
  disconnected: { text: "disconnected", tone: "plain" },
} as const;

/** `/db`. */
export function databasesView(caller: Caller, service: Service): PageView {
  const items = databaseCards(caller, service);
  return { title: "Databases", blocks: [{ kind: "links", style: "cards", items, empty: NONE }] };
}

const NONE = "There is no database for you here. Ask the administrator of this service, or log in.";

/** `/db/{db_id}`: the tables that the caller may read, with what is known of each. */
export function databaseView(
  { id, description }: DatabaseDefinition,
  view: View,
  service: Service,
  around?: string,
): PageView {
  const base = `${service.prefix}/db/${printName(id, service.links)}`;
  const tables = allTables(view.schema);
  const diagram = findDiagram(view, base, around) ?? findDiagram(view, base);
  return {
    title: id,
    ...(description === "" ? {} : { lead: description }),
    blocks: [{
      kind: "table",
      caption: `Tables of ${id}`,
      columns: [{ label: "Table" }, { label: "Description" }, { label: "Columns", isNumber: true }, {
        label: "Related to",
      }],
      rows: tables.map((table) => rowOf(table, base)),
      empty: "There is no table for you here.",
      ...(tables.length > 8 ? { narrow: "Narrow the list" } : {}),
    }, ...(diagram ? [diagramSection(diagram)] : [])],
  };
}

function diagramSection(diagram: DiagramModel): PageBlock {
  return { kind: "section", id: "diagram", title: "Diagram", blocks: [{ kind: "diagram", diagram }] };
}

function rowOf(
  { name, segment, kind, comment = "", columns, toOne, toMany }: Table,
  base: string,
): readonly PageText[] {
  const related = new Set([...toOne, ...toMany].map(({ table }) => table.name));
  const what = kind === "view" && comment === "" ? "a view" : comment;
  return [
    { text: name, href: `${base}/${segment}.html` },
    what,
    String(columns.length),
    [...related].join(", "),
  ];
}
