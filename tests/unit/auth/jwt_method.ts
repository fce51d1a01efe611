/**
 * The method under test with its own provider, and requests to it.
 *
 * @module
 */

import jwt from "@/auth/jwt/mod.ts";
import { hostOf, type HostOptions } from "@/tests/conformance/auth_host.ts";
import { requestOf, routeRequestOf } from "@/tests/conformance/auth.ts";
import { userOf } from "@/tests/conformance/users.ts";
import type { AuthHost, AuthMethod, AuthResult, RouteAnswer } from "@/plugins/contract.ts";
import { blockFor, NOW, startProvider, type TestProvider } from "@/tests/api/auth/oidc/provider.ts";

const ANNA = userOf("anna", { email: "anna@example.com" });
/** Two have the same e-mail address, and one has none. */
export const USERS = [
  ANNA,
  userOf("bert", { email: "bert@example.com", name: "Bert" }),
  userOf("twin1", { email: "twin@example.com" }),
  userOf("twin2", { email: "twin@example.com" }),
  userOf("bare"),
];

/** Time that passes when a test says so, in milliseconds. */
class Clock {
  time = NOW * 1000;
  now = () => this.time;
  pass(seconds: number): void {
    this.time += seconds * 1000;
  }
}

/** The method with one provider, `acme`. */
export interface Subject extends AsyncDisposable {
  readonly method: AuthMethod;
  readonly provider: TestProvider;
  readonly clock: Clock;
  /** Lines of the log, with their level before them. */
  readonly lines: string[];
  readonly host: AuthHost;
  /** How often a failure was counted. */
  readonly counted: () => number;
}

/** How a subject differs from one provider `acme` and {@link USERS}. */
export interface SubjectOptions {
  /** Changes of the block of `acme`. */
  readonly block?: Readonly<Record<string, unknown>>;
  /** Further providers. */
  readonly others?: (provider: TestProvider) => Readonly<Record<string, unknown>>;
  readonly host?: HostOptions;
  /** Called before the method is set up. */
  readonly prepare?: (provider: TestProvider) => void | Promise<void>;
}

/** Starts a provider and sets the method up; disposing ends both. The throttle grants every request. */
export async function makeSubject(
  { block, others, host: hostOptions, prepare }: SubjectOptions = {},
): Promise<Subject> {
  const provider = startProvider();
  await prepare?.(provider);
  const clock = new Clock();
  const lines: string[] = [];
  let counted = 0;
  const write = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  const free = () => Promise.resolve({ succeeded: () => Promise.resolve() });
  const host = hostOf({
    users: USERS,
    ...hostOptions,
    changes: {
      now: clock.now,
      log: { info: write("info"), warn: write("warn"), error: write("error") },
      throttle: {
        beginForm: free,
        beginPassword: free,
        requireTurn: () => {},
        countMessage: () => {
          counted++;
          return Promise.resolve({ succeeded: () => Promise.resolve(void counted--) });
        },
      },
      ...hostOptions?.changes,
    },
  });
  const identity_providers = { acme: blockFor(provider, "acme", block), ...others?.(provider) };
  const method = await jwt.setup({ identity_providers }, host);
  return {
    method,
    provider,
    clock,
    lines,
    host,
    counted: () => counted,
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

/** The result of a token. */
export async function bearer(
  { method }: Pick<Subject, "method">,
  token: string,
  headers: Readonly<Record<string, string>> = { "X-Identity-Provider-Id": "acme" },
): Promise<AuthResult> {
  return await method.authenticate(requestOf({ headers: { Authorization: `Bearer ${token}`, ...headers } }));
}

/** The user of a token, or the reason of its rejection. */
export async function whoHas(subject: Pick<Subject, "method">, token: string): Promise<string> {
  const result = await bearer(subject, token);
  if (result.outcome === "accepted") return result.user.login;
  return result.outcome === "rejected" ? result.reason : result.outcome;
}

/** Asks a route of the method. */
export async function ask(
  { method }: Pick<Subject, "method">,
  target: string,
  options: {
    readonly method?: "GET" | "HEAD" | "POST";
    readonly headers?: Readonly<Record<string, string>>;
    readonly fields?: Readonly<Record<string, string>>;
    readonly isHttps?: boolean;
  } = {},
): Promise<RouteAnswer> {
  const url = new URL(target, "http://service.example");
  const verb = options.method ?? "GET";
  const answering = verb === "HEAD" ? "GET" : verb;
  const route = method.routes?.find(({ method: other, path }) =>
    other === answering && path === url.pathname
  );
  if (!route) throw new Error(`There is no route ${verb} ${url.pathname}`);
  const { headers = {}, fields = {}, isHttps = false } = options;
  const request = routeRequestOf({ route, headers, fields });
  const client = { ...request.client, isHttps };
  return await route.handle({ ...request, client, method: verb, query: url.searchParams, wantsPage: true });
}
