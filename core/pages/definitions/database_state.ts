/**
 * The parts of the page of a database's definition beside its members: the live state with the buttons to
 * connect and disconnect, the tables that are left out, and who may use it.
 *
 * @module
 */

import { counted } from "@/core/base/counted.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { DatabaseMapping, User } from "@/core/model.ts";
import { pageAddress } from "@/core/pages/address.ts";
import { narrowable, notice, section } from "@/core/pages/blocks.ts";
import { reasonInWords, STATES } from "@/core/pages/databases.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageText } from "@/plugins/contract.ts";
import { inWords } from "./user_access.ts";

/** The state, with mistakes in the definition, and the button that changes it. */
export function stateBlocks(managed: ManagedDatabase, actor: User, service: Service): readonly PageBlock[] {
  const mayOrder = mayConnect(actor, managed);
  return [
    notice(STATES[managed.state].tone, stateOf(managed, mayOrder)),
    ...managed.complaints.map(({ key, message }) => notice("warning", `${key}: ${message}`)),
    ...(mayOrder ? [orderForm(managed, service)] : []),
  ];
}

/** The parts that are left out, and the users. */
export function contentBlocks(managed: ManagedDatabase, actor: User, service: Service): readonly PageBlock[] {
  return [...(mayConnect(actor, managed) ? leftOut(managed) : []), ...usersOf(managed, actor, service)];
}

function mayConnect(actor: User, { definition }: ManagedDatabase): boolean {
  return mayDo(actor, "execute", { kind: "dbdef", definition });
}

/** The reason is for those who may connect it. */
function stateOf({ state, tables, reason }: ManagedDatabase, mayOrder: boolean): string {
  const because = mayOrder && reason !== undefined ? `: ${reasonInWords(reason)}` : "";
  if (state === "failed") return `This database cannot be connected${because}`;
  if (state === "connecting") return `This database is being connected${because}`;
  const count = tables === undefined ? "" : `, ${counted(tables.names.length, "table")} found`;
  return `This database is ${STATES[state].text}${count}${because}`;
}

/**
 * An attempt to connect can be given up. The page tells the state itself, but one that cannot be connected
 * looks the same behind an attempt.
 */
function orderForm({ state, definition: { id } }: ManagedDatabase, service: Service): PageBlock {
  const order = state === "connected" || state === "connecting"
    ? { path: "unload-model", done: "disconnected", button: { label: "Disconnect", tone: "plain" } } as const
    : { path: "load-model", done: "connect", button: { label: "Connect" } };
  const next = pageAddress("dbdef", id, service);
  return {
    kind: "form",
    action: `${service.prefix}/ui/${order.path}/${printName(id, service.links)}`,
    hidden: { "ui.method": "POST", "ui.next": next, "ui.done": order.done },
    fields: [],
    buttons: [order.button],
  };
}

function leftOut({ omitted }: ManagedDatabase): readonly PageBlock[] {
  if (omitted.length === 0) return [];
  const parts = omitted.map((text) => [text]);
  return [section(
    "left-out",
    "Left out",
    narrowable("Parts of the database that are left out", ["Part and reason"], parts),
  )];
}

/** Users with a mapping, as far as the actor may see their accounts. */
function usersOf(managed: ManagedDatabase, actor: User, service: Service): readonly PageBlock[] {
  const { definition: { id } } = managed;
  const rows = [...service.configuration.users.values()].flatMap((user): PageText[][] => {
    const mapping = user.databases.get(id);
    if (!mapping || !mayDo(actor, "view", { kind: "userdef", definition: user })) return [];
    const name = { text: user.login, href: pageAddress("userdef", user.login, service) };
    return [[name, rightsOf(user, mapping, managed)]];
  });
  if (rows.length === 0) return [];
  return [section("users", "Who may use it", narrowable(`Users of ${id}`, ["User", "Rights"], rows))];
}

function rightsOf(user: User, { access }: DatabaseMapping, managed: ManagedDatabase): PageText {
  if (!user.enabled) return { text: "none: the account is disabled", tone: "warning" };
  if (!mappingOf(user, managed)) return { text: "none: the account has no database login", tone: "warning" };
  if (access === undefined) return "everything";
  const others = inWords((operation) => access.get("*")?.has(operation) === true);
  const own =
    [...access].filter(([table, rights]) => table !== "*" && (others !== "" || rights.size > 0)).length;
  if (others === "") return own === 0 ? "none" : `rights on ${counted(own, "table")}`;
  return own === 0 ? others : `${others}; ${own} ${own === 1 ? "table has" : "tables have"} other rights`;
}
