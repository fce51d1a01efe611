/**
 * The frame of pages around an answer: the user, other formats, and links to other pages of a list.
 *
 * @module
 */

import { type Caller, SESSION_ENDED } from "@/core/identity/permissions.ts";
import { canLogIn, loginLink } from "@/core/login/login_page.ts";
import { parameterName } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
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
    path: request.path,
    user: caller.user.login,
    prefix: service.prefix,
    formats: service.formats.names.filter((name) =>
      service.formats.get(name)?.format.schemasOf === undefined
    ),
    offset: parameters.offset ?? 0,
    ...(parameters.limit === undefined ? {} : { limit: parameters.limit }),
    link,
    ...(caller.sessionEnded ? { notice: SESSION_ENDED } : {}),
    ...wayOf(caller, link, service),
  };
}

/** The links to log in or out, and the token of forms. */
function wayOf(
  { anonymous, session }: Caller,
  link: Page["link"],
  service: Service,
): Pick<Page, "login" | "logout" | "csrfToken"> {
  if (session) return { logout: `${service.prefix}/logout`, csrfToken: session.csrfToken };
  return anonymous && canLogIn(service) ? { login: loginLink(link("html", {}), service) } : {};
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
