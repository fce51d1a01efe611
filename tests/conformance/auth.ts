/**
 * What every authentication method has to do, as tests. A plugin's author calls {@link testAuth} in a test file of their
 * own, with requests that hold valid and invalid credentials.
 *
 * @module
 */

import assert from "node:assert/strict";
import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  AuthRequest,
  AuthResult,
  Section,
} from "@/plugins/contract.ts";
import { HOSTILE_TEXTS } from "./hostile.ts";

/** A request as an author describes it. */
export interface Attempt {
  /** What it shows: `a key in the header`. */
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of the query parameters that the method names. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Texts of this request that may be shown nowhere: neither in logs nor to the caller. */
  readonly secrets: readonly string[];
}

export interface AuthTestOptions {
  readonly section?: Section;
  readonly host: AuthHost;
  /** Valid credentials with the login that they belong to. At least one. */
  readonly accepted: readonly (Attempt & { readonly login: string })[];
  /** Credentials that are there and wrong. At least one. */
  readonly rejected: readonly Attempt[];
  /** Tests that do not apply, by their name in {@link AUTH_TESTS}, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** A method that has been set up, with what its author knows about it. */
export interface AuthSubject extends AuthTestOptions {
  readonly name: string;
  readonly plugin: AuthPlugin;
  readonly method: AuthMethod;
}

type AuthTest = (subject: AuthSubject) => void | Promise<void>;

/** The tests by name; a name says what a method does. */
export const AUTH_TESTS: Readonly<Record<string, AuthTest>> = {
  "keeps the contract": keepsContract,
  "tells clients no secret": tellsNoSecret,
  "is absent without credentials": isAbsent,
  "accepts valid credentials": accepts,
  "rejects invalid credentials": rejects,
  "shows no secret in what it says about a rejection": hidesSecrets,
  "never accepts and never throws for hostile credentials": survivesHostility,
  "keeps requests apart that come at the same time": keepsApart,
  "changes nothing of the request": changesNothing,
};

/** Registers one test for each of {@link AUTH_TESTS}; `make` loads the plugin. */
export function testAuth(
  name: string,
  make: () => AuthPlugin | Promise<AuthPlugin>,
  options: AuthTestOptions,
): void {
  const unknown = Object.keys(options.skip ?? {}).filter((key) => !Object.hasOwn(AUTH_TESTS, key));
  assert.deepEqual(unknown, [], "Every test that is skipped exists");
  assert.notEqual(options.accepted.length * options.rejected.length, 0, "There are requests of both kinds");
  for (const [sentence, test] of Object.entries(AUTH_TESTS)) {
    const reason = options.skip?.[sentence];
    Deno.test({
      name: reason === undefined ? `${name} ${sentence}` : `${name} ${sentence} (skipped: ${reason})`,
      ignore: reason !== undefined,
      async fn() {
        const plugin = await make();
        const method = await plugin.setup(options.section ?? {}, options.host);
        await test({ ...options, name, plugin, method });
      },
    });
  }
}

/** The request that an attempt describes. */
export function requestOf({ headers, credentials }: Pick<Attempt, "headers" | "credentials">): AuthRequest {
  return {
    method: "GET",
    headers: new Headers({ Accept: "application/json", ...headers }),
    credentials: new Map(Object.entries(credentials ?? {})),
  };
}

function keepsContract({ name, plugin, method }: AuthSubject): void {
  assert.equal(plugin.contract, 1);
  assert.equal(plugin.kind, "auth");
  assert.equal(plugin.name, name);
  for (const parameter of method.queryParameters ?? []) assert.match(parameter, /^[A-Za-z0-9_.-]+$/);
}

function tellsNoSecret({ method, accepted }: AuthSubject): void {
  const told = JSON.stringify(method.clientSettings ?? {});
  for (const { secrets } of accepted) assertHides(told, secrets);
}

async function isAbsent({ method }: AuthSubject): Promise<void> {
  for (const verb of ["GET", "HEAD", "POST", "PUT", "DELETE"]) {
    for (const headers of [{}, { Cookie: "theme=dark" }, { Origin: "https://other.example" }]) {
      const request = { ...requestOf({ headers }), method: verb };
      assert.deepEqual(await method.authenticate(request), { outcome: "absent" });
    }
  }
}

async function accepts({ method, accepted }: AuthSubject): Promise<void> {
  for (const attempt of accepted) {
    assert.equal(loginOf(await method.authenticate(requestOf(attempt))), attempt.login, attempt.name);
  }
}

async function rejects({ method, rejected }: AuthSubject): Promise<void> {
  for (const attempt of rejected) {
    const result = await method.authenticate(requestOf(attempt));
    assert.equal(result.outcome, "rejected", attempt.name);
    assert.equal(result.outcome === "rejected" && result.reason.length > 0, true, "the log gets a reason");
  }
}

async function hidesSecrets({ method, rejected }: AuthSubject): Promise<void> {
  for (const attempt of rejected) {
    const result = await method.authenticate(requestOf(attempt));
    assertHides(JSON.stringify(result), attempt.secrets);
  }
}

/** Puts hostile texts in the place of each header and parameter that carries credentials. */
async function survivesHostility({ method, accepted, rejected }: AuthSubject): Promise<void> {
  for (const { headers = {}, credentials = {} } of [...accepted, ...rejected]) {
    for (const text of HOSTILE_TEXTS) {
      const hostile = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, text]));
      const attempts = [{ credentials: hostile(credentials) }, { headers: headerSafe(hostile(headers)) }];
      for (const attempt of attempts) {
        const { outcome } = await method.authenticate(requestOf(attempt));
        assert.notEqual(outcome, "accepted", JSON.stringify(attempt));
      }
    }
  }
}

async function keepsApart({ method, accepted, rejected }: AuthSubject): Promise<void> {
  const attempts = [...accepted, ...rejected, ...accepted.toReversed()];
  const results = await Promise.all(
    attempts.map(async (attempt) => loginOf(await method.authenticate(requestOf(attempt)))),
  );
  assert.deepEqual(results, attempts.map((attempt) => "login" in attempt ? attempt.login : undefined));
}

async function changesNothing({ method, accepted, rejected }: AuthSubject): Promise<void> {
  for (const attempt of [...accepted, ...rejected]) {
    const request = requestOf(attempt);
    await method.authenticate(request);
    const { headers, credentials } = requestOf(attempt);
    assert.deepEqual([...request.headers], [...headers]);
    assert.deepEqual([...request.credentials], [...credentials]);
  }
}

function loginOf(result: AuthResult): string | undefined {
  return result.outcome === "accepted" ? result.user.login : undefined;
}

function assertHides(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) assert.equal(text.includes(secret), false, "a secret is shown");
}

/** Headers cannot hold line breaks, NUL or anything beyond Latin-1. */
function headerSafe(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const clean = (text: string) => text.replace(/[\0\r\n]|[^\0-\xff]/g, "");
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, clean(text)]));
}
