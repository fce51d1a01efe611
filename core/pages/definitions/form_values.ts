/**
 * The values of forms about definitions: those that were typed, else those of the definition.
 *
 * @module
 */

import type { DefinitionKind } from "@/config/mod.ts";
import { defined } from "@/core/base/defined.ts";
import { isJsonObject } from "@/core/base/plugin_answers.ts";
import type { Definition } from "@/core/definitions/documents.ts";
import type { Json, JsonObject, User } from "@/core/model.ts";
import { columnsText } from "@/core/pages/form_members.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageButton, PageField, PageMatrix } from "@/plugins/contract.ts";

/** A page about definitions of one kind. */
export interface DefinitionsInput {
  readonly kind: DefinitionKind;
  readonly actor: User;
  readonly service: Service;
  /** `new`, `edit`, `delete`, `newkey` or `nokey`, if a form is asked for. */
  readonly purpose: string | undefined;
  readonly typed: FormState | undefined;
}

/** The words of people for the members. */
export const MEMBER_LABELS: Readonly<Record<string, string>> = {
  db_id: "Id",
  db_type: "Type",
  desc: "Description",
  db_name: "Name or file",
  db_host: "Host",
  db_port: "Port",
  db_schema: "Schemas",
  autoconnect: "Connect at the start",
  autoload_user: "Login that reads the catalog",
  alternate_key: "Keys of tables without one",
  foreign_keys: "Further relations",
  labels: "Labels of records",
  excluded_columns: "Columns left out",
  excluded_tables: "Tables left out",
  limit: "Rows of a list",
  replicas: "Replicas",
  prepare: "Prepared statements",
  pool: "Connections",
  creator: "Owner",
  read: "May see it",
  write: "May change it",
  execute: "May run it",
  query_id: "Id",
  database: "Database",
  sqlstr: "SQL",
  parameters: "Parameters",
  http_methods: "Methods",
  read_only: "Only reads",
  url_template: "Address",
  user_id: "Login",
  enabled: "Enabled",
  name: "Name",
  email: "E-mail",
  appid: "Application id",
  dbdef: "Rights on databases",
  querydef: "Rights on queries",
  userdef: "Rights on users",
  view: "May see the account",
  edit: "May change the account",
};

/** The form of a definition; `found` is undefined for a new one. */
export interface FormInput extends DefinitionsInput {
  readonly found: Definition | undefined;
}

/** Passwords of people: no answer has them, not even the form that comes back. */
export const PERSONAL: ReadonlySet<string> = new Set(["password", "current_password"]);

type FieldParts = Partial<PageField> & Pick<PageField, "input">;

/** Finds values: those that were typed, else those of the definition. */
export class FormValues {
  readonly #typed: FormState | undefined;
  readonly #members: JsonObject;

  constructor(typed: FormState | undefined, members: JsonObject) {
    this.#typed = typed;
    this.#members = members;
  }

  /** The value of a field; `kind` is its letter in form_members.ts. */
  text(kind: string, member: string, initial = ""): string {
    const typed = this.#typed?.values.get(`${kind}.${member}`)?.[0];
    if (PERSONAL.has(member)) return "";
    if (this.#typed) return typed ?? (kind === "b" ? "false" : "");
    // A secret that is set is never shown.
    if (kind === "p") return "";
    const value = this.member(member);
    if (value === undefined || value === null) return initial;
    if (kind === "l" && Array.isArray(value)) return value.join("\n");
    if (kind === "t") return columnsText(value as Readonly<Record<string, readonly string[]>>);
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  /** The values of fields that have several. */
  list(kind: string, member: string, initial: readonly string[] = []): readonly string[] {
    const value = this.member(member);
    const stored = isJsonObject(value) ? Object.keys(value) : initial;
    return this.chosen(`${kind}.${member}`, Array.isArray(value) ? value.map(String) : stored);
  }

  /** The value of the definition, where somebody else has changed it since the form was opened. */
  #now(kind: string, member: string, initial: string | undefined): string | undefined {
    if (!this.#typed?.isOutdated || kind === "p") return undefined;
    const shown = (text: string) =>
      kind === "b" ? text === "true" ? "on" : "off" : text === "" ? "empty" : text;
    const stored = shown(new FormValues(undefined, this.#members).text(kind, member, initial));
    return stored === shown(this.text(kind, member)) ? undefined : stored;
  }

  complaint(member: string): string | undefined {
    const isLost = PERSONAL.has(member) && (this.#typed?.values.get(`p.${member}`)?.[0] ?? "") !== "";
    return this.#typed?.complaints.get(member) ??
      (isLost ? "Type it again: it is not sent back." : undefined);
  }

  /** The values that were chosen in a field; `initial` are those of a form that has not been sent. */
  chosen(field: string, initial: readonly string[]): readonly string[] {
    return this.#typed ? this.#typed.values.get(field) ?? [] : initial;
  }

  /** The value that was typed into a field. */
  typed(field: string): string | undefined {
    return this.#typed?.values.get(field)?.[0];
  }

  /** The result of a test of what was typed. */
  get result(): JsonObject | undefined {
    const text = this.typed("ui.result");
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The field of one member; `value` is that of a new definition. */
  field(kind: string, member: string, { value, hint, ...rest }: FieldParts): PageField {
    const now = this.#now(kind, member, value);
    return {
      kind: "field",
      name: `${kind}.${member}`,
      label: MEMBER_LABELS[member] ?? member,
      value: this.text(kind, member, value),
      ...defined({
        problem: this.complaint(member.split(".")[0] ?? member) ?? (now === undefined ? now : `Now: ${now}`),
        hint,
      }),
      ...rest,
    };
  }

  /** A member of the definition, or one inside it. */
  member(path: string): Json | undefined {
    return path.split(".").reduce<Json | undefined>((value, name) => {
      return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }, this.#members);
  }
}

/** The parts in which the kinds differ. */
export interface FormParts {
  readonly fields: readonly (PageField | PageMatrix)[];
  readonly hidden?: Readonly<Record<string, string | readonly string[]>>;
  readonly buttons?: readonly PageButton[];
  /** Above the buttons: the result of a test. */
  readonly before?: readonly PageBlock[];
}
