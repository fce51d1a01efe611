/**
 * What went wrong with a login, on its way through the browser to the login page: sealed, so that nobody can make that page
 * say anything else.
 *
 * @module
 */

import { loginLink } from "./login_page.ts";
import { createSeals } from "@/core/identity/sessions/seal.ts";
import type { Service } from "@/core/service.ts";

type ProblemService = Pick<Service, "prefix" | "secrets">;

/** Seconds that the address of the page tells it. */
const LIFETIME = 300;

/** The login page that tells the message. */
export function loginProblemLink(
  { message, next }: { readonly message: string; readonly next?: string },
  service: ProblemService,
): string {
  const link = loginLink(next ?? `${service.prefix}/`, service);
  return `${link}&problem=${sealsOf(service).seal(message, LIFETIME)}`;
}

/** The message in the address of a login page; undefined for everything that this service has not written. */
export function loginProblemIn(query: URLSearchParams, service: ProblemService): string | undefined {
  const sealed = query.get("problem");
  return sealed === null ? undefined : sealsOf(service).unseal(sealed);
}

/** No method has a name with a space in it. */
function sealsOf({ secrets }: ProblemService) {
  return createSeals("login page", secrets("state"), Date.now);
}
