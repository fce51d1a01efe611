/**
 * Pages of definitions: databases, queries and users of the configuration, as lists and one by one.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind } from "@/config/mod.ts";
import { defined } from "@/core/base/defined.ts";
import { type Definition, definitionsOf, idOf, showDefinition } from "@/core/definitions/documents.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { mayDo, mayEdit } from "@/core/identity/definition_rights.ts";
import { ADMIN, PUBLIC } from "@/core/identity/permissions.ts";
import type { Json, JsonObject, User } from "@/core/model.ts";
import { pageAddress } from "@/core/pages/address.ts";
import { narrowable } from "@/core/pages/blocks.ts";
import { STATES } from "@/core/pages/databases.ts";
import { isExecutable } from "@/core/queries/find_query.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageAction, PageText, PageView } from "@/plugins/contract.ts";
import { keyQuestion, keySection, newKey } from "./api_key.ts";
import { contentBlocks, stateBlocks } from "./database_state.ts";
import { outdatedBlocks } from "./definition_version.ts";
import { definitionForm } from "./definition_forms.ts";
import { type DefinitionsInput, MEMBER_LABELS } from "./form_values.ts";
import { questionView } from "./question.ts";
import { accessBlocks } from "./user_access.ts";

/** Seconds after which the page of a database that is being connected is shown anew. */
const REFRESH = 2;

/** The words of people for the kinds. */
const NAMES = {
  dbdef: { one: "database", many: "Databases", lead: "The databases that this service connects to." },
  querydef: { one: "query", many: "Queries", lead: "Saved queries. Each has an address that runs it." },
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
    blocks: [narrowable(
      many,
      COLUMNS[kind],
      visible.map((found) => rowOf(found, actor, service)),
      `There is no ${one} that you may see.`,
    )],
  };
}

const COLUMNS: Readonly<Record<DefinitionKind, readonly string[]>> = {
  dbdef: ["Database", "Description", "Type", "State"],
  querydef: ["Query", "Description", "Database", "Methods"],
  userdef: ["User", "Name", "E-mail", "Databases", "State"],
};

function rowOf(found: Definition, actor: User, service: Service): readonly PageText[] {
  const id = idOf(found);
  const name = { text: id, href: pageAddress(found.kind, id, service) };
  switch (found.kind) {
    case "dbdef": {
      const { description, dbType } = found.definition;
      const title = typeTitle(dbType, service);
      const state = service.databases.get(id)?.state;
      return [name, description, title, state === undefined ? "" : STATES[state]];
    }
    case "querydef": {
      const { description, database, methods } = found.definition;
      return [name, description, database, methods.join(", ")];
    }
    case "userdef": {
      const { name: person, email, databases, enabled } = found.definition;
      const used = mayDo(actor, "view", found) ? [...databases.keys()].join(", ") : "";
      return [name, person, email, used, enabled ? "" : { text: "disabled", tone: "warning" }];
    }
  }
}

function typeTitle(name: string, { dialectTypes }: Service): string {
  return dialectTypes.find((type) => type.name === name)?.title ?? name;
}

/**
 * One definition with what the actor may do with it, or the form to change
 * it, or the question before it goes.
 */
export function definitionView(input: DefinitionsInput, found: Definition, shown: JsonObject): PageView {
  const { actor, service, purpose, typed } = input;
  const id = idOf(found);
  const mayDelete = mayDo(actor, "delete", found);
  const mayChange = mayEdit(actor, found);
  const own = pageAddress(found.kind, id, service);
  if (purpose === "edit" && mayChange) {
    const form = definitionForm({ ...input, found });
    return { title: `Edit ${id}`, blocks: [...outdatedBlocks(typed, own), form] };
  }
  if (purpose === "delete" && mayDelete) return deletion(id, input);
  const account = mayChange && found.kind === "userdef" && id !== PUBLIC ? found.definition : undefined;
  const question = account && keyQuestion(account, input);
  if (question) return question;
  const managed = found.kind === "dbdef" ? service.databases.get(id) : undefined;
  return {
    title: id,
    ...leadOf(found),
    ...(managed?.state === "connecting" ? { refresh: REFRESH } : {}),
    actions: [
      ...(mayChange ? [{ label: "Edit", href: `${own}?ui.edit` }] : []),
      ...usesOf(found, actor, service),
      ...(mayDelete ? [{ label: "Delete", href: `${own}?ui.delete`, tone: "problem" as const }] : []),
    ],
    blocks: [
      ...newKey(typed),
      ...(managed ? stateBlocks(managed, actor, service) : []),
      { kind: "facts", items: factsOf(shown, input) },
      ...(managed ? contentBlocks(managed, actor, service) : []),
      ...(found.kind === "userdef" ? accessBlocks(found.definition, actor, service) : []),
      ...(account ? [keySection(account, input)] : []),
    ],
  };
}

function leadOf(found: Definition): { readonly lead?: string } {
  const text = found.kind === "userdef" ? found.definition.name : found.definition.description;
  return text === "" ? {} : { lead: text };
}

/** Links to the pages that use a definition, for who may; the page that refuses `admin` offers the right. */
function usesOf(found: Definition, user: User, service: Service): readonly PageAction[] {
  const id = idOf(found);
  const isAdmin = user.login === ADMIN;
  if (found.kind === "dbdef") {
    const managed = service.databases.get(id);
    const isReached = isAdmin || (managed && mappingOf(user, managed));
    return isReached ? [{ label: "Tables", href: pageAddress("db", id, service) }] : [];
  }
  const isRun = found.kind === "querydef" && (isAdmin || isExecutable(found.definition, { user }, service));
  return isRun ? [{ label: "Run", href: pageAddress("query", id, service) }] : [];
}

const ENDS: Readonly<Record<DefinitionKind, string>> = {
  dbdef:
    "The service disconnects it. Its data stays where it is; its queries stop working, and rights on it have no effect.",
  querydef: "Programs that run it get 404 from now on.",
  userdef:
    "Sessions, the password and the API key of this user end at once. To keep the account, disable it instead.",
};

function deletion(id: string, { kind, service, typed }: DefinitionsInput): PageView {
  const { prefix, links } = service;
  return questionView({
    title: `Delete ${id}?`,
    lead: ENDS[kind],
    yes: "Delete",
    form: {
      action: `${prefix}/ui/${kind}/${printName(id, links)}`,
      hidden: { "ui.method": "DELETE", "ui.page": "delete", "ui.next": `${prefix}/${kind}.html` },
      fields: [],
      ...defined({ problem: typed?.problem }),
      cancel: pageAddress(kind, id, service),
    },
  });
}

/** Members that have another meaning in one kind. */
const OWN_LABELS: Readonly<Partial<Record<DefinitionKind, Readonly<Record<string, string>>>>> = {
  dbdef: { execute: "May connect it" },
};

/** The members with a value, in words. */
function factsOf(
  shown: JsonObject,
  { kind, service, actor }: DefinitionsInput,
): readonly { readonly label: string; readonly value: PageText }[] {
  const mayKnow = mayDo(actor, "view", { kind: "userdef" });
  return Object.entries(shown).flatMap(([name, value]) => {
    const isTold = name === "databases" || name === DEFINITION_FILES[kind].idAlias;
    if (value === null || isTold || isEmpty(value)) return [];
    const text = name === "db_type"
      ? typeTitle(String(value), service)
      : Array.isArray(value) && mayKnow && LOGINS.has(name)
      ? loginsOf(value, service)
      : textOf(name, value);
    return [{ label: OWN_LABELS[kind]?.[name] ?? MEMBER_LABELS[name] ?? name, value: text }];
  });
}

/** Members that list logins. */
const LOGINS: ReadonlySet<string> = new Set(["read", "write", "execute"]);

/** A login that nobody has is probably misspelt. */
function loginsOf(logins: readonly Json[], { configuration: { users } }: Service): string {
  return logins.map(String).map((login) =>
    users.has(login) || login === PUBLIC ? login : `${login} (there is no such user)`
  )
    .join(", ");
}

function isEmpty(value: Json): boolean {
  if (typeof value !== "object" || value === null) return value === "";
  return Object.values(value).every((each) => isEmpty(each));
}

function textOf(name: string, value: Json): PageText {
  if (name === "pool") return poolInWords(value as JsonObject);
  // Its password is not shown.
  if (name === "autoload_user") return String((value as JsonObject)["dbuser"]);
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
