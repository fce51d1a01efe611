/**
 * The login page: the parts of each visible method, and the message of a failed login. Redirects carry that
 * message sealed in the address, so that others cannot make the page show a text.
 *
 * @module
 */

import { localPath } from "@/core/base/local_path.ts";
import { areTexts, ask } from "@/core/base/plugin_answers.ts";
import { notFound, quote, ServiceError } from "@/core/errors.ts";
import { TOKEN_FIELD } from "@/core/identity/cross_site.ts";
import { resumeSession } from "@/core/identity/sessions/browser_sessions.ts";
import { createSeals } from "@/core/identity/sessions/seal.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { NamedMethod, Service } from "@/core/service.ts";
import type {
  AuthSession,
  Button,
  Form,
  FormPage,
  RouteAnswer,
  RouteRequest,
  Sender,
} from "@/plugins/contract.ts";
import { FIRST_RUN, isFirstRunPending } from "./first_run.ts";
import { areButtons, isFormAnswer } from "./method_answers.ts";

/** Path of the page below the prefix. */
export const LOGIN = "/login";

interface LoginInput {
  /** The destination after the login. */
  readonly next?: string | undefined;
  readonly problem?: string | undefined;
  /** The values of the form that was sent. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  readonly session?: AuthSession | undefined;
  /** A new password has ended the sessions of its owner. */
  readonly isChanged?: boolean;
  /** The token of the page's form. */
  readonly token: string;
}

type ProblemService = Pick<Service, "prefix" | "secrets">;
type MethodService = Pick<Service, "policies" | "methods" | "log">;

/** Seconds that the message in an address stays valid. */
const PROBLEM_LIFETIME = 300;

/** `GET /login`: `next` in the query, or else the referring page, is the destination after the login. */
export async function showLogin(request: RouteRequest, service: Service): Promise<RouteAnswer> {
  const session = await sessionIfThere(request, service);
  const { token, cookies } = service.formTokens.issue(request);
  const problem = loginProblemIn(request.query, service);
  const isChanged = request.query.has(CHANGED);
  const page = loginPage({ next: nextOf(request, service), problem, session, token, isChanged }, service);
  return { kind: "page", page, status: 200, cookies };
}

/** The session of a request, to show it: the login page also works while sessions are unavailable. */
export async function sessionIfThere(sender: Sender, service: Service): Promise<AuthSession | undefined> {
  try {
    return (await resumeSession(sender, service)).session;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unavailable") return undefined;
    throw error;
  }
}

/** The buttons of each visible method, and the form of the first one with a form. */
export function loginPage(input: LoginInput, service: Service): FormPage {
  const { problem, session, isChanged = false } = input;
  const next = input.next ?? `${service.prefix}/`;
  const methods = visibleMethods(service);
  const form = formOf(methods, next, service);
  const afterFailure = problem !== undefined;
  const buttons = methods.flatMap(({ name, method }) =>
    ask(name, "buttons", {
      question: () => method.buttons?.({ next, afterFailure }),
      isAnswer: areButtons,
    }, service) ?? []
  );
  const notices = methods.flatMap(({ name, method }) =>
    ask(name, "notices", { question: () => method.notices?.(), isAnswer: areTexts }, service) ?? []
  );
  return {
    title: "Log in",
    text: [
      ...(isChanged ? ["The new password is saved and has ended your sessions: log in with it."] : []),
      ...(session ? [`You are logged in as ${session.user.login}.`] : []),
      ...(form || buttons.length > 0 ? [] : ["Nobody can log in here."]),
      ...notices,
    ],
    ...(problem === undefined ? {} : { problem }),
    buttons: [...firstRunButton(service), ...buttons],
    ...(form ? { form: completed(form, input) } : {}),
  };
}

/** The names of the methods whose form is not on the page, because one before them has a form. */
export function hiddenForms(service: Pick<MethodService, "policies" | "methods">): readonly string[] {
  return visibleMethods(service).filter(({ method }) => method.form).slice(1).map(({ name }) => name);
}

/** The form of the first method that has one. */
function formOf(methods: readonly NamedMethod[], next: string, service: MethodService): Form | undefined {
  const owner = methods.find(({ method }) => method.form);
  const question = () => owner?.method.form?.({ next });
  return owner && ask(owner.name, "form", { question, isAnswer: isFormAnswer }, service);
}

/** The link to the login page that leads back to a page. */
export function loginLink(next: string, { prefix }: Pick<Service, "prefix">): string {
  return `${prefix}${LOGIN}?next=${encodeURIComponent(next)}`;
}

const CHANGED = "new-password";

/** The login page for a person whose new password has ended the session. */
export function newPasswordLink(next: string, service: Pick<Service, "prefix">): string {
  return `${loginLink(next, service)}&${CHANGED}`;
}

/** Whether the login page has a button or a form; every page asks. */
export function canLogIn(service: MethodService): boolean {
  return LOGINS.getOrInsertComputed(service, () => {
    return visibleMethods(service).some(({ method }) =>
      method.form !== undefined || method.buttons !== undefined
    );
  });
}

const LOGINS = new WeakMap<MethodService, boolean>();

function visibleMethods(
  { policies, methods }: Pick<MethodService, "policies" | "methods">,
): readonly NamedMethod[] {
  const visible = new Set(policies.filter((policy) => policy.visible).map(({ name }) => name));
  return methods.filter(({ name }) => visible.has(name));
}

/** The address of the login page with a message. */
export function loginProblemLink(
  { message, next }: { readonly message: string; readonly next?: string },
  service: ProblemService,
): string {
  const link = loginLink(next ?? `${service.prefix}/`, service);
  return `${link}&problem=${sealsOf(service).seal(message, PROBLEM_LIFETIME)}`;
}

/** The message in the address of a login page; undefined for text that this service has not sealed. */
export function loginProblemIn(query: URLSearchParams, service: ProblemService): string | undefined {
  const sealed = query.get("problem");
  return sealed === null ? undefined : sealsOf(service).unseal(sealed);
}

function nextOf({ query, headers, baseUrl }: RouteRequest, service: Service): string | undefined {
  const asked = query.get("next");
  if (asked !== null) return wayBack(asked, service);
  const referrer = URL.parse(headers.get("referer") ?? "");
  if (!referrer || referrer.origin !== URL.parse(baseUrl)?.origin) return undefined;
  return wayBack(referrer.pathname + referrer.search, service);
}

/**
 * A page of this service that a login leads to, without its query if that has credentials: with them the
 * browser would be somebody else again. Undefined for any other address.
 */
export function wayBack(
  address: string,
  { prefix, credentialNames }: Pick<Service, "prefix" | "credentialNames">,
): string | undefined {
  const query = new URLSearchParams(address.replace(/^[^?]*/, ""));
  const hasSecret = [...query.keys()].some((name) => credentialNames.has(name));
  return localPath(hasSecret ? address.replace(/\?.*$/s, "") : address, prefix);
}

function firstRunButton(service: Service): readonly Button[] {
  if (!isFirstRunPending(service)) return [];
  return [{ label: 'Set the password of "admin"', href: `${service.prefix}${FIRST_RUN}` }];
}

/** Adds the token and the values that were typed before. */
function completed(form: Form, { values = {}, token }: LoginInput): Form {
  const fields = form.fields.map((field) => {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    return value === undefined || field.kind === "password" ? field : { ...field, value };
  });
  return { ...form, fields, hidden: { ...form.hidden, [TOKEN_FIELD]: token } };
}

/** Method names have no spaces, so this name cannot collide with one. */
function sealsOf({ secrets }: ProblemService) {
  return createSeals("login page", secrets("state"), Date.now);
}

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
