/**
 * Pages of definitions: databases, queries and users of the configuration, as lists and one by one.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import { type Definition, definitionsOf, idOf, showDefinition } from "@/core/definitions/documents.ts";
import { type ConfigurationAction, mayDo, OWN_EDIT } from "@/core/identity/definition_rights.ts";
import type { Json, JsonObject, User } from "@/core/model.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import { STATES } from "./databases.ts";
import { definitionForm } from "./definition_forms.ts";
import { type DefinitionsInput, MEMBER_LABELS } from "./form_values.ts";
import type { PageAction, PageBlock, PageLink, PageText, PageView } from "@/plugins/contract.ts";

/** What people call the kinds. */
const NAMES = {
  dbdef: { one: "database", many: "Databases", lead: "The databases that this service connects to." },
  querydef: { one: "query", many: "Queries", lead: "Saved queries, which their users run by an address." },
  userdef: {
    one: "user",
    many: "Users",
    lead: "The people and programs that use this service, and their rights.",
  },
} as const;

/** All definitions that the actor may see, or the form for a new one. */
export function definitionsView(input: DefinitionsInput): PageView {
  const { kind, actor, service, purpose } = input;
  const { one, many, lead } = NAMES[kind];
  const mayCreate = mayDo(actor, "create", { kind });
  if (purpose === "new" && mayCreate) {
    return { title: `New ${one}`, blocks: [definitionForm({ ...input, found: undefined })] };
  }
  const visible = definitionsOf(kind, service.configuration).filter((found) =>
    showDefinition(actor, found, service)
  );
  return {
    title: many,
    lead,
    ...(mayCreate
      ? { actions: [{ label: `Add a ${one}`, href: `${service.prefix}/${kind}.html?ui.new` }] }
      : {}),
    blocks: [{
      kind: "links",
      style: "list",
      items: visible.map((found) => linkOf(found, service)),
      empty: `There is no ${one} for you here.`,
    }],
  };
}

function addressOf(found: Definition, { prefix, links }: Service): string {
  return `${prefix}/${found.kind}/${printName(idOf(found), links)}`;
}

function linkOf(found: Definition, service: Service): PageLink {
  const { kind, definition } = found;
  const state = kind === "dbdef" ? service.databases.get(definition.id)?.state : undefined;
  const disabled = kind === "userdef" && !definition.enabled
    ? { text: "disabled", tone: "warning" } as const
    : undefined;
  const status = state === undefined ? disabled : STATES[state];
  return {
    label: idOf(found),
    href: `${addressOf(found, service)}.html`,
    note: kind === "userdef"
      ? [definition.name, definition.email].filter(Boolean).join(", ")
      : definition.description,
    ...(status === undefined ? {} : { status }),
  };
}

/** One definition with what the actor may do with it, or the form to change it, or the question before it goes. */
export function definitionView(input: DefinitionsInput, found: Definition, shown: JsonObject): PageView {
  const { kind, actor, service, purpose, typed } = input;
  const id = idOf(found);
  const may = (action: ConfigurationAction) => mayDo(actor, action, found);
  const mayEdit = may("edit") ||
    (kind === "userdef" &&
      OWN_EDIT.some((member) =>
        mayDo(actor, "edit", {
          kind,
          definition: found.kind === kind ? found.definition as User : undefined,
          member,
        })
      ));
  const own = addressOf(found, service);
  if (purpose === "edit" && mayEdit) {
    return { title: `Edit ${id}`, blocks: [definitionForm({ ...input, found })] };
  }
  if (purpose === "delete" && may("delete")) return deletion(id, own, input);
  return {
    title: id,
    ...leadOf(found),
    actions: [
      ...(mayEdit ? [{ label: "Edit", href: `${own}.html?ui.edit` }] : []),
      ...usesOf(found, service),
      ...(may("delete")
        ? [{ label: "Delete", href: `${own}.html?ui.delete`, tone: "problem" as const }]
        : []),
    ],
    blocks: [
      ...newKey(typed),
      ...stateOf(found, may("execute"), service),
      { kind: "facts", items: factsOf(shown) },
      ...(found.kind === "userdef" ? accessOf(found.definition, service) : []),
      ...(mayEdit && found.kind === "userdef" && id !== "public"
        ? [keyForm(found.definition, actor, service)]
        : []),
    ],
  };
}

function leadOf(found: Definition): { readonly lead?: string } {
  const text = found.kind === "userdef" ? found.definition.name : found.definition.description;
  return text === "" ? {} : { lead: text };
}

/** Links to the pages that use a definition. */
function usesOf(found: Definition, { prefix, links }: Service): readonly PageAction[] {
  const name = printName(idOf(found), links);
  if (found.kind === "dbdef") return [{ label: "Tables", href: `${prefix}/db/${name}.html` }];
  return found.kind === "querydef" ? [{ label: "Run", href: `${prefix}/query/${name}.html` }] : [];
}

const ENDS: Readonly<Record<DefinitionKind, string>> = {
  dbdef:
    "The service disconnects it. Its data stays where it is; its queries stop working, and rights on it have no effect.",
  querydef: "Programs that run it get 404 from now on.",
  userdef:
    "Sessions, the password and the API key of this user end at once. To keep the account, disable it instead.",
};

function deletion(id: string, own: string, { kind, service, typed }: DefinitionsInput): PageView {
  return {
    title: `Delete ${id}?`,
    lead: ENDS[kind],
    blocks: [{
      kind: "form",
      action: own.replace(service.prefix, `${service.prefix}/ui`),
      hidden: { "ui.method": "DELETE", "ui.page": "delete", "ui.next": `${service.prefix}/${kind}.html` },
      fields: [],
      ...(typed?.problem === undefined ? {} : { problem: typed.problem }),
      buttons: [{ label: "Delete", tone: "problem" }],
      cancel: `${own}.html`,
    }],
  };
}

/** The members with a value, in words. */
function factsOf(shown: JsonObject): readonly { readonly label: string; readonly value: PageText }[] {
  return Object.entries(shown).flatMap(([name, value]) => {
    if (value === null || name === "databases" || isEmpty(value)) return [];
    return [{ label: MEMBER_LABELS[name] ?? name, value: textOf(name, value) }];
  });
}

function isEmpty(value: Json): boolean {
  if (typeof value !== "object" || value === null) return value === "";
  return Object.values(value).every((each) => isEmpty(each));
}

function textOf(name: string, value: Json): PageText {
  if (name === "pool") return poolInWords(value as JsonObject);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(", ");
  if (typeof value !== "object") {
    return name === "sqlstr" ? { text: String(value), isCode: true } : String(value);
  }
  if (value === null) return "";
  const parts = Object.entries(value).filter(([, each]) => each !== false);
  if (parts.some(([, each]) => typeof each === "object")) {
    return { text: JSON.stringify(value), isCode: true };
  }
  return parts.map(([key, each]) => each === true ? key : `${key}: ${String(each)}`).join(", ");
}

function poolInWords({ max, ...timeouts }: JsonObject): string {
  const after = (name: string) => timeouts[name] === 0 ? "never" : `after ${String(timeouts[name])} s`;
  return `at most ${String(max)} for each login; an idle one ends ${after("idle_timeout")}, ` +
    `a wait for one ${after("acquire_timeout")}, a statement ${after("statement_timeout")}`;
}

/** The live state of a database, with what was left out, and the buttons to connect and disconnect. */
function stateOf(found: Definition, mayOrder: boolean, service: Service): readonly PageBlock[] {
  if (found.kind !== "dbdef") return [];
  const { id } = found.definition;
  const managed = service.databases.get(id);
  if (!managed) return [];
  const { text, tone } = STATES[managed.state];
  const tables = managed.tables?.names.length;
  const reason = mayOrder && managed.reason !== undefined ? `: ${managed.reason}` : "";
  const count = tables === undefined ? "" : `, ${tables} ${tables === 1 ? "table" : "tables"} found`;
  const order = managed.status === "Connected"
    ? { path: "unload-model", done: "disconnected", button: { label: "Disconnect", tone: "plain" } } as const
    : { path: "load-model", done: "connected", button: { label: "Connect" } };
  const name = printName(id, service.links);
  return [
    { kind: "notice", tone, text: `This database is ${text}${count}${reason}` },
    ...managed.complaints.map(({ key, message }): PageBlock => {
      return { kind: "notice", tone: "warning", text: `${key}: ${message}` };
    }),
    ...(mayOrder
      ? [
        {
          kind: "form",
          action: `${service.prefix}/ui/${order.path}/${name}`,
          hidden: {
            "ui.method": "POST",
            "ui.next": `${service.prefix}/dbdef/${name}.html`,
            "ui.done": order.done,
          },
          fields: [],
          buttons: [order.button],
        } as const,
      ]
      : []),
  ];
}

/** What a user may do with each database, by the functions that decide. */
function accessOf(user: User, service: Service): readonly PageBlock[] {
  if (user.databases.size === 0) {
    return [{ kind: "text", text: "This user may use no database." }];
  }
  const rows = [...user.databases].flatMap(([id, mapping]): PageText[][] => {
    const managed = service.databases.get(id);
    const tables = managed?.tables;
    if (!managed || !tables) return [[id, "not connected: its tables are unknown", ""]];
    const { may } = managed.connection.views.find(mapping);
    return tables.names.flatMap((table) => {
      const allowed = (["read", "create", "update", "delete"] as const).filter((each) => may(table, each));
      return allowed.length === 0 ? [] : [[id, table, allowed.map((each) => WORDS[each]).join(", ")]];
    });
  });
  return [{
    kind: "section",
    id: "access",
    title: "May use",
    blocks: [{
      kind: "table",
      caption: "Tables that this user may use",
      columns: [{ label: "Database" }, { label: "Table" }, { label: "Rights" }],
      rows,
      empty: "None of the tables that there are.",
      ...(rows.length > 8 ? { narrow: "Narrow the list" } : {}),
    }],
  }];
}

/** The operations in words. */
export const WORDS = { read: "read", create: "create", update: "change", delete: "delete" } as const;

/** The service makes keys, because people choose bad ones; a key is shown once. */
function keyForm({ login, apikeyHash }: User, actor: User, { prefix, links }: Service): PageBlock {
  const isOwn = login === actor.login && login !== "admin";
  const path = `/userdef/${printName(login, links)}`;
  return {
    kind: "section",
    id: "apikey",
    title: "API key",
    blocks: [
      {
        kind: "text",
        text: apikeyHash === undefined ? "There is none." : "There is one. A new one replaces it at once.",
      },
      {
        kind: "form",
        action: `${prefix}/ui${path}`,
        hidden: { "ui.method": "PUT", "ui.makekey": "true" },
        fields: isOwn
          ? [{ kind: "field", name: "p.current_password", label: "Your password", input: "password" }]
          : [],
        buttons: [{ label: "Make a new key" }],
      },
    ],
  };
}

function newKey(typed: FormState | undefined): readonly PageBlock[] {
  const key = typed?.values.get("ui.key")?.[0];
  if (typed?.problem !== undefined) return [{ kind: "notice", tone: "problem", text: typed.problem }];
  if (key === undefined) return [];
  return [
    { kind: "notice", tone: "good", text: "This is the new API key. It is shown only now: copy it." },
    { kind: "code", label: "API key", text: key },
  ];
}
