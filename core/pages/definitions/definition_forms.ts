/**
 * The forms about definitions: a database, a query, a user.
 *
 * @module
 */

import { DEFINITION_FILES } from "@/config/mod.ts";
import { defined } from "@/core/base/defined.ts";
import { idOf, shownMembers } from "@/core/definitions/documents.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import { notice } from "@/core/pages/blocks.ts";
import { reasonInWords } from "@/core/pages/databases.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageField, PageForm, PageOption } from "@/plugins/contract.ts";
import { type DialectType, plainType } from "@/plugins/dialect_type.ts";
import { VERSION, versionOf } from "./definition_version.ts";
import { type FormInput, type FormParts, FormValues, MEMBER_LABELS } from "./form_values.ts";
import { grantFields } from "./grant_fields.ts";
import { queryParts } from "./query_form.ts";
import { accountFields } from "./user_form.ts";

/** The whole form. */
export function definitionForm(input: FormInput): PageForm {
  const { kind, actor, found, typed, service } = input;
  const members = found ? shownMembers(found) : {};
  const values = new FormValues(typed, members);
  const { idMember } = DEFINITION_FILES[kind];
  const path = found ? `/${kind}/${printName(idOf(found), service.links)}` : `/${kind}`;
  const id = found ? [] : [values.field("s", idMember, {
    input: "text",
    isRequired: true,
    autocomplete: "off",
    hint: ID_HINTS[kind],
    ...defined({ problem: values.complaint(idMember) ?? values.complaint("id") }),
  })];
  const parts = PARTS[kind](values, input);
  return {
    kind: "form",
    action: `${service.prefix}/ui${path}`,
    hidden: {
      "ui.method": found ? "PUT" : "POST",
      "ui.page": found ? "edit" : "new",
      ...(found && mayDo(actor, "edit", found) ? { [VERSION]: typedVersion(typed) ?? versionOf(found) } : {}),
      ...parts.hidden,
    },
    fields: [...id, ...parts.fields],
    ...defined({ problem: typed?.problem ?? otherComplaints(typed, parts.fields) }),
    buttons: [{ label: found ? "Save" : "Create" }, ...parts.buttons ?? []],
    cancel: `${service.prefix}${path}.html`,
    ...defined({ before: parts.before }),
  };
}

/** A form that comes back keeps its version, until it has said that there is another. */
function typedVersion(typed: FormState | undefined): string | undefined {
  return typed?.isOutdated ? undefined : typed?.values.get(VERSION)?.[0];
}

const ID_HINTS: Readonly<Record<FormInput["kind"], string>> = {
  dbdef: "Its name here, and in addresses: /db/Shop.",
  querydef: "Its name here, and in addresses: /query/sales-by-year.",
  userdef: "Letters, digits, _, -, ~ and @, for example ada_lovelace.",
};

/** Mistakes of members that have no field. */
function otherComplaints(typed: FormState | undefined, fields: FormParts["fields"]): string | undefined {
  const shown = new Set(
    fields.flatMap((field) =>
      field.kind === "field"
        ? [field.name.startsWith("ui.arg.") ? `:${field.name.slice(7)}` : field.name.slice(2).split(".")[0]]
        : []
    ),
  );
  const others = [...typed?.complaints ?? []].filter(([member]) =>
    !shown.has(member) && !/(?:^|_)id$/.test(member)
  );
  if (others.length === 0) return undefined;
  return others.map(([member, text]) => `${MEMBER_LABELS[member] ?? member}: ${text}`).join("; ");
}

const PARTS = { dbdef: databaseParts, querydef: queryParts, userdef: accountFields } as const;

/** The installed types, and those of databases whose plugin is not there. */
function typesIn({ dialectTypes, databases }: Service): readonly DialectType[] {
  const used = new Set([...databases.values()].map(({ definition }) => definition.dbType));
  const others = [...used].filter((type) => dialectTypes.every(({ name }) => name !== type));
  return [...dialectTypes, ...others.map(plainType)];
}

/** Where files of databases may be: known of a dialect that is loaded. */
function hintOf({ name, title }: DialectType, { dialects, configuration }: Service): string {
  const dialect = dialects.loaded(name);
  const directories = dialect?.directories ?? [configuration.directories.state];
  return `${title}: the whole path${
    dialect?.requireFileIn ? ` of the file, in ${directories.join(" or ")}` : ""
  }.`;
}

/** The condition that the chosen type has a member. */
type Having = (member: DialectType["members"][number]) => NonNullable<PageField["onlyIf"]>;

function databaseParts(values: FormValues, { service, actor, found }: FormInput): FormParts {
  const types = typesIn(service);
  const options = types.map(({ name, title }): PageOption => ({ value: name, label: title }));
  const [first] = service.configuration.databases.values();
  const usual = first?.dbType ?? types[0]?.name;
  const having: Having = (member) => ({
    field: "s.db_type",
    values: types.filter(({ members }) => members.includes(member)).map(({ name }) => name),
  });
  const hints = types.filter(({ members }) => !members.includes("db_host")).map((type) =>
    hintOf(type, service)
  );
  return {
    // A switch that was on can be turned off.
    hidden: { "ui.switches": ["autoconnect", ...(values.member("ssl") === true ? ["ssl"] : [])] },
    fields: [
      values.field("s", "db_type", {
        input: "select",
        options,
        ...defined({ value: usual }),
        isRequired: true,
      }),
      values.field("s", "desc", { input: "text" }),
      values.field("s", "db_name", {
        input: "text",
        isRequired: true,
        hint: [...hints, "Other types: the name of the database."].join(" "),
      }),
      ...serverFields(values, having, found !== undefined),
      values.field("l", "excluded_tables", {
        input: "long text",
        hint: "One name or pattern with * in a line. They are never read, written or listed.",
      }),
      ...(found ? furtherFields(values) : []),
      values.field("b", "autoconnect", { input: "switch", value: "true" }),
      // Only admin may change the accounts that get rights.
      ...(found || actor.login !== ADMIN ? [] : grantFields(values, service, having("autoload_user"))),
    ],
    buttons: [{ label: "Test the connection", name: "ui.check", value: "true", isDraft: true }],
    ...defined({ before: connectionResult(values) }),
  };
}

/** Members that types of databases on servers have. */
function serverFields(values: FormValues, having: Having, isStored: boolean): readonly PageField[] {
  return [
    values.field("s", "db_host", { input: "text", onlyIf: having("db_host") }),
    values.field("i", "db_port", {
      input: "text",
      onlyIf: having("db_port"),
      hint: "Empty: the usual one of the engine.",
    }),
    values.field("s", "autoload_user.dbuser", {
      input: "text",
      label: "Login that reads the catalog",
      onlyIf: having("autoload_user"),
      autocomplete: "off",
    }),
    values.field("p", "autoload_user.dbpass", {
      input: "password",
      label: "Its password",
      onlyIf: having("autoload_user"),
      autocomplete: "new-password",
      ...(isStored ? { hint: "Empty: it stays as it is." } : {}),
    }),
    values.field("l", "db_schema", {
      input: "long text",
      onlyIf: having("db_schema"),
      hint: "One in a line; on engines without schemas, further databases. Empty: the default one.",
    }),
    ...encryption(values, having("db_host")),
  ];
}

/** Other values than a switch has are those of a file: they stay as they are. */
function encryption(values: FormValues, onlyIf: NonNullable<PageField["onlyIf"]>): readonly PageField[] {
  const known = values.member("ssl") ?? false;
  if (typeof known !== "boolean") return [];
  return [values.field("b", "ssl", {
    input: "switch",
    label: "Encrypted connection",
    onlyIf,
    hint: "The certificate of the server is checked: a known authority has to have signed it for this host.",
  })];
}

/** Members that name tables, which are known once the database is connected. */
function furtherFields(values: FormValues): readonly PageField[] {
  const byTable = (member: string, hint: string) =>
    values.field("t", member, { input: "long text", hint: `A table in a line: ${hint}` });
  return [
    byTable("excluded_columns", "Employee: Salary, BirthDate. They are never read, written or listed."),
    byTable("labels", "Customer: FirstName, LastName. These columns tell people which record it is."),
    byTable("alternate_key", "StockView: Id. The key of a view or table that has none."),
    values.field("i", "limit", {
      input: "number",
      label: "Most rows of a request without limit",
      hint: "Empty: no limit.",
    }),
  ];
}

function connectionResult({ result }: FormValues): readonly PageBlock[] | undefined {
  if (!result) return undefined;
  const { reason } = result;
  if (typeof reason !== "string") return [notice("good", "Connected.")];
  return [notice("problem", `Not connected: ${reasonInWords(reason)}`)];
}
