/**
 * The parts of the page of a database's definition beside its members: the live state with the buttons to
 * connect and disconnect, the tables that are left out, and who may use it.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { DatabaseMapping, User } from "@/core/model.ts";
import { WORDS } from "@/core/pages/definitions/user_access.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageText } from "@/plugins/contract.ts";
import { reasonInWords, STATES } from "./databases.ts";
import { narrowing } from "./narrowing.ts";

/** The state, with mistakes in the definition, and the button that changes it. */
export function stateBlocks(managed: ManagedDatabase, actor: User, service: Service): readonly PageBlock[] {
  const mayOrder = mayConnect(actor, managed);
  return [
    { kind: "notice", tone: STATES[managed.state].tone, text: stateOf(managed, mayOrder) },
    ...managed.complaints.map(({ key, message }): PageBlock => {
      return { kind: "notice", tone: "warning", text: `${key}: ${message}` };
    }),
    ...(mayOrder ? [orderForm(managed, service)] : []),
  ];
}

/** The parts that are left out, and the users. */
export function contentBlocks(managed: ManagedDatabase, actor: User, service: Service): readonly PageBlock[] {
  return [
    ...(mayConnect(actor, managed) ? leftOut(managed) : []),
    ...usersOf(managed, actor, service),
  ];
}

function mayConnect(actor: User, { definition }: ManagedDatabase): boolean {
  return mayDo(actor, "execute", { kind: "dbdef", definition });
}

/** The reason is for those who may connect it. */
function stateOf({ state, tables, reason }: ManagedDatabase, mayOrder: boolean): string {
  const because = mayOrder && reason !== undefined ? `: ${reasonInWords(reason)}` : "";
  if (state === "failed") return `This database cannot be connected${because}`;
  if (state === "connecting") return `This database is being connected${because}`;
  const count = tables === undefined
    ? ""
    : `, ${tables.names.length} ${tables.names.length === 1 ? "table" : "tables"} found`;
  return `This database is ${STATES[state].text}${count}${because}`;
}

/** An attempt to connect can be given up. */
function orderForm({ state, definition: { id } }: ManagedDatabase, { prefix, links }: Service): PageBlock {
  const order = state === "connected" || state === "connecting"
    ? { path: "unload-model", done: "disconnected", button: { label: "Disconnect", tone: "plain" } } as const
    : { path: "load-model", done: "connected", button: { label: "Connect" } };
  const name = printName(id, links);
  return {
    kind: "form",
    action: `${prefix}/ui/${order.path}/${name}`,
    hidden: { "ui.method": "POST", "ui.next": `${prefix}/dbdef/${name}.html`, "ui.done": order.done },
    fields: [],
    buttons: [order.button],
  };
}

function leftOut({ omitted }: ManagedDatabase): readonly PageBlock[] {
  if (omitted.length === 0) return [];
  return [{
    kind: "section",
    id: "left-out",
    title: "Left out",
    blocks: [{
      kind: "table",
      caption: "Parts of the database that are left out",
      columns: [{ label: "Part and reason" }],
      rows: omitted.map((text) => [text]),
      empty: "",
      ...narrowing(omitted.length),
    }],
  }];
}

/** Users with a mapping, as far as the actor may see their accounts. */
function usersOf(managed: ManagedDatabase, actor: User, service: Service): readonly PageBlock[] {
  const { definition: { id } } = managed;
  const { prefix, links, configuration: { users } } = service;
  const rows = [...users.values()].flatMap((user): PageText[][] => {
    const mapping = user.databases.get(id);
    if (!mapping || !mayDo(actor, "view", { kind: "userdef", definition: user })) return [];
    const name = { text: user.login, href: `${prefix}/userdef/${printName(user.login, links)}.html` };
    return [[name, rightsOf(user, mapping, managed)]];
  });
  if (rows.length === 0) return [];
  return [{
    kind: "section",
    id: "users",
    title: "Who may use it",
    blocks: [{
      kind: "table",
      caption: `Users of ${id}`,
      columns: [{ label: "User" }, { label: "Rights" }],
      rows,
      empty: "",
      ...narrowing(rows.length),
    }],
  }];
}

function rightsOf(user: User, { access }: DatabaseMapping, managed: ManagedDatabase): PageText {
  if (!user.enabled) return { text: "none: the account is disabled", tone: "warning" };
  if (!mappingOf(user, managed)) return { text: "none: the account has no database login", tone: "warning" };
  if (access === undefined) return "everything";
  const others = [...access.get("*") ?? []].map((operation) => WORDS[operation]).join(", ");
  const own = access.size - (access.has("*") ? 1 : 0);
  const some = own === 0 ? "" : `${own} ${own === 1 ? "table has" : "tables have"} other rights`;
  return [others, some].filter((text) => text !== "").join("; ") || "none";
}
