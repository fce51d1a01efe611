/**
 * Tests for every authentication method. A plugin's author calls {@link testAuth} in a test file, with
 * requests that have valid and invalid credentials.
 *
 * @module
 */

import { CONTRACT } from "@/plugins/contract.ts";
import assert from "node:assert/strict";
import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  AuthResult,
  RouteAnswer,
  Section,
} from "@/plugins/contract.ts";
import {
  type Attempt,
  freshRequest,
  renewed,
  requestOf,
  routeRequestOf,
} from "@/tests/conformance/auth_attempt.ts";
export { requestOf, routeRequestOf } from "@/tests/conformance/auth_attempt.ts";
export type { Attempt, AttemptedRoute, Renewed } from "@/tests/conformance/auth_attempt.ts";
import { describesItsForm, findsItsWayBack, keepsRoutes } from "@/tests/conformance/auth_pages.ts";
import {
  checksPasswords,
  type PasswordAttempts,
  survivesHostilePasswords,
} from "@/tests/conformance/auth_passwords.ts";
import {
  changesNothing,
  type Covered,
  isGuess,
  letsNetworksWait,
  noticesChanges,
  readsNoBodyOfStrangers,
  survivesHostility,
} from "@/tests/conformance/auth_requests.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/** The facts about one method for its tests. */
export interface AuthTestOptions {
  /** The method's block in auth.cfg. Default: an empty one. */
  readonly section?: Section;
  readonly host: AuthHost;
  /**
   * Valid credentials with the login that they belong to. At least one, unless there are {@link passwords}.
   */
  readonly accepted: readonly (Attempt & { readonly login: string })[];
  /**
   * Credentials that are there and wrong. At least one, or one that is ignored,
   * unless there are {@link passwords}.
   */
  readonly rejected: readonly Attempt[];
  /** Expired credentials that count as none, such as an old cookie; the answer clears them. */
  readonly ignored?: readonly Attempt[];
  /** For a method with `checkPassword`. */
  readonly passwords?: PasswordAttempts;
  /**
   * The parts of a request that its credentials cover: a request with another one is rejected. Default: none.
   */
  readonly covers?: readonly Covered[];
  /** Whether the method accepts a request only once; then every attempt is made anew. Default: false. */
  readonly once?: boolean;
  /** Tests that do not apply, by their name in {@link AUTH_TESTS}, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** A method that has been set up, with facts from its author. */
export interface AuthSubject extends AuthTestOptions {
  readonly name: string;
  readonly plugin: AuthPlugin;
  readonly method: AuthMethod;
}

type AuthTest = (subject: AuthSubject) => void | Promise<void>;

/** The tests by name; a name is a statement about methods. */
export const AUTH_TESTS: Readonly<Record<string, AuthTest>> = {
  "keeps the contract": keepsContract,
  "tells clients no secret": tellsNoSecret,
  "is absent without credentials": isAbsent,
  "accepts valid credentials": accepts,
  "rejects invalid credentials": rejects,
  "accepts a request only once": acceptsOnce,
  "rejects a request that was changed on its way": noticesChanges,
  "reads no body of a sender it does not know": readsNoBodyOfStrangers,
  "lets a network wait that has sent too many wrong credentials": letsNetworksWait,
  "checks passwords": checksPasswords,
  "finds nobody by hostile logins and passwords": survivesHostilePasswords,
  "shows no secret in what it says about a rejection": hidesSecrets,
  "never accepts and never throws for hostile credentials": survivesHostility,
  "keeps requests apart that come at the same time": keepsApart,
  "changes nothing of the request": changesNothing,
  "ignores what is over, and takes it back": ignoresWhatIsOver,
  "gives cookies that are whole": givesWholeCookies,
  "knows the user of a session": knowsUserOfSession,
  "has routes that answer whatever comes": keepsRoutes,
  "describes a form and buttons that can be shown": describesItsForm,
  "sends nobody to another site after a login": findsItsWayBack,
};

/** The reason why a test says nothing about this method. Undefined: it applies. */
function inapplicable(test: AuthTest, method: AuthMethod, options: AuthTestOptions): string | undefined {
  if (test === ignoresWhatIsOver && !options.ignored?.length) return "nothing of it expires";
  const { accepted, rejected, covers = [], passwords } = options;
  const isOfRejections = test === rejects || test === hidesSecrets;
  if ((isOfRejections || test === accepts) && accepted.length === 0) {
    return "requests have no credentials of it";
  }
  if (isOfRejections && rejected.length === 0) return "no credentials are rejected";
  const canGuess = (attempt: Attempt) => isGuess(attempt, { method, host: options.host });
  if (test === letsNetworksWait && !(accepted.some(canGuess) && rejected.some(canGuess))) {
    return "no request can guess";
  }
  if (test === noticesChanges && covers.length === 0) return "credentials cover nothing else";
  const isOfPasswords = test === checksPasswords || test === survivesHostilePasswords;
  if (isOfPasswords && !passwords && !method.checkPassword) return "it checks no passwords";
  if (test === acceptsOnce && !options.once) return "requests may be repeated";
  if (test === tellsNoSecret && !method.clientSettings) return "it tells clients nothing";
  if (test === keepsRoutes && !method.routes?.length) return "it has no routes";
  if (test === findsItsWayBack && !options.accepted.some(({ route }) => route)) return "no route logs in";
  const { form, buttons, notices } = method;
  return test === describesItsForm && !form && !buttons && !notices ? "it shows nothing" : undefined;
}

/**
 * Registers one test for each of {@link AUTH_TESTS}; those that do not apply are ignored. Sets the method up
 * once to learn which those are, so a caller awaits the result if the plugin or its setup gives a promise.
 */
export function testAuth(
  name: string,
  make: () => AuthPlugin | Promise<AuthPlugin>,
  options: AuthTestOptions,
): Promise<void> | void {
  const unknown = Object.keys(options.skip ?? {}).filter((key) => !Object.hasOwn(AUTH_TESTS, key));
  assert.deepEqual(unknown, [], "Every test that is skipped exists");
  const wrong = options.rejected.length + (options.ignored?.length ?? 0);
  const isComplete = options.accepted.length * wrong > 0 || options.passwords !== undefined;
  assert.ok(isComplete, "There are requests of both kinds, or passwords");
  const setUp = (plugin: AuthPlugin) => plugin.setup(sectionOf(plugin, options.section), options.host);
  const register = (method: AuthMethod) =>
    registerTests(name, method, options, async () => {
      const plugin = await make();
      return { ...options, name, plugin, method: await setUp(plugin) };
    });
  const plugin = make();
  const method = plugin instanceof Promise ? plugin.then(setUp) : setUp(plugin);
  return method instanceof Promise ? method.then(register) : register(method);
}

function registerTests(
  name: string,
  method: AuthMethod,
  options: AuthTestOptions,
  subject: () => Promise<AuthSubject>,
): void {
  for (const [sentence, test] of Object.entries(AUTH_TESTS)) {
    const reason = options.skip?.[sentence] ?? inapplicable(test, method, options);
    Deno.test({
      name: reason === undefined ? `${name} ${sentence}` : `${name} ${sentence} (ignored: ${reason})`,
      ignore: reason !== undefined,
      fn: async () => await test(await subject()),
    });
  }
}

/** The result of an attempt on any path. */
interface Outcome {
  readonly login: string | undefined;
  readonly isRejected: boolean;
  readonly cookies: readonly string[];
  /** Everything that was said. */
  readonly text: string;
}

async function outcomeOf({ method }: AuthSubject, given: Attempt): Promise<Outcome> {
  const attempt = await renewed(given);
  const { route } = attempt;
  if (route) {
    const found = method.routes?.find(({ method: verb, path }) =>
      verb === route.method && path === route.path
    );
    assert.notEqual(found, undefined, `there is a route ${route.method} ${route.path}`);
    const answer = await found?.handle(routeRequestOf(attempt));
    return {
      login: loginBy(answer),
      isRejected: answer?.kind === "refused" && answer.message.length > 0,
      cookies: cookiesOf(answer),
      text: JSON.stringify(answer),
    };
  }
  const result = await method.authenticate(await freshRequest(attempt, method));
  return {
    login: loginOf(result),
    isRejected: result.outcome === "rejected" && result.reason.length > 0,
    cookies: result.outcome === "rejected" ? [] : result.cookies ?? [],
    text: JSON.stringify(result),
  };
}

/** The user whom a route has logged in. */
function loginBy(answer: RouteAnswer | undefined): string | undefined {
  if (answer?.kind === "done") return String(answer.result["user"]);
  return answer?.kind === "redirect" && answer.event?.outcome === "success" ? answer.event.user : undefined;
}

function cookiesOf(answer: RouteAnswer | undefined): readonly string[] {
  return answer && "cookies" in answer ? answer.cookies ?? [] : [];
}

function keepsContract({ name, plugin, method }: AuthSubject): void {
  assert.ok(plugin.contract === CONTRACT || plugin.contract === CONTRACT - 1);
  assert.equal(plugin.kind, "auth");
  assert.equal(plugin.name, name);
  for (const parameter of method.queryParameters ?? []) assert.match(parameter, /^[A-Za-z0-9_.-]+$/);
  assert.equal(typeof (method.opensSession ?? false), "boolean");
  assert.equal(typeof (method.isAmbient ?? false), "boolean");
  const keys = Object.keys(plugin.settings ?? {});
  const common = keys.filter((key) => ["enabled", "priority", "gui"].includes(key));
  assert.deepEqual(common, [], "these are everybody's");
  const schemes = Object.keys(method.securitySchemes ?? {});
  for (const scheme of (method.securityRequirements ?? []).flat()) {
    assert.equal(schemes.includes(scheme), true, scheme);
  }
}

function tellsNoSecret({ method, accepted }: AuthSubject): void {
  const told = JSON.stringify(method.clientSettings ?? {});
  for (const { secrets } of accepted) assertHides(told, secrets);
}

/** Typed for the compiler options of other projects, too. */
const WITHOUT_CREDENTIALS: readonly Readonly<Record<string, string>>[] = [
  {},
  { Cookie: "theme=dark" },
  { Origin: "https://other.example" },
];

async function isAbsent({ method }: AuthSubject): Promise<void> {
  for (const verb of ["GET", "HEAD", "POST", "PUT", "DELETE"]) {
    for (const headers of WITHOUT_CREDENTIALS) {
      const request = { ...requestOf({ headers }), method: verb };
      assert.deepEqual(await method.authenticate(request), { outcome: "absent" });
    }
  }
}

async function accepts(subject: AuthSubject): Promise<void> {
  for (const attempt of subject.accepted) {
    assert.equal((await outcomeOf(subject, attempt)).login, attempt.login, attempt.name);
  }
}

async function rejects(subject: AuthSubject): Promise<void> {
  for (const attempt of subject.rejected) {
    assert.equal((await outcomeOf(subject, attempt)).isRejected, true, `${attempt.name}, with a reason`);
  }
}

async function acceptsOnce(subject: AuthSubject): Promise<void> {
  for (const attempt of subject.accepted) {
    const { renew: _, ...sent } = await renewed(attempt);
    assert.equal((await outcomeOf(subject, sent)).login, attempt.login, attempt.name);
    assert.equal((await outcomeOf(subject, sent)).isRejected, true, `${attempt.name}, sent again`);
  }
}

async function hidesSecrets(subject: AuthSubject): Promise<void> {
  for (const attempt of subject.rejected) {
    const fresh = await renewed(attempt);
    const { renew: _, ...once } = fresh;
    assertHides((await outcomeOf(subject, once)).text, fresh.secrets);
  }
}

async function ignoresWhatIsOver({ method, ignored = [] }: AuthSubject): Promise<void> {
  for (const attempt of ignored) {
    const result = await method.authenticate(await freshRequest(attempt, method));
    assert.equal(result.outcome, "absent", attempt.name);
    const cookies = result.outcome === "absent" ? result.cookies ?? [] : [];
    assert.equal(cookies.some((cookie) => /; Max-Age=0(;|$)/.test(cookie)), true, "the cookie is cleared");
    assertHides(JSON.stringify(result), attempt.secrets);
  }
}

async function givesWholeCookies(subject: AuthSubject): Promise<void> {
  for (const attempt of [...subject.accepted, ...subject.rejected, ...subject.ignored ?? []]) {
    for (const cookie of (await outcomeOf(subject, attempt)).cookies) {
      assert.match(cookie, /^[\w.-]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*(; [\x20-\x3a\x3c-\x7e]+)*$/);
      assert.match(cookie, /; SameSite=(Lax|Strict)(;|$)/);
    }
  }
}

async function knowsUserOfSession({ method, accepted }: AuthSubject): Promise<void> {
  for (const attempt of accepted) {
    if (attempt.route) continue;
    const result = await method.authenticate(await freshRequest(attempt, method));
    if (result.outcome !== "accepted" || !result.session) continue;
    assert.equal(result.session.user.login, attempt.login);
    assert.equal(result.session.csrfToken.length >= 22, true, "a token that cannot be guessed");
  }
}

async function keepsApart(subject: AuthSubject): Promise<void> {
  const { accepted, rejected } = subject;
  const attempts = [...accepted, ...rejected, ...accepted.toReversed()];
  const results = await Promise.all(
    attempts.map(async (attempt) => (await outcomeOf(subject, attempt)).login),
  );
  assert.deepEqual(results, attempts.map((attempt) => "login" in attempt ? attempt.login : undefined));
}

function loginOf(result: AuthResult): string | undefined {
  return result.outcome === "accepted" ? result.user.login : undefined;
}

function assertHides(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    assert.equal(text.includes(secret), false, `the secret "${secret}" stands in: ${text}`);
  }
}
