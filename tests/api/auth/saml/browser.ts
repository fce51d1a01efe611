/**
 * A browser in a login at a provider of another site: it keeps cookies, does not send them where
 * `SameSite=Lax` forbids it, and names the site that its requests come from.
 *
 * @module
 */

import { inflateRawSync } from "node:zlib";
import { CookieJar } from "@/tests/support/cookie_jar.ts";
import type { TestService } from "@/tests/support/service.ts";
import { BERTS_KEY } from "./home.ts";

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A login that has begun: the message that the browser brings to the provider. */
export interface Begun {
  /** Where it is brought. */
  readonly destination: string;
  readonly binding: "redirect" | "post";
  /** The request's XML, and its id. */
  readonly request: string;
  readonly id: string;
  readonly relayState: string | undefined;
  /** Everything that is brought. */
  readonly fields: URLSearchParams;
}

/** Where a login ended. */
export interface Landing extends Answer {
  /** The last path; in `hops` are all of them. */
  readonly path: string;
  readonly hops: readonly string[];
  /** The user of the browser's session. */
  readonly user: string;
}

/** The login page after a failure, without its changing parts. */
export const isLogin = ({ path }: Pick<Landing, "path">): boolean => /^\/login\?/.test(path);

/** A browser without a session. The test follows redirects itself. */
export class SsoBrowser {
  readonly service: TestService;
  readonly #jar = new CookieJar();

  constructor(service: TestService) {
    this.service = service;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#jar.cookies;
  }

  /** Opens a session of user `bert`; returns its cookie. */
  async openSession(): Promise<string> {
    await this.get("/db.html", { apikey: BERTS_KEY });
    return this.cookies.get("auth_tkt") ?? "";
  }

  /** Sends the request of a click on a page of the service. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const from = { "Sec-Fetch-Site": "same-origin", Referer: `${this.service.url}/db.html` };
    return await this.#send(path, { headers: { ...from, ...headers } });
  }

  /** Sends the request of a link or a redirect of another site. */
  async arrive(path: string): Promise<Answer> {
    return await this.#send(path, { headers: { "Sec-Fetch-Site": "cross-site" } });
  }

  /** Sends the request of a form on a page of another site, without cookies. */
  async sendForm(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    return await this.#send(path, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://acme.idp.example" },
      body: new URLSearchParams(fields),
    });
  }

  /** Begins a login as the button on the login page does. */
  async begin(id: string, next = "/db/Demo.html"): Promise<Begun> {
    return readBegun(await this.get(`/login/saml?${new URLSearchParams({ idp_id: id, next })}`));
  }

  /** Brings a document to the service, and follows where that leads. */
  async bring(id: string, document: string, relayState?: string): Promise<Landing> {
    const encoded = new TextEncoder().encode(document).toBase64();
    return await this.bringEncoded(id, encoded, relayState);
  }

  async bringEncoded(id: string, encoded: string, relayState?: string): Promise<Landing> {
    const fields = { SAMLResponse: encoded, ...(relayState === undefined ? {} : { RelayState: relayState }) };
    const path = `/sso/callback/saml/${id}`;
    return await this.follow(path, await this.sendForm(path, fields));
  }

  /** Follows redirects, up to the first page that has nothing to do with the login. */
  async follow(path: string, first: Answer): Promise<Landing> {
    const hops = [path];
    let answer = first;
    for (let hop = 0; hop < 5; hop++) {
      const location = answer.headers.get("location");
      if (location === null) break;
      hops.push(location);
      if (!/^\/(sso|login)\b/.test(location)) break;
      answer = await this.arrive(location);
    }
    return { ...answer, path: hops.at(-1) ?? "", hops, user: await this.whoAmI() };
  }

  /** The user of this browser's session. */
  async whoAmI(): Promise<string> {
    return await whoHas(this.service, this.#jar.header);
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    headers.set("Accept", "text/html");
    headers.set("Sec-Fetch-Mode", "navigate");
    headers.set("Sec-Fetch-Dest", "document");
    const isHeldBack = init.method === "POST" && headers.get("sec-fetch-site") === "cross-site";
    if (!isHeldBack && this.cookies.size > 0) headers.set("Cookie", this.#jar.header);
    const answer = await this.service.fetch(path, { ...init, headers });
    this.#jar.keep(answer.headers);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}

/** The user of a request with these cookies. */
export async function whoHas(service: TestService, cookies: string): Promise<string> {
  const answer = await service.fetch("/settings.json", {
    headers: cookies === "" ? {} : { Cookie: cookies },
  });
  const { user } = await answer.json();
  return String(user);
}

/**
 * The message that the browser brings to the provider, from the answer to the
 * beginning of a login or a logout.
 */
export function readBegun({ status, headers, text }: Answer): Begun {
  const location = headers.get("location");
  const binding = location === null ? "post" : "redirect";
  const target = location === null ? formTarget(text) : location;
  const fields = location === null ? formFields(text) : new URL(location).searchParams;
  const message = fields.get("SAMLRequest") ?? fields.get("SAMLResponse");
  if (message === null || target === undefined) {
    throw new Error(`Nothing begins with status ${status}: ${text}`);
  }
  const bytes = Uint8Array.fromBase64(message);
  const request = new TextDecoder().decode(binding === "post" ? bytes : inflateRawSync(bytes));
  const [, id = ""] = / ID="([^"]+)"/.exec(request) ?? [];
  const destination = target.split("?", 1)[0] ?? "";
  return { destination, binding, request, id, relayState: fields.get("RelayState") ?? undefined, fields };
}

function formTarget(page: string): string | undefined {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  return action === undefined ? undefined : unescapeHtml(action);
}

/** The hidden fields of a page. */
export function formFields(page: string): URLSearchParams {
  const fields = [...page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => {
    const [, name = ""] = /name="([^"]*)"/.exec(input) ?? [];
    const [, value = ""] = /value="([^"]*)"/.exec(input) ?? [];
    return [unescapeHtml(name), unescapeHtml(value)] as [string, string];
  });
  return new URLSearchParams(fields);
}

function unescapeHtml(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#34;", '"').replaceAll("&#39;", "'").replaceAll(
    "&lt;",
    "<",
  )
    .replaceAll("&gt;", ">").replaceAll("&#43;", "+").replaceAll("&#61;", "=").replaceAll("&amp;", "&");
}
