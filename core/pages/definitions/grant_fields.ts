/**
 * Fields of the form of a new database: its users. Without rights no user sees the database.
 *
 * @module
 */

import { ADMIN, PUBLIC } from "@/core/identity/permissions.ts";
import type { User } from "@/core/model.ts";
import { narrowing } from "@/core/pages/blocks.ts";
import type { Service } from "@/core/service.ts";
import type { PageField, PageMatrix, PageOption } from "@/plugins/contract.ts";
import type { FormValues } from "./form_values.ts";

const CHOICES: readonly PageOption[] = [
  { value: "me", label: "admin (you) with every right" },
  { value: "public", label: "admin with every right, and people without a login may read" },
  { value: "users", label: "admin with every right, and some users" },
  { value: "nobody", label: "nobody yet: rights are given on the pages of users" },
];

const OWN_RIGHTS = "Users who log in have their own rights only, not those of people without a login.";

type Users = Service["configuration"]["users"];

/** Choices that need users. */
const OFFERED: Readonly<Record<string, (users: Users) => boolean>> = {
  public: (users) => users.has(PUBLIC),
  users: (users) => othersIn(users).length > 0,
};

function othersIn(users: Users): readonly User[] {
  return [...users.values()].filter(({ login }) => login !== ADMIN && login !== PUBLIC);
}

/** `withLogins` is the condition that the chosen type has database logins. */
export function grantFields(
  values: FormValues,
  { configuration: { users } }: Service,
  withLogins: NonNullable<PageField["onlyIf"]>,
): readonly (PageField | PageMatrix)[] {
  const others = othersIn(users);
  return [
    {
      kind: "field",
      name: "ui.grant",
      label: "Who may use it",
      input: "radio",
      value: values.typed("ui.grant") ?? "me",
      options: CHOICES.filter(({ value }) => OFFERED[value]?.(users) ?? true),
      ...(OFFERED["public"]?.(users) ? { hint: OWN_RIGHTS } : {}),
    },
    ...(others.length === 0 ? [] : [matrixOf(others, values)]),
    ...loginFields(values, withLogins),
  ];
}

function matrixOf(others: readonly User[], values: FormValues): PageMatrix {
  return {
    kind: "matrix",
    caption: "Users of this database",
    narrow: "",
    ...narrowing(others.length),
    onlyIf: { field: "ui.grant", values: ["users"] },
    columns: [{ value: "read", label: "Read" }, { value: "all", label: "Everything" }],
    rows: others.map(({ login, name }) => ({
      name: `ui.give.${login}`,
      label: login,
      ...(name === "" ? {} : { note: name }),
      on: values.chosen(`ui.give.${login}`, []),
    })),
  };
}

function loginFields(values: FormValues, onlyIf: NonNullable<PageField["onlyIf"]>): readonly PageField[] {
  return [
    {
      kind: "field",
      onlyIf,
      name: "ui.grant.dbuser",
      label: "Database login of those who may use it",
      input: "text",
      autocomplete: "off",
      value: values.typed("ui.grant.dbuser") ?? "",
      hint: "Their requests run under it. Empty: the login that reads the catalog.",
    },
    {
      kind: "field",
      onlyIf,
      name: "ui.grant.dbpass",
      label: "Its password",
      input: "password",
      autocomplete: "new-password",
      value: values.typed("ui.grant.dbpass") ?? "",
    },
  ];
}
