/**
 * The frame of pages around an answer: the user, other formats, and links to other pages of a list.
 *
 * @module
 */

import type { Admitted } from "@/core/exchange.ts";
import { type Caller, PUBLIC, SESSION_ENDED } from "@/core/identity/permissions.ts";
import { canLogIn, loginLink, wayBack } from "@/core/login/login_page.ts";
import { accountOf, menuOf, plainCrumbs } from "@/core/pages/frame.ts";
import { pagesAbove } from "@/core/pages/pages_above.ts";
import { queryChanger } from "@/core/request/change_query.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { splitTarget } from "@/core/request/parse_request.ts";
import { cutExtension } from "@/core/request/path_grammar.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { Service } from "@/core/service.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { Page } from "@/plugins/contract.ts";

/** The facts of a page beside the data. `shown`: those that planning has found. */
export function pageOf({ request, caller, exchange }: Admitted, shown?: ReadPlan["shown"]): Page {
  const { parameters } = request;
  const { service } = exchange;
  const ui = uiValues(request.query);
  const change = queryChanger(request.query, service.credentialNames);
  const own = `${service.prefix}${request.path}.`;
  const link: Page["link"] = (extension, changes) => own + extension + change(changes);
  const menu = menuOf(caller, request.resource, service);
  return {
    ...frameOf(caller, caller.anonymous ? link("html", {}) : undefined, service),
    menu,
    crumbs: shown?.crumbs ?? plainCrumbs(request.path, ui, menu, service),
    ...doneIn(ui),
    ui: new Map([...ui].map(([name, values]) => [name, values.at(-1) ?? ""])),
    asset: (name) => service.prefix + service.assets.pathOf(request.format.name, name),
    origin: exchange.origin,
    path: request.path,
    formats: service.formats.names.filter((name) => {
      const format = service.formats.get(name)?.format;
      return format?.schemasOf === undefined && ((parameters.depth ?? 0) === 0 || format?.nested === true);
    }),
    offset: parameters.offset ?? 0,
    ...(parameters.limit === undefined ? {} : { limit: parameters.limit }),
    link,
    ...shown,
  };
}

/**
 * The sentence about what a form has done, or about the end of a list, by the value of `ui.done`: addresses
 * must not make a page say other things.
 */
const DONE: ReadonlyMap<string, string> = new Map([
  ["created", "It has been created."],
  ["imported", "The records have been created."],
  ["changed", "The changes are saved."],
  ["deleted", "It has been deleted."],
  ["connect", "The service has been told to connect."],
  ["keyless", "The API key has been removed."],
  ["licence", "The licence is in force. A change of its features needs a restart."],
  ["end", "The list has no more records."],
]);

function doneIn(ui: ReadonlyMap<string, readonly string[]>): Pick<Page, "done"> {
  const done = DONE.get(ui.get("done")?.[0] ?? "");
  return done === undefined ? {} : { done };
}

/**
 * The page of an error or a form: no data, and a login link that leads back. `format`:
 * the name of the one that writes it.
 */
export function problemPage(
  target: string,
  caller: Caller | undefined,
  { format, service }: { readonly format: string; readonly service: Service },
): Page {
  const isPage = service.formats.get(format)?.format.form !== undefined;
  return {
    ...frameOf(caller, pathBack(target, service), service),
    menu: menuOf(caller, "", service),
    crumbs: caller && isPage ? pagesAbove(pageIn(target, service), caller, service) : [],
    ui: new Map(),
    asset: (name) => service.prefix + service.assets.pathOf(format, name),
    origin: "",
    path: "/",
    formats: [],
    offset: 0,
    link: (extension) => `${service.prefix}/db.${extension}`,
  };
}

function pageIn(target: string, { prefix, formats }: Service): Parameters<typeof pagesAbove>[0] {
  const { path, query } = splitTarget(target, prefix);
  return { path: cutExtension(path, formats).path, query };
}

type Frame = Pick<Page, "user" | "prefix" | "notice" | "login" | "logout" | "csrfToken" | "account">;

/** `back`: the page after a login; undefined: no link to log in. */
function frameOf(caller: Caller | undefined, back: string | undefined, service: Service): Frame {
  const { prefix } = service;
  const session = caller?.session;
  const account = accountOf(caller, service);
  const login = session || back === undefined || !canLogIn(service) ? undefined : loginLink(back, service);
  return {
    user: caller?.user.login ?? PUBLIC,
    prefix,
    ...(account ? { account } : {}),
    ...(caller?.sessionEnded ? { notice: SESSION_ENDED } : {}),
    ...(login === undefined ? {} : { login }),
    ...(session ? { logout: `${prefix}/logout`, csrfToken: session.csrfToken } : {}),
  };
}

function pathBack(target: string, service: Service): string {
  const { prefix } = service;
  const { path, query } = splitTarget(target, prefix);
  return wayBack(`${prefix}${path}${query === "" ? "" : `?${query}`}`, service) ?? `${prefix}/`;
}

/** The format of pages; undefined if none is enabled. */
export function pageFormat(service: Pick<Service, "formats">): Negotiated | undefined {
  const [first] = pageFormats(service);
  return first;
}

/** The formats with pages, in their order. */
export function* pageFormats({ formats }: Pick<Service, "formats">): Generator<Negotiated> {
  for (const name of formats.names) {
    const named = formats.get(name);
    if (named?.format.form) yield named;
  }
}
