/**
 * The service with people who can log in, and their browsers.
 *
 * @module
 */

import assert from "node:assert/strict";
import { CookieJar } from "@/tests/support/cookie_jar.ts";
import type { StartOptions, TestService } from "@/tests/support/service.ts";

/** The password of `anna`. The other passwords begin with it. */
export const PASSWORD = "walrus-teapot-meridian";
/** The API key of `anna`. */
export const KEY = "anna-0123456789abcdef0123456789abcdef";

/** The text of users.cfg. */
export const USERS = `public: {databases: {Demo: {access: {"*": [read]}}}}
admin: {password: ${PASSWORD}-admin}
anna: {password: ${PASSWORD}, apikey: ${KEY}, databases: {Demo: {}}}
bert: {password: ${PASSWORD}-bert, databases: {Demo: {}}}
keyless: {databases: {Demo: {}}}
`;

/** Cheap hashes, and a throttle without waits. */
const INI = ["argon2.memory_cost = 8", "argon2.time_cost = 1", "login_throttle.burst = 1000"];

/** A home after its first run. */
export function homeOf(
  { ini = [], users = USERS, auth, args = [] }: {
    readonly ini?: readonly string[];
    readonly users?: string;
    readonly auth?: string;
    readonly args?: readonly string[];
  } = {},
): StartOptions {
  return {
    files: {
      "config/users.cfg": users,
      "config/service.ini": ["[service]", ...INI.filter((line) => !isSet(line, ini)), ...ini, ""].join("\n"),
      ...(auth === undefined ? {} : { "config/auth.cfg": auth }),
    },
    isAdministered: true,
    args,
  };
}

/** Whether a test sets the key of this line. */
function isSet(line: string, ini: readonly string[]): boolean {
  const key = line.split(" ", 1)[0] ?? "";
  return ini.some((other) => other.startsWith(`${key} `));
}

/** A browser without script: it keeps cookies and says where its requests come from. */
export class Browser {
  readonly #service: TestService;
  readonly #jar = new CookieJar();

  constructor(service: TestService) {
    this.#service = service;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#jar.cookies;
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await this.#send(path, { headers: { Accept: "text/html", ...headers } });
  }

  /** Sends a form as its own page would. */
  async post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { Origin: this.#service.url },
  ): Promise<Answer> {
    return await this.#send(path, {
      method: "POST",
      headers: { Accept: "text/html", ...headers },
      body: new URLSearchParams(fields),
    });
  }

  async send(path: string, init: RequestInit): Promise<Answer> {
    return await this.#send(path, init);
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set("Cookie", this.#jar.header);
    const answer = await this.#service.fetch(path, { ...init, headers });
    this.#jar.keep(answer.headers);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The hidden fields of a page's form. */
export function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"\/>/g);
  return Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
}

/** A browser whose user has logged in by the form. */
export async function browserOf(service: TestService, login: string, password: string): Promise<Browser> {
  const browser = new Browser(service);
  const fields = hiddenFields((await browser.get("/login")).text);
  assert.equal((await browser.post("/login", { ...fields, login, password })).status, 303);
  return browser;
}

/** Logs in as a program does. */
export async function logIn(
  service: TestService,
  login: string,
  password: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await service.fetch("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ login, password }),
  });
}

/** The `Cookie` header of a new session. */
export async function sessionOf(service: TestService, login: string, password: string): Promise<string> {
  const answer = await logIn(service, login, password);
  await answer.body?.cancel();
  const [cookie = ""] = answer.headers.getSetCookie();
  return cookie.split(";", 1)[0] ?? "";
}

/** The user of a request. */
export async function whoIs(
  service: TestService,
  headers: Readonly<Record<string, string>>,
): Promise<string | number> {
  const answer = await service.fetch("/settings.json", { headers });
  const body = await answer.json();
  return answer.status === 200 ? body.user : answer.status;
}
