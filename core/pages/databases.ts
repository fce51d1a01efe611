/**
 * The pages of all databases, and of the tables of one.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { View } from "@/core/database/connect.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition } from "@/core/model.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import { printName } from "@/core/request/print_path.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import { allTables, type Table } from "@/core/schema/table.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import { ALL_ROWS } from "@/core/sql/selection.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import { walkInput } from "@/core/tables/plan_read.ts";
import type {
  Database,
  DiagramModel,
  PageBlock,
  PageLink,
  PageText,
  PageView,
  Run,
} from "@/plugins/contract.ts";
import { pageAddress } from "./address.ts";
import { BY_NAME, narrowable, optionsOf, section, select } from "./blocks.ts";
import { findDiagram } from "./diagram.ts";

/** The databases that a caller has a mapping to, as cards. */
export function databaseCards({ user }: Caller, service: Service): readonly PageLink[] {
  const mapped = [...service.databases.values()].filter((managed) => mappingOf(user, managed));
  return mapped.map(({ definition: { id, description }, state }): PageLink => ({
    label: id,
    href: pageAddress("db", id, service),
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

/** Why a database is not connected, behind words that say so: dialects begin with them, too. */
export function reasonInWords(reason: string): string {
  return reason.replace(/^Cannot connect: /, "")
    .replace(/^(?=connect ECONNREFUSED )/, "no server answers at this host and port: ")
    .replace(/^(?=getaddrinfo )/, "there is no host with this name: ")
    .replace(/^There is no database login: autoload_user .*/, "the login that reads the catalog is missing");
}

/** `/db`. */
export function databasesView(caller: Caller, service: Service): PageView {
  const items = databaseCards(caller, service);
  const mayAdd = mayDo(caller.user, "create", { kind: "dbdef" });
  return {
    title: "Databases",
    ...(mayAdd
      ? { actions: [{ label: "Add a database", href: `${service.prefix}/dbdef.html?ui.new`, tone: "plain" }] }
      : {}),
    blocks: [{ kind: "links", style: "cards", items, empty: `${NONE}${mayAdd ? "" : whomToAsk(caller)}` }],
  };
}

/** Instead of the databases of a caller without one. */
export const NONE = "There is no database that you may use.";

function whomToAsk({ user }: Caller): string {
  return user.login === PUBLIC
    ? " Log in, or ask the administrator of this service."
    : " Ask the administrator of this service.";
}

/** The page of a database; stage 4 counts the rows of its tables. */
export interface TablesPlan extends Pick<DataRequest, "managed"> {
  readonly kind: "tables";
  readonly database: Database;
  /** The counts, each with its table. Empty: there are too many tables to count them unasked. */
  readonly counts: readonly (Run & { readonly table: string })[];
  /** Counts stop above this number. */
  readonly most: number;
  /** The page with the rows of each table in words. */
  readonly show: (rows: ReadonlyMap<string, string>) => PageView;
}

/** A page of more tables counts them only if it is asked to. */
const MOST_TABLES = 60;
const MOST_ROWS = 10_000;

/** Plans `/db/{db_id}`: the tables that the caller may read, with what is known of each. */
export function planTables(input: DataRequest, { user }: Caller): TablesPlan {
  const { request, managed, view, service } = input;
  requireUseful(request, "document");
  const ui = uiValues(request.query);
  const around = ui.get("around")?.[0];
  const tables = allTables(view.schema).filter(({ kind }) => kind === "table");
  const isCounted = tables.length <= MOST_TABLES || ui.has("counts");
  const { definition } = managed;
  const mayEdit = mayDo(user, "edit", { kind: "dbdef", definition });
  return {
    kind: "tables",
    managed,
    database: view.database,
    counts: isCounted ? tables.map((table) => ({ ...countOf(table, input), table: table.name })) : [],
    most: MOST_ROWS,
    show: (rows) =>
      databaseView(definition, view, service, { rows, isCounted, mayEdit, ...defined({ around }) }),
  };
}

function countOf({ name, segment }: Table, input: DataRequest): Run {
  const { view: { database, memo }, connection: { statements } } = input;
  return memo(createCounts).getOrInsertComputed(name, () => {
    const walk = walkPath([segment], walkInput(input));
    const statement = statements.countUpTo(MOST_ROWS, walk, ALL_ROWS);
    return { prepared: database.prepare(statement), parameters: [] };
  });
}

const createCounts = () => new Map<string, Run>();

function databaseView(
  { id, description }: DatabaseDefinition,
  view: View,
  service: Service,
  { rows, isCounted, mayEdit, around }: {
    readonly rows: ReadonlyMap<string, string>;
    readonly isCounted: boolean;
    readonly mayEdit: boolean;
    readonly around?: string;
  },
): PageView {
  const base = `${service.prefix}/db/${printName(id, service.links)}`;
  const tables = [...allTables(view.schema)].sort((a, b) => BY_NAME.compare(a.name, b.name));
  const isDescribed = tables.some(({ kind, comment = "" }) => kind === "view" || comment !== "");
  const diagram = findDiagram(view, base, around) ?? findDiagram(view, base);
  const columns = [
    "Table",
    ...(isDescribed ? ["Description"] : []),
    ...(rows.size > 0 ? [{ label: "Rows", isNumber: true }] : []),
    { label: "Columns", isNumber: true },
    "Related to",
  ];
  return {
    title: id,
    ...(description === "" ? {} : { lead: description }),
    actions: [
      ...(isCounted
        ? []
        : [{ label: "Count the rows", href: `${base}.html?ui.counts`, tone: "plain" } as const]),
      ...(mayEdit
        ? [{ label: "Definition", href: pageAddress("dbdef", id, service), tone: "plain" } as const]
        : []),
    ],
    blocks: [
      narrowable(
        `Tables of ${id}`,
        columns,
        tables.map((table) => rowOf(table, base, { rows, isDescribed })),
        "There is no table that you may use.",
      ),
      ...(diagram ? [diagramSection(diagram, tables, base)] : []),
    ],
  };
}

/** A diagram that leaves tables out has the choice of the table in its middle, which is its first one. */
function diagramSection(diagram: DiagramModel, tables: readonly Table[], base: string): PageBlock {
  const options = optionsOf(tables.map(({ name }) => name));
  const choice: PageBlock = {
    kind: "form",
    method: "get",
    isRow: true,
    action: `${base}.html#diagram`,
    hidden: {},
    fields: [select("ui.around", "Around", diagram.tables[0]?.name ?? "", options)],
    buttons: [{ label: "Show", tone: "plain" }],
  };
  return section("diagram", "Diagram", ...(diagram.left > 0 ? [choice] : []), { kind: "diagram", diagram });
}

function rowOf(
  { name, segment, kind, comment = "", columns, toOne, toMany }: Table,
  base: string,
  { rows, isDescribed }: { readonly rows: ReadonlyMap<string, string>; readonly isDescribed: boolean },
): readonly PageText[] {
  const related = new Set([...toOne, ...toMany].map(({ table }) => table.name));
  const what = kind === "view" && comment === "" ? "a view" : comment;
  return [
    { text: name, href: `${base}/${segment}.html` },
    ...(isDescribed ? [what] : []),
    ...(rows.size > 0 ? [rows.get(name) ?? ""] : []),
    String(columns.length),
    namesOf([...related]),
  ];
}

/** More names of related tables are counted. */
const MOST_NAMES = 12;

function namesOf(names: readonly string[]): string {
  const others = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(", ") + (others > 0 ? ` and ${others} others` : "");
}
