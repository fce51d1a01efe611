/**
 * The home page: databases, queries and, for administrators, the next steps and what is wrong. It also
 * shows what the search box finds.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { lockOf } from "@/core/identity/licence.ts";
import { ADMIN, type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { printName } from "@/core/request/print_path.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import { allTables } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageLink, PageView } from "@/plugins/contract.ts";
import { pageAddress } from "./address.ts";
import { notice, section } from "./blocks.ts";
import { databaseCards, NONE, reasonInWords } from "./databases.ts";
import { queryLinks } from "./queries/query_links.ts";

/** The demo, which an administrator replaces by own databases. */
const DEMO = "Demo";

/** `/`. */
export function homeView(request: ApiRequest, caller: Caller, service: Service): PageView {
  const wanted = uiValues(request.query).get("find")?.at(-1)?.trim() ?? "";
  if (wanted !== "") return findView(wanted, caller, service);
  const queries = queryLinks(caller, service);
  return {
    title: service.product,
    blocks: [
      ...complaintBlocks(caller, service),
      ...stepBlocks(caller, service),
      section("databases", "Databases", cards(databaseCards(caller, service), NONE)),
      ...(queries.length === 0 ? [] : [section("queries", "Queries", cards(queries))]),
    ],
  };
}

function cards(items: readonly PageLink[], empty = ""): PageBlock {
  return { kind: "links", style: "cards", items, empty };
}

/** For administrators: an invalid licence, mistakes in the configuration files, databases that fail. */
function complaintBlocks({ user }: Caller, service: Service): readonly PageBlock[] {
  if (user.login !== ADMIN) return [];
  const { files: { complaints }, databases, prefix } = service;
  const lock = lockOf(service);
  const failed = [...databases.values()].filter(({ state }) => state === "failed");
  return [
    ...(lock === undefined ? [] : [
      notice("problem", `The licence locks out everybody but admin: ${lock}`, {
        label: "See the licence",
        href: `${prefix}/license.html`,
        tone: "plain",
      }),
    ]),
    ...complaints.map((text) => notice("problem", text)),
    ...failed.map(({ definition: { id }, reason = "the reason is unknown" }) =>
      notice("problem", `The database ${id} cannot be connected: ${reasonInWords(reason)}`, {
        label: "See the database",
        href: pageAddress("dbdef", id, service),
        tone: "plain",
      })
    ),
  ];
}

/** The next steps of an administrator, as long as one of them is not done. */
function stepBlocks(
  { user }: Caller,
  { configuration, dialectTypes, prefix }: Service,
): readonly PageBlock[] {
  if (!mayDo(user, "create", { kind: "dbdef" }) || !mayDo(user, "create", { kind: "userdef" })) return [];
  const { databases, users } = configuration;
  const items = [
    {
      label: "Add a database",
      href: `${prefix}/dbdef.html?ui.new`,
      note: dialectTypes.map(({ title }) => title).join(", "),
      isDone: [...databases.keys()].some((id) => id !== DEMO),
    },
    {
      label: "Add a user",
      href: `${prefix}/userdef.html?ui.new`,
      note: "with the tables that the user may read and change",
      isDone: [...users.keys()].some((login) => login !== ADMIN && login !== PUBLIC),
    },
    {
      label: "Make an API key",
      href: `${prefix}/userdef/${encodeURIComponent(user.login)}.html#apikey`,
      note: "for programs that read or write",
      isDone: [...users.values()].some(({ apikeyHash }) => apikeyHash !== undefined),
    },
  ];
  if (items.every(({ isDone }) => isDone)) return [];
  return [section("steps", "Next steps", { kind: "links", style: "steps", items })];
}

/** More findings are left out. */
const MOST_FOUND = 100;

/** Databases, tables, columns and queries whose names or descriptions contain a text. */
function findView(wanted: string, caller: Caller, service: Service): PageView {
  const text = wanted.toLowerCase();
  const isFound = (name: string) => name.toLowerCase().includes(text);
  const fits = ({ label, note = "" }: PageLink) => isFound(label) || isFound(note);
  const databases = databaseCards(caller, service).filter(fits);
  const queries = queryLinks(caller, service).filter(fits);
  const among = tablesFound(isFound, caller, service);
  const found = [...databases, ...queries, ...among.tables, ...among.columns];
  const shown = found.slice(0, MOST_FOUND);
  const more = found.length > shown.length ? `, the first ${MOST_FOUND} of them` : "";
  return {
    title: `“${wanted}”`,
    ...(found.length === 0
      ? {}
      : { lead: `Found in ${found.length === 1 ? "one place" : `${found.length} places${more}`}.` }),
    blocks: [{
      kind: "links",
      style: "list",
      items: shown,
      empty:
        "No database, table, column or query that you may use has this in its name or description. Values in a table are found by the filter of its list.",
    }],
  };
}

function tablesFound(
  isFound: (name: string) => boolean,
  { user }: Caller,
  { databases, prefix, links }: Service,
): { readonly tables: readonly PageLink[]; readonly columns: readonly PageLink[] } {
  const found: PageLink[] = [];
  const among: PageLink[] = [];
  for (const managed of databases.values()) {
    const mapping = mappingOf(user, managed);
    if (!mapping || managed.status === "Disconnected") continue;
    const { id } = managed.definition;
    const { schema } = managed.connection.views.find(mapping);
    for (const { name, segment, columns, comment, kind } of allTables(schema)) {
      const href = `${prefix}/db/${printName(id, links)}/${segment}.html`;
      if ([name, comment ?? ""].some(isFound)) found.push({ label: name, href, note: `${kind} of ${id}` });
      for (const column of columns.filter((each) => isFound(each.name))) {
        among.push({ label: `${name}: ${column.name}`, href, note: `column of ${id}` });
      }
    }
  }
  return { tables: found, columns: among };
}
