/**
 * `/first-run`: while `admin` has no password, the service cannot be administered. Setting the password
 * requires the one-time token of the link that is printed at the start: the address of the client is no
 * proof, because a request through a proxy on this machine seems to come from this machine.
 *
 * @module
 */

import {
  checkPasswordStrength,
  completeFirstRun,
  ConfigurationError,
  FileFailure,
  hashCost,
  isFirstRun,
  passwordAdvice,
  type Settings,
} from "@/config/mod.ts";
import { badRequest, notFound, quote, ServiceError } from "@/core/errors.ts";
import { TOKEN_FIELD } from "@/core/identity/cross_site.ts";
import { hashPassword } from "@/core/identity/passwords.ts";
import { ADMIN, PUBLIC } from "@/core/identity/permissions.ts";
import { browserSessions } from "@/core/identity/sessions/browser_sessions.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import type { Service } from "@/core/service.ts";
import type { FormField, FormPage, RouteAnswer, RouteRequest } from "@/plugins/contract.ts";

/** Path of the page below the prefix. */
export const FIRST_RUN = "/first-run";

/** Stands for the method of the session that the page opens. No method can have a name with a space. */
const OPENER = "first run";

/** The fields of the form as they were sent. */
type Fields = ReadonlyMap<string, string>;

/** Longest name or address, in characters. */
const LONGEST = 200;

const TOKEN: FormField = {
  name: "token",
  label: "One-time token",
  kind: "text",
  required: true,
  autocomplete: "off",
  hint: "It stands at the end of the link that the service printed when it started.",
};

const DETAILS: readonly FormField[] = [
  { name: "first_name", label: "First name", kind: "text", required: true, autocomplete: "given-name" },
  { name: "last_name", label: "Last name", kind: "text", required: true, autocomplete: "family-name" },
  { name: "email", label: "E-mail", kind: "email", required: true, autocomplete: "email" },
];

/** Password managers store the password for the login that stands above it; without it, for the e-mail. */
const LOGIN: FormField = {
  name: "login",
  label: "Login",
  kind: "text",
  required: false,
  autocomplete: "username",
  value: ADMIN,
  isReadOnly: true,
};

function passwordFields(settings: Settings): readonly FormField[] {
  const both = {
    kind: "password",
    required: !settings.allow_empty_password,
    autocomplete: "new-password",
  } as const;
  return [
    { name: "password", label: "Password", ...both, hint: passwordAdvice(settings) },
    { name: "repeated", label: "Password again", ...both },
  ];
}

/**
 * The first run ends as soon as `admin` has a password, and in all processes once
 * one of them has removed the file.
 */
export function isFirstRunPending({ configuration, settings }: Service): boolean {
  return configuration.users.get(ADMIN)?.password === undefined && isFirstRun(settings);
}

/** Refuses administration with 403 until the password of `admin` is set. */
export function requireFirstRunDone(service: Service): void {
  if (!isFirstRunPending(service)) return;
  throw new ServiceError(
    "forbidden",
    `Cannot administer this service yet: set the password of "${ADMIN}" on ${service.prefix}${FIRST_RUN} first`,
  );
}

/** The page, or a redirect to the login page when the first run is over. */
export function showFirstRun(request: RouteRequest, service: Service): RouteAnswer {
  if (!isFirstRunPending(service)) return { kind: "redirect", status: 302, to: `${service.prefix}/login` };
  const { token: formToken, cookies } = service.formTokens.issue(request);
  const page = pageOf({ formToken, token: request.query.get("token") ?? undefined }, service);
  return { kind: "page", page, status: 200, cookies };
}

/** Processes the form; if it must be corrected, people get it back with the reason. */
export async function takeFirstRun(request: RouteRequest, service: Service): Promise<RouteAnswer> {
  const fields = await request.fields();
  try {
    await complete(fields, service).catch((error: unknown) => notWritten(error, service));
  } catch (error) {
    const isShown = error instanceof ServiceError && error.code !== "conflict" && request.wantsPage;
    if (!isShown || !isFirstRunPending(service)) throw error;
    return showAgain(request, fields, error, service);
  }
  await service.files.refresh();
  const { requestId, client: { address } } = request;
  const event = { action: "password", outcome: "success", user: ADMIN, target: FIRST_RUN } as const;
  service.audit.record({ ...event, address, requestId });
  service.log.info(`The first run is over: ${address} has set the password of admin`);
  // The new password logs the administrator in at once.
  const admin = await service.passwords.check(ADMIN, fields.get("password") ?? "");
  return {
    kind: "done",
    to: `${service.prefix}/`,
    status: 303,
    result: { user: ADMIN },
    cookies: admin ? await browserSessions(OPENER, service).open(admin, request, { isLogin: true }) : [],
  };
}

/** The content of the page; `wrong`: the fields that the problem is about. */
interface Shown {
  readonly formToken: string;
  readonly token: string | undefined;
  readonly problem?: string;
  readonly wrong?: ReadonlySet<string | undefined>;
  readonly values?: Fields;
}

/** The form has a field for the one-time token unless the link had it. */
function pageOf(
  { formToken, token, problem, wrong = new Set(), values = new Map() }: Shown,
  service: Service,
): FormPage {
  const { settings, prefix } = service;
  const isEntitled = isToken(token, service);
  const fields = [
    ...(isEntitled ? [] : [TOKEN]),
    ...(settings.require_details_in_terms_and_conditions ? DETAILS : []),
    LOGIN,
    ...passwordFields(settings),
  ];
  return {
    title: "First run",
    text: [`Welcome to ${settings["branding.name"]}. Set the password of "${ADMIN}", who administers it.`],
    ...(problem === undefined ? {} : { problem }),
    buttons: service.configuration.users.get(PUBLIC)?.databases.size
      ? [{ label: "Look at the data first", href: `${prefix}/db` }]
      : [],
    form: {
      action: `${prefix}${FIRST_RUN}`,
      fields: fields.map((field) => ({
        ...withValue(field, values.get(field.name)),
        ...(wrong.has(field.name) ? { isWrong: true } : {}),
      })),
      hidden: { [TOKEN_FIELD]: formToken, ...(isEntitled && token ? { [TOKEN.name]: token } : {}) },
      submit: "Set the password",
    },
  };
}

/**
 * Stores the fields of the form and ends the first run. Throws 403 for a wrong one-time token, 400 for fields
 * that must be corrected and 404 when the first run is over.
 */
async function complete(fields: Fields, service: Service): Promise<void> {
  const { settings } = service;
  if (!isFirstRunPending(service)) throw over();
  if (!isToken(fields.get(TOKEN.name), service)) {
    throw new ServiceError(
      "forbidden",
      "The one-time token is not right: open the link that the service printed when it started",
      { complaints: [{ record: 0, column: TOKEN.name, sentence: "It is not right" }] },
    );
  }
  const { name, email } = detailsOf(fields, service);
  const password = fields.get("password") ?? "";
  if (password !== (fields.get("repeated") ?? "")) throw refused("the two passwords differ", "repeated");
  await checkPasswordStrength(settings, { login: ADMIN, name, email }, password);
  const hash = password === "" ? "" : await hashPassword(password, hashCost(settings));
  const details = { password: hash, ...(name === "" ? {} : { name }), ...(email === "" ? {} : { email }) };
  if (!await completeFirstRun(settings, details)) throw over();
}

function isToken(given: string | undefined, { firstRunToken: token }: Service): boolean {
  return given !== undefined && isSame(given.trim(), token);
}

function detailsOf(fields: Fields, { settings }: Service): { readonly name: string; readonly email: string } {
  if (!settings.require_details_in_terms_and_conditions) return { name: "", email: "" };
  const [first = "", last = "", email = ""] = DETAILS.map(({ name, label }) => {
    const value = (fields.get(name) ?? "").trim();
    if (value === "" || value.length > LONGEST || /\p{Cc}/u.test(value)) {
      throw refused(`${quote(label)} is missing or cannot be read`, name);
    }
    return value;
  });
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw refused(`${quote("E-mail")} is no e-mail address`, "email");
  return { name: `${first} ${last}`, email };
}

/** Errors of the system or of the existing file are for the log. */
function notWritten(error: unknown, { log }: Service): never {
  if (!(error instanceof FileFailure || error instanceof ConfigurationError)) throw error;
  log.warn(`Cannot set password of "${ADMIN}": ${error.message}`);
  const message = `Cannot set password of "${ADMIN}": users.cfg cannot be changed, and the log tells why`;
  throw new ServiceError("conflict", message, { cause: error });
}

function showAgain(
  request: RouteRequest,
  fields: Fields,
  error: ServiceError,
  service: Service,
): RouteAnswer {
  const { token: formToken, cookies } = service.formTokens.issue(request);
  const values: Fields = error.code === "bad-request" ? fields : new Map();
  const wrong = new Set(error.complaints.map(({ column }) => column));
  const token = fields.get(TOKEN.name);
  const page = pageOf({ formToken, token, problem: error.message, wrong, values }, service);
  return { kind: "page", page, status: error.code === "forbidden" ? 403 : 400, cookies };
}

/** The page keeps the typed values except passwords and the token. */
function withValue(field: FormField, value: string | undefined): FormField {
  const isFixed = field.kind === "password" || field === TOKEN || field.isReadOnly === true;
  return value === undefined || isFixed ? field : { ...field, value };
}

/** `column`: the name of the field. */
function refused(sentence: string, column: string): ServiceError {
  const complaints = [{ record: 0, column, sentence }];
  return badRequest(`Cannot set password of "${ADMIN}": ${sentence}`, { complaints });
}

function over(): ServiceError {
  return notFound(`The first run is over: log in as "${ADMIN}"`);
}
