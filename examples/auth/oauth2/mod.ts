/**
 * Logins at a provider of plain OAuth 2 (RFC 6749) with PKCE (RFC 7636): no ID token, the provider tells who
 * it is in answer to the access token.
 *
 * @module
 */

import { createHash, randomBytes } from "node:crypto";
import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  AuthSession,
  Onward,
  RouteAnswer,
  RouteRequest,
} from "@/plugins/contract.ts";
import { SETTINGS, type Settings } from "./settings.ts";

const BEGIN = "/sso/oauth2/begin";
const CALLBACK = "/sso/oauth2/callback";
/** Seconds for a login at the provider. */
const PATIENCE = 600;

/** A login that has begun, as the cookie of the browser has it. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
  readonly next: string;
}

export default {
  contract: 2,
  kind: "auth",
  name: "oauth2",
  settings: SETTINGS,
  setup(settings: Settings, host: AuthHost): AuthMethod {
    const login = new Login(settings, host);
    return {
      authenticate: () => ({ outcome: "absent" }),
      buttons: ({ next, afterFailure }) => [{
        label: settings.label,
        href: `${host.prefix}${BEGIN}?${afterFailure ? "choose=true&" : ""}next=${encodeURIComponent(next)}`,
      }],
      afterLogout: (session) => Promise.resolve(logoutAt(session, settings)),
      routes: [
        { method: "GET", path: BEGIN, handle: (request) => login.begin(request) },
        { method: "GET", path: CALLBACK, handle: (request) => login.finish(request) },
      ],
    };
  },
} satisfies AuthPlugin;

/** The way to the provider's own logout. */
function logoutAt({ details }: AuthSession, { logout_url, client_id }: Settings): Onward | undefined {
  if (logout_url === undefined) return undefined;
  const to = new URL(logout_url);
  to.searchParams.set("client_id", client_id);
  if (typeof details?.["person"] === "string") to.searchParams.set("logout_hint", details["person"]);
  return { kind: "redirect", status: 303, to: to.href };
}

class Login {
  readonly #settings: Settings;
  readonly #host: AuthHost;

  constructor(settings: Settings, host: AuthHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /** Sends the browser to the provider. */
  begin(request: RouteRequest): RouteAnswer {
    const { authorize_url: authorizeUrl, client_id: clientId, scope } = this.#settings;
    const begun: Begun = {
      state: randomBytes(32).toString("base64url"),
      verifier: randomBytes(32).toString("base64url"),
      next: this.#host.localPath(request.query.get("next") ?? "") ?? `${this.#host.prefix}/`,
    };
    const to = new URL(authorizeUrl);
    const parameters = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: `${request.baseUrl}${CALLBACK}`,
      state: begun.state,
      code_challenge: createHash("sha256").update(begun.verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...(scope === undefined ? {} : { scope }),
      // The account that has just failed would be taken again without a question.
      ...(request.query.has("choose") ? { prompt: "select_account" } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) to.searchParams.set(name, value);
    const cookies = [this.#cookie().give(JSON.stringify(begun), request)];
    return { kind: "redirect", status: 302, to: to.href, cookies };
  }

  /** The browser comes back with a code. */
  async finish(request: RouteRequest): Promise<RouteAnswer> {
    const attempt = await this.#host.throttle.countMessage(request.client.network);
    const kept = this.#cookie().read(request);
    const { query } = request;
    const code = query.get("code");
    if (kept === undefined) return this.#refuse(request, "the login did not begin in this browser");
    const begun: Begun = JSON.parse(kept);
    if (query.get("state") !== begun.state) {
      return this.#refuse(request, "the state is that of another login");
    }
    if (!await this.#host.once(begun.state, PATIENCE)) {
      return this.#refuse(request, "the login was finished before");
    }
    if (code === null) return this.#refuse(request, "the provider gives no code");
    const who = await this.#ask(code, begun.verifier, request);
    if (who === undefined) return this.#refuse(request, "the provider does not tell who it is");
    const [user, ...others] = this.#host.findUsersBy("email", who, { ignoreCase: true });
    if (!user || others.length > 0) return this.#refuse(request, "no single user has the address", who);
    await attempt.succeeded();
    return {
      kind: "done",
      to: begun.next,
      status: 302,
      result: { user: user.login },
      cookies: [
        ...await this.#host.sessions.open(user, request, { details: { person: who } }),
        this.#cookie().clear(request),
      ],
      event: { action: "login", outcome: "success", user: user.login },
    };
  }

  /** The address of the person; undefined if the provider refuses or says something else. */
  async #ask(code: string, code_verifier: string, { baseUrl }: RouteRequest): Promise<string | undefined> {
    const { token_url: tokenUrl, user_url: userUrl, client_id, client_secret, member } = this.#settings;
    const redirect_uri = `${baseUrl}${CALLBACK}`;
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      ...{ code, redirect_uri, code_verifier, client_id, client_secret },
    });
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const token = await this.#member(tokenUrl, "access_token", {
      method: "POST",
      headers,
      body: String(body),
    });
    if (token === undefined) return undefined;
    const asking = { headers: { authorization: `Bearer ${token}`, accept: "application/json" } };
    return await this.#member(userUrl, member, asking);
  }

  /** A member of a JSON answer that is a text. */
  async #member(
    url: string,
    name: string,
    request: NonNullable<Parameters<AuthHost["fetch"]>[1]>,
  ): Promise<string | undefined> {
    try {
      const answer = await this.#host.fetch(url, request);
      const tree: unknown = await answer.json();
      const found = typeof tree === "object" && tree !== null
        ? new Map(Object.entries(tree)).get(name)
        : undefined;
      if (answer.ok && typeof found === "string" && found !== "") return found;
      this.#host.log.warn(`${url} answers with status ${answer.status} and without a text "${name}"`);
    } catch (error) {
      this.#host.log.error(`${url} cannot be asked`, error);
    }
    return undefined;
  }

  #refuse(request: RouteRequest, reason: string, value?: string): RouteAnswer {
    return {
      kind: "refused",
      code: "forbidden",
      message: "The login at the provider failed",
      cookies: [this.#cookie().clear(request)],
      event: { action: "login", outcome: "refused", reason, ...(value === undefined ? {} : { value }) },
    };
  }

  #cookie() {
    return this.#host.sealedCookie("oauth2_login", PATIENCE);
  }
}
