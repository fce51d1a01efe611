/**
 * The form of a saved query for its author: the SQL with the names to complete, the types of its parameters,
 * the result of a test and of a trial.
 *
 * @module
 */

import { beginning, counted } from "@/core/base/counted.ts";
import { defined } from "@/core/base/defined.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { JsonObject, User, ValueType } from "@/core/model.ts";
import { ARGUMENT_TYPES, argumentFields } from "@/core/pages/queries/argument_fields.ts";
import { notice, NULL, optionsOf, section, table } from "@/core/pages/blocks.ts";
import { spaced } from "@/core/pages/value_text.ts";
import { MOST_TRIED } from "@/core/queries/try_query.ts";
import type { Service } from "@/core/service.ts";
import { parametersIn } from "@/core/sql/query_text.ts";
import { isNumeric } from "@/core/summaries/ranges.ts";
import type { PageBlock, PageField, PageSql, PageSqlNames } from "@/plugins/contract.ts";
import type { FormInput, FormParts, FormValues } from "./form_values.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"];

/** Largest number of tables and columns whose names a form offers; more would make the page slow. */
const MOST_NAMES = 5000;

/** The fields of a query. */
export function queryParts(values: FormValues, { service, actor }: FormInput): FormParts {
  const known = [...service.databases.values()].filter((managed) => mappingOf(actor, managed));
  const ids = known.map(({ definition: { id } }) => id);
  const own = values.text("s", "database");
  const all = own === "" || ids.includes(own) ? ids : [...ids, own];
  const { result } = values;
  const parameters = parametersOf(values, own === "" ? ids[0] : own, service);
  return {
    hidden: { "ui.objects": ["http_methods", "parameters"] },
    fields: [
      values.field("s", "database", { input: "select", options: optionsOf(all), isRequired: true }),
      values.field("s", "desc", { input: "text" }),
      {
        ...values.field("s", "sqlstr", {
          input: "sql",
          isRequired: true,
          hint: "Parameters are written like :year; the page of the query asks for their values.",
        }),
        sql: sqlOf(known, actor, result),
      },
      ...parameters.map((name) => typeField(name, values)),
      {
        kind: "matrix",
        caption: "Methods that run it: GET if it only reads, POST if it changes data",
        narrow: "",
        columns: optionsOf(METHODS),
        rows: [{ name: "o.http_methods", label: "Methods", on: values.list("o", "http_methods", ["GET"]) }],
      },
      values.field("l", "execute", {
        input: "long text",
        hint: "Logins that may run it, one in a line; public: everybody who may use the database.",
      }),
      ...argumentFields(parameters, ["ui.arg.", "ui.null."], (name) => ({
        label: `Value of :${name} for the trial`,
        type: values.text("s", `parameters.${name}`),
        value: values.typed(`ui.null.${name}`) !== undefined ? null : values.typed(`ui.arg.${name}`),
        problem: values.complaint(`:${name}`),
      })),
    ],
    buttons: [
      { label: "Check the SQL", name: "ui.check", value: "true", isDraft: true },
      { label: "Run a trial", name: "ui.check", value: "run", isDraft: true },
    ],
    ...defined({ before: result && showResult(result, values) }),
  };
}

function typeField(name: string, values: FormValues): PageField {
  // PostgreSQL compares a text with no number: it infers types that are not declared.
  const options = [{ value: "", label: "not declared" }, ...optionsOf(ARGUMENT_TYPES)];
  return values.field("s", `parameters.${name}`, { input: "select", label: `Type of :${name}`, options });
}

/** Names of the parameters in the text, or those that are declared while the text cannot be read. */
function parametersOf(values: FormValues, database: string | undefined, service: Service): readonly string[] {
  const lexis = service.databases.get(database ?? "")?.lexis;
  return (lexis && parametersIn(values.text("s", "sqlstr"), lexis)) ??
    Object.keys((values.member("parameters") ?? {}) as JsonObject);
}

/** The names that the author may use: their own login decides. */
function sqlOf(known: readonly ManagedDatabase[], actor: User, result: JsonObject | undefined): PageSql {
  const names: Record<string, PageSqlNames> = {};
  let count = 0;
  for (const managed of known) {
    const mapping = mappingOf(actor, managed);
    if (managed.status !== "Connected" || !mapping) continue;
    const { schema: { tables } } = managed.connection.views.find(mapping);
    const columns: Record<string, readonly string[]> = {};
    for (const name of tables.names) {
      const own = tables.exact(name)?.columns.map((column) => column.name) ?? [];
      count += own.length + 1;
      if (count > MOST_NAMES) break;
      columns[name] = own;
    }
    names[managed.definition.id] = { type: managed.definition.dbType, tables: columns };
  }
  const position = result?.["position"];
  return { database: "s.database", names, ...(typeof position === "number" ? { place: position } : {}) };
}

/** A column of the result, as the check tells it. */
interface ResultColumn {
  readonly name: string;
  readonly type: ValueType;
}

function showResult(result: JsonObject, values: FormValues): readonly PageBlock[] {
  const { valid, error, position, warning, parameters, columns, rows, plan } = result;
  if (!valid) {
    const place = typeof position === "number" ? placeIn(values.text("s", "sqlstr"), position) : "";
    return [notice("problem", `The database refuses it${place}: ${String(error)}`)];
  }
  const names = Object.entries(parameters ?? {}).map(([name, type]) => `${name} (${String(type)})`);
  const found = names.length === 0 ? "It has no parameters." : `Parameters: ${names.join(", ")}.`;
  const listed = columns as readonly ResultColumn[] | null;
  return [
    typeof warning === "string"
      ? notice("warning", `The database accepts it, but ${warning}. ${found}`)
      : notice("good", `The database accepts it. ${found}`),
    ...(Array.isArray(rows) && listed
      ? [rowsOf(listed, rows as readonly (readonly (string | null)[])[])]
      : []),
    ...(Array.isArray(plan)
      ? [{ kind: "code", label: "Plan of the database", text: plan.join("\n") } as const]
      : []),
    ...(listed && !Array.isArray(rows)
      ? [table(
        "Columns of the result",
        ["Column", "Type"],
        listed.map(({ name, type }) => [name, type]),
        "It has no columns.",
      )]
      : []),
  ];
}

function rowsOf(columns: readonly ResultColumn[], rows: readonly (readonly (string | null)[])[]): PageBlock {
  const title = rows.length < MOST_TRIED ? counted(rows.length, "row") : `The first ${MOST_TRIED} rows`;
  const shown = (text: string | null, index: number) =>
    text === null ? NULL : beginning(spaced(text, columns[index]?.type ?? "any"));
  return section(
    "trial",
    title,
    table(
      "Rows of the trial",
      columns.map(({ name, type }) => ({ label: name, isNumber: isNumeric(type) })),
      rows.map((row) => row.map(shown)),
      "It returns no rows with these values.",
    ),
  );
}

/** Line and character, as people count them. */
function placeIn(sql: string, position: number): string {
  const before = sql.replaceAll("\r\n", "\n").slice(0, position).split("\n");
  return ` at line ${before.length}, character ${[...before.at(-1) ?? ""].length + 1}`;
}
