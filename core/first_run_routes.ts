/**
 * `/first-run`: the page where the password of `admin` is set.
 *
 * @module
 */

import { ServiceError, STATUS } from "./errors.ts";
import { FIRST_RUN } from "./first_run.ts";
import { LOGIN } from "./login_page.ts";
import { ADMIN } from "./permissions.ts";
import type { Service } from "./service.ts";
import type { RouteAnswer, RouteRequest } from "@/plugins/contract.ts";

/** The page; the login page when the first run is over. */
export function showFirstRun(request: RouteRequest, service: Service): RouteAnswer {
  if (!service.firstRun.isPending()) return toLogin(302, service);
  const { token, cookies } = service.formTokens.issue(request);
  const page = service.firstRun.page({ sender: request, formToken: token });
  return { kind: "page", page, status: 200, cookies };
}

/** Takes the form; people get it back with what has to be corrected. */
export async function takeFirstRun(request: RouteRequest, service: Service): Promise<RouteAnswer> {
  try {
    await service.firstRun.complete(await request.fields(), request);
  } catch (error) {
    if (!(error instanceof ServiceError) || !request.wantsPage || !service.firstRun.isPending()) throw error;
    return await showAgain(request, error, service);
  }
  await service.files.refresh();
  service.audit.record({
    action: "password",
    outcome: "success",
    user: ADMIN,
    target: FIRST_RUN,
    address: request.client.address,
  });
  service.log.info(`The first run is over: ${request.client.address} has set the password of admin`);
  return {
    kind: "done",
    to: `${service.prefix}${LOGIN}`,
    status: 303,
    result: { user: ADMIN },
    cookies: [],
  };
}

async function showAgain(request: RouteRequest, error: ServiceError, service: Service): Promise<RouteAnswer> {
  const status = error.status === STATUS.forbidden ? 403 : 400;
  const { token, cookies } = service.formTokens.issue(request);
  const values = status === 400 && error.code === "bad-request" ? await request.fields().catch(none) : none();
  const page = service.firstRun.page({ sender: request, formToken: token, problem: error.message, values });
  return { kind: "page", page, status, cookies };
}

/** A body that could not be read has no values. */
function none(): ReadonlyMap<string, string> {
  return new Map();
}

function toLogin(status: 302 | 303, { prefix }: Service): RouteAnswer {
  return { kind: "redirect", status, to: `${prefix}${LOGIN}` };
}
