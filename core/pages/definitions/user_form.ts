/**
 * The fields of the form about a user: account, rights, and a matrix of tables for each database.
 *
 * @module
 */

import { passwordAdvice } from "@/config/mod.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { mayDo, OPERATIONS } from "@/core/identity/definition_rights.ts";
import { ADMIN, OTHERS, PUBLIC } from "@/core/identity/permissions.ts";
import type { Json, User } from "@/core/model.ts";
import type { PageField, PageMatrix } from "@/plugins/contract.ts";
import type { FormInput, FormParts, FormValues } from "./form_values.ts";

/** The choice for a table without an entry of its own. */
const SAME = { value: "same", label: "Like all others" };

const COLUMNS: PageMatrix["columns"] = [
  SAME,
  { value: "read", label: "Read" },
  { value: "create", label: "Create" },
  { value: "update", label: "Change" },
  { value: "delete", label: "Delete" },
];

/** Rights on definitions, by the kinds that have them. */
const RIGHTS: readonly (readonly [kind: string, label: string])[] = [
  ["dbdef", "Databases"],
  ["querydef", "Queries"],
  ["userdef", "Users"],
];

/** One's own account has fewer fields than that of somebody whom one administers. */
export function accountFields(values: FormValues, input: FormInput): FormParts {
  const { found, actor } = input;
  const user = found?.kind === "userdef" ? found.definition : undefined;
  const isWhole = !user || mayDo(actor, "edit", { kind: "userdef", definition: user });
  const person = personFields(values, user, input);
  if (!isWhole) return { fields: person };
  const isPublic = user?.login === PUBLIC;
  const mayDisable = user?.login !== ADMIN;
  return {
    hidden: {
      ...(mayDisable ? { "ui.switches": "enabled" } : {}),
      ...(isPublic ? {} : { "ui.lists": RIGHTS.map(([kind]) => kind) }),
      ...databaseIds(input),
    },
    fields: [
      ...person,
      ...(mayDisable
        ? [values.field("b", "enabled", {
          input: "switch",
          value: "true",
          hint: "Off: sessions, password and API key no longer work; the account and its rights stay.",
        })]
        : []),
      ...databaseFields(values, input),
      ...(isPublic ? [] : [rightsMatrix(values)]),
    ],
  };
}

/** The members of an account that its owner may change. `public` belongs to no person and has a name only. */
function personFields(
  values: FormValues,
  user: User | undefined,
  { actor, service }: FormInput,
): readonly PageField[] {
  const isOwn = user?.login === actor.login && actor.login !== ADMIN;
  const name = values.field("s", "name", { input: "text", autocomplete: isOwn ? "name" : "off" });
  if (user?.login === PUBLIC) return [name];
  return [
    name,
    // Not `email`, which takes an address only: a provider's patterns may lead to a part of one.
    values.field("s", "email", { input: "text", autocomplete: isOwn ? "email" : "off" }),
    values.field("p", "password", {
      input: "password",
      label: user ? "New password" : "Password",
      autocomplete: "new-password",
      hint: passwordAdvice(service.settings) +
        (user
          ? " Empty: it stays as it is; a new one ends all sessions, but not the API key."
          : " Empty: nobody can log in by password."),
    }),
    ...(isOwn && user?.password !== undefined
      ? [values.field("p", "current_password", {
        input: "password",
        label: "Your current password",
        autocomplete: "current-password",
        hint: "Needed for a new password or e-mail.",
      })]
      : []),
  ];
}

function databaseIds(input: FormInput): Readonly<Record<string, readonly string[]>> {
  const ids = idsOf(input);
  const tables = ids.map((id) => [`ui.tables.${id}`, tablesOf(id, input)] as const);
  return { "ui.databases": ids, ...Object.fromEntries(tables) };
}

/** The databases on which the actor can hand on rights, and others that the account names. */
function idsOf({ service, actor, found }: FormInput): readonly string[] {
  const ids = [...service.databases.keys()].filter((id) => actor.login === ADMIN || actor.databases.has(id));
  const named = found?.kind === "userdef" ? found.definition.databases.keys() : [];
  return [...new Set([...ids, ...named])];
}

/**
 * All others first, then tables on which the actor can hand on rights, and those that the account names, in
 * its spelling: another row of the same table would seem to have its rights.
 */
function tablesOf(id: string, { service, actor, found }: FormInput): readonly string[] {
  const managed = service.databases.get(id);
  const mapping = managed && mappingOf(actor, managed);
  const tables = managed?.tables;
  const may = mapping && tables && managed.connection.views.find(mapping).may;
  const names = (tables?.names ?? []).filter((table) =>
    actor.login === ADMIN || OPERATIONS.some((operation) => may?.(table, operation))
  );
  const access = found?.kind === "userdef" ? found.definition.databases.get(id)?.access : undefined;
  const own = [...access?.keys() ?? []];
  const spelled = new Map(own.flatMap((name) => {
    const [table, ...others] = tables?.named(name) ?? [];
    return table === undefined || others.length > 0 || own.includes(table) ? [] : [[table, name] as const];
  }));
  return [...new Set([OTHERS, ...names.map((table) => spelled.get(table) ?? table), ...own])];
}

function databaseFields(values: FormValues, input: FormInput): readonly (PageField | PageMatrix)[] {
  return idsOf(input).flatMap((id): (PageField | PageMatrix)[] => {
    const mapping = values.member("databases") as Readonly<Record<string, Json>> | undefined;
    const own = mapping && Object.hasOwn(mapping, id)
      ? mapping[id] as Readonly<Record<string, Json>>
      : undefined;
    const isUsed = values.chosen("ui.use", own ? [id] : []).includes(id);
    const isWhole = own !== undefined && (own["access"] ?? null) === null;
    const isAll = values.chosen("ui.all", isWhole ? [id] : []).includes(id);
    // The login for a database that is not there now must not get lost.
    const hasLogins = input.service.databases.get(id)?.hasLogins ?? true;
    return [
      switchField("ui.use", id, isUsed, `May use the database ${id}`),
      {
        ...switchField("ui.all", id, isAll, `with every right on all tables of ${id}`),
        onlyIf: { field: "ui.use", values: [id] },
      },
      ...(hasLogins
        ? loginFields(id, own, values).map((each) => ({ ...each, onlyIf: { field: "ui.use", values: [id] } }))
        : []),
      matrixOf(id, own, values, input),
    ];
  });
}

function switchField(name: string, id: string, isOn: boolean, label: string): PageField {
  return { kind: "field", name, label, input: "switch", value: isOn ? "true" : "false", sends: id };
}

function loginFields(
  id: string,
  own: Readonly<Record<string, Json>> | undefined,
  values: FormValues,
): readonly PageField[] {
  const dbuser = values.typed(`d.dbuser.${id}`) ?? String(own?.["dbuser"] ?? "");
  return [
    {
      kind: "field",
      name: `d.dbuser.${id}`,
      label: `Database login of ${id}`,
      input: "text",
      value: dbuser,
      hint: "Requests of this user run under it. Without it the user reaches nothing there.",
    },
    {
      kind: "field",
      name: `d.dbpass.${id}`,
      label: "Its password",
      input: "password",
      autocomplete: "new-password",
      value: values.typed(`d.dbpass.${id}`) ?? "",
      ...(own ? { hint: "Empty: it stays as it is." } : {}),
    },
  ];
}

function matrixOf(
  id: string,
  own: Readonly<Record<string, Json>> | undefined,
  values: FormValues,
  input: FormInput,
): PageMatrix {
  // A user who begins to use a database reads it, unless its rights are chosen.
  const access = (own ? own["access"] ?? { [OTHERS]: OPERATIONS } : { [OTHERS]: ["read"] }) as Readonly<
    Record<string, readonly string[]>
  >;
  const granted = (table: string) =>
    Object.hasOwn(access, table) ? access[table] : table === OTHERS ? [] : [SAME.value];
  return {
    kind: "matrix",
    caption: `Rights on tables of ${id}`,
    narrow: "Narrow the list",
    onlyIf: { field: "ui.use", values: [id] },
    unless: { field: "ui.all", values: [id] },
    columns: COLUMNS,
    rows: tablesOf(id, input).map((table) => {
      const name = `m.${JSON.stringify([id, table])}`;
      const on = values.chosen(name, granted(table) ?? []);
      return table === OTHERS
        ? { name, label: "All others", on, only: OPERATIONS }
        : { name, label: table, on };
    }),
  };
}

function rightsMatrix(values: FormValues): PageMatrix {
  return {
    kind: "matrix",
    caption: "Rights on the configuration",
    narrow: "",
    columns: ["create", "view", "edit", "delete", "execute"].map((value) => ({
      value,
      label: value === "execute"
        ? "Use"
        : value === "view"
        ? "See"
        : value[0]?.toUpperCase() + value.slice(1),
    })),
    rows: RIGHTS.map(([kind, label]) => ({
      name: `v.${kind}`,
      label,
      on: values.list("v", kind),
      ...(kind === "userdef" ? { only: ["create", "view"] } : {}),
    })),
  };
}
