/**
 * The frame of every page: the menu of what the caller may use, and the caller's account. Pure.
 *
 * @module
 */

import { ownResources } from "@/core/definitions/list_resources.ts";
import { ADMIN, type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import { mayRunQueries } from "@/core/queries/find_query.ts";
import { decodeName } from "@/core/request/parameter_values.ts";
import type { Service } from "@/core/service.ts";
import type { Crumb, MenuEntry, PageAccount } from "@/plugins/contract.ts";
import { pageAddress } from "./address.ts";

/** The resources with pages, by their first path segment, and their names in the menu. */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ["db", "Databases"],
  ["query", "Queries"],
  ["dbdef", "Databases"],
  ["querydef", "Queries"],
  ["userdef", "Users"],
  ["reqstatus", "Activity"],
  ["license", "Licence"],
  ["settings", "Settings"],
  ["openapi", "API"],
]);

/** The order of the group of administration. */
const ADMINISTRATION = ["dbdef", "querydef", "userdef", "reqstatus", "license", "settings"];

/** The sections that a caller may use. `current` is the first segment of the page's path. */
export function menuOf(caller: Caller | undefined, current: string, service: Service): readonly MenuEntry[] {
  if (!caller) return [];
  const entry = (name: string): MenuEntry => ({
    label: SECTIONS.get(name) ?? name,
    href: `${service.prefix}/${name}.html`,
    isCurrent: name === current,
  });
  const own = new Set(ownResources(caller.user, service));
  if (caller.user.login === ADMIN) own.add("settings");
  const below = ADMINISTRATION.filter((name) => own.has(name)).map(entry);
  const group = {
    label: "Administration",
    href: "",
    isCurrent: below.some(({ isCurrent }) => isCurrent),
    below,
  };
  return [
    entry("db"),
    ...(mayRunQueries(caller, service) ? [entry("query")] : []),
    entry("openapi"),
    ...(below.length > 0 ? [group] : []),
  ];
}

/** The account of a caller; undefined for `public`. */
export function accountOf(caller: Caller | undefined, service: Service): PageAccount | undefined {
  if (!caller || caller.user.login === PUBLIC || caller.anonymous) return undefined;
  const { login, name, email } = caller.user;
  return { login, name, email, href: pageAddress("userdef", login, service) };
}

/** Forms of a page, by the name of their `ui` value. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ["new", "Add"],
  ["edit", "Edit"],
  ["delete", "Delete"],
  ["newkey", "Replace the key"],
  ["nokey", "Remove the key"],
]);

/**
 * The breadcrumbs of a page whose path has no names of tables: `Administration / Users / maria / Edit`. The
 * group of the menu tells a definition from the database or query that it is about.
 */
export function plainCrumbs(
  path: string,
  ui: ReadonlyMap<string, readonly string[]>,
  menu: readonly MenuEntry[],
  { prefix }: Service,
): readonly Crumb[] {
  const [, section = "", ...names] = path.split("/");
  if (section === "") return [];
  const form = [...FORMS].find(([name]) => ui.has(name))?.[1];
  const labels = [SECTIONS.get(section) ?? decodeName(section), ...names.map(decodeName)];
  const crumbs = labels.filter((label) => label !== "").map((label, index, all) => {
    if (index === all.length - 1 && form === undefined) return { label };
    const href = [section, ...names].slice(0, index + 1).join("/");
    return { label, href: `${prefix}/${href}.html` };
  });
  const group = menu.find(({ below, isCurrent }) => below !== undefined && isCurrent);
  return [
    ...(group ? [{ label: group.label }] : []),
    ...crumbs,
    ...(form === undefined ? [] : [{ label: form }]),
  ];
}
