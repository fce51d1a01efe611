/**
 * The paths of logins. None of them has an extension.
 *
 * @module
 */

import { notFound, quote, type ServiceError } from "@/core/errors.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { FIRST_RUN } from "./first_run.ts";
import { LOGIN } from "./login_page.ts";

/** 404 for such a path with an extension; undefined for other requests. */
export function refuseExtension(
  { path, extension }: Pick<ApiRequest, "path" | "extension">,
  service: Pick<Service, "methods">,
): ServiceError | undefined {
  if (extension === undefined || !isLoginPath(path, service)) return undefined;
  return notFound(`Cannot find ${quote(`${path}.${extension}`)}: ${quote(path)} has no extension`);
}

/** Whether a path is that of the login, of the first run or of a route of an authentication method. */
function isLoginPath(path: string, { methods }: Pick<Service, "methods">): boolean {
  if (path === LOGIN || path === FIRST_RUN) return true;
  return methods.some(({ method: { routes = [] } }) => routes.some((route) => route.path === path));
}
