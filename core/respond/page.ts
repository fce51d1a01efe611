/**
 * The frame of pages around an answer: the user, other formats, and links to other pages of a list.
 *
 * @module
 */

import { localPath } from "@/core/base/local_path.ts";
import { type Caller, PUBLIC, SESSION_ENDED } from "@/core/identity/permissions.ts";
import { canLogIn, loginLink } from "@/core/login/login_page.ts";
import { parameterName } from "@/core/request/parameters.ts";
import { type ApiRequest, splitTarget } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import type { Page } from "@/plugins/contract.ts";

/** The facts of a page beside the data. */
export function pageOf(request: ApiRequest, caller: Caller, service: Service): Page {
  const { parameters } = request;
  const link: Page["link"] = (extension, changes) =>
    `${service.prefix}${request.path}.${extension}${
      changeQuery(request.query, { changes, credentials: service.credentialNames })
    }`;
  return {
    ...frameOf(caller, caller.anonymous ? link("html", {}) : undefined, service),
    path: request.path,
    formats: service.formats.names.filter((name) =>
      service.formats.get(name)?.format.schemasOf === undefined
    ),
    offset: parameters.offset ?? 0,
    ...(parameters.limit === undefined ? {} : { limit: parameters.limit }),
    link,
  };
}

/** The page of an error or a form: no data, and a login link that leads back. */
export function problemPage(
  target: string,
  caller: Pick<Caller, "user" | "session" | "sessionEnded"> | undefined,
  service: Service,
): Page {
  return {
    ...frameOf(caller, pathBack(target, service), service),
    path: "/",
    formats: [],
    offset: 0,
    link: (extension) => `${service.prefix}/db.${extension}`,
  };
}

type Frame = Pick<Page, "user" | "prefix" | "notice" | "login" | "logout" | "csrfToken">;

/** `back`: the page after a login; undefined: no link to log in. */
function frameOf(
  { user, session, sessionEnded }: Partial<Caller> = {},
  back: string | undefined,
  service: Service,
): Frame {
  const { prefix } = service;
  const login = session || back === undefined || !canLogIn(service) ? undefined : loginLink(back, service);
  return {
    user: user?.login ?? PUBLIC,
    prefix,
    ...(sessionEnded ? { notice: SESSION_ENDED } : {}),
    ...(login === undefined ? {} : { login }),
    ...(session ? { logout: `${prefix}/logout`, csrfToken: session.csrfToken } : {}),
  };
}

/** The address of another page must not contain credentials of the query. */
function pathBack(target: string, { prefix, credentialNames }: Service): string {
  const { path, query } = splitTarget(target, prefix);
  const hasSecret = [...new URLSearchParams(query).keys()].some((name) => credentialNames.has(name));
  const page = `${prefix}${path}${query === "" || hasSecret ? "" : `?${query}`}`;
  return localPath(page, prefix) ?? `${prefix}/`;
}

/** A raw query string with some parameters set or removed; credentials are removed, other parameters stay unchanged. */
function changeQuery(
  query: string,
  { changes, credentials }: {
    readonly changes: Readonly<Record<string, string | undefined>>;
    readonly credentials: ReadonlySet<string>;
  },
): string {
  const kept = query.split("&").filter((pair) => {
    const name = parameterName(pair);
    return pair !== "" && !Object.hasOwn(changes, name) && !credentials.has(name);
  });
  const added = Object.entries(changes).flatMap(([name, value]) => {
    return value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`];
  });
  const all = [...kept, ...added].join("&");
  return all === "" ? "" : `?${all}`;
}
