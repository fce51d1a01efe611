import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { testAuth } from "@/tests/conformance/auth.ts";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { sectionOf as typed } from "@/tests/support/section_of.ts";
import { startService } from "@/tests/support/service.ts";
import oauth2 from "./mod.ts";

const EXAMPLES = new URL("../../", import.meta.url).pathname;
const BEGIN = { method: "GET", path: "/sso/oauth2/begin" } as const;
const CALLBACK = { method: "GET", path: "/sso/oauth2/callback" } as const;

function sectionOf(base: string) {
  return {
    client_id: "rowhouse",
    client_secret: "hush-hush",
    authorize_url: `${base}/authorize`,
    token_url: `${base}/token`,
    user_url: `${base}/user`,
  };
}

/** A provider where a code is the person and the challenge: it checks the verifier as RFC 7636 tells. */
function answerOf(url: string, body: string, authorization: string | null): Response {
  if (url.endsWith("/user")) return Response.json({ email: authorization?.replace("Bearer token of ", "") });
  const form = new URLSearchParams(body);
  const [email, challenge] = (form.get("code") ?? "").split(" ");
  const digest = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
  const isRight = digest === challenge && form.get("client_secret") === "hush-hush";
  return isRight ? Response.json({ access_token: `token of ${email}` }) : Response.json({}, { status: 400 });
}

const host = hostOf({
  users: [{ ...userOf("anna"), email: "anna@example.com" }],
  changes: {
    fetch: (url, request) =>
      Promise.resolve(answerOf(url, request?.body ?? "", request?.headers?.["authorization"] ?? null)),
  },
});

/** The page of the provider that a login begins at, and the cookie of the browser. */
async function beginAt(query: URLSearchParams) {
  const method = oauth2.setup(typed(oauth2, sectionOf("https://idp.example")), host);
  const begin = method.routes?.find(({ path }) => path === BEGIN.path);
  const answer = await begin?.handle({
    ...{ requestId: "1", method: "GET", headers: new Headers(), parameters: new Map(), wantsPage: true },
    ...{ query, search: String(query), baseUrl: "http://service.example" },
    client: clientOf(),
    fields: () => Promise.resolve(new Map()),
  });
  assert.ok(answer?.kind === "redirect");
  const [cookie = ""] = answer.cookies ?? [];
  return { searchParams: new URL(answer.to).searchParams, cookie };
}

/** A login that begins anew for each use, because a state counts once. */
async function comeBack(email: string, changes: Readonly<Record<string, string>> = {}) {
  const { searchParams, cookie } = await beginAt(new URLSearchParams("next=/db"));
  const query = {
    state: searchParams.get("state") ?? "",
    code: `${email} ${searchParams.get("code_challenge")}`,
    ...changes,
  };
  return { headers: { Cookie: cookie.split(";", 1)[0] ?? "" }, query };
}

async function attempt(name: string, email: string, changes: Readonly<Record<string, string>> = {}) {
  const { headers, query } = await comeBack(email, changes);
  return { name, headers, route: { ...CALLBACK, query }, secrets: ["hush-hush"] };
}

async function* attempts() {
  yield attempt("another state", "anna@example.com", { state: "guessed" });
  yield attempt("a person who is no user", "eve@example.com");
  yield attempt("a code that the provider refuses", "anna@example.com", { code: "guessed" });
  const { headers: _, ...bare } = await attempt("another browser", "anna@example.com");
  yield Promise.resolve(bare);
}

await testAuth("oauth2", () => oauth2, {
  section: sectionOf("https://idp.example"),
  host,
  accepted: [{
    name: "a code of the provider",
    login: "anna",
    route: CALLBACK,
    secrets: ["hush-hush"],
    renew: async () => {
      const { headers, query } = await comeBack("anna@example.com");
      return { headers, route: { ...CALLBACK, query } };
    },
  }],
  rejected: await Array.fromAsync(attempts()),
  once: true,
  skip: { "sends nobody to another site after a login": "the destination is in the cookie of the begin" },
});

Deno.test("a browser logs in at a provider with PKCE, and a code counts once", async () => {
  await using provider = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      return answerOf(
        new URL(request.url).pathname,
        await request.text(),
        request.headers.get("authorization"),
      );
    },
  );
  const base = `http://127.0.0.1:${provider.addr.port}`;
  const section = { ...sectionOf(base), logout_url: `${base}/logout?all` };
  await using service = await startService({
    files: {
      "config/service.ini": `[service]\nplugins_path = ${EXAMPLES}\nsso.allow_private_addresses = True\n`,
      "config/auth.cfg": `authentication_policies:\n  oauth2: ${
        JSON.stringify({ enabled: true, priority: 1, ...section })
      }\n  cookie: {enabled: true, priority: 2}\n`,
      "config/users.cfg": "public: {}\nadmin: {}\nanna: {email: anna@example.com, databases: {Demo: {}}}\n",
    },
  });
  const begun = await service.fetch(`${BEGIN.path}?next=https://evil.example`, {
    headers: { Accept: "text/html" },
  });
  await begun.body?.cancel();
  const to = new URL(begun.headers.get("location") ?? "");
  assert.equal(to.searchParams.get("code_challenge_method"), "S256");
  const Cookie = begun.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]).join("; ");
  const query = new URLSearchParams({
    state: to.searchParams.get("state") ?? "",
    code: `anna@example.com ${to.searchParams.get("code_challenge")}`,
  });
  const finish = async () => {
    const answer = await service.fetch(`${CALLBACK.path}?${query}`, {
      headers: { Accept: "text/html", Cookie },
    });
    await answer.body?.cancel();
    return answer;
  };
  const done = await finish();
  assert.deepEqual([done.status, done.headers.get("location")], [302, "/"]);
  const session =
    done.headers.getSetCookie().find((cookie) => cookie.startsWith("auth_tkt="))?.split(";", 1)[0] ?? "";
  const settings = await (await service.fetch("/settings.json", { headers: { Cookie: session } })).json();
  assert.equal(settings.user, "anna");
  const again = await finish();
  assert.equal(again.status, 403);
  const left = await service.fetch("/logout", { headers: { Accept: "text/html", Cookie: session } });
  assert.equal(
    left.headers.get("location"),
    `${base}/logout?all=&client_id=rowhouse&logout_hint=anna%40example.com`,
  );
});

Deno.test("after a failure the provider is asked to let the person choose an account", async () => {
  const method = oauth2.setup(typed(oauth2, sectionOf("https://idp.example")), host);
  const [first] = method.buttons?.({ next: "/db" }) ?? [];
  assert.equal(first?.href, "/sso/oauth2/begin?next=%2Fdb");
  const [again] = method.buttons?.({ next: "/db", afterFailure: true }) ?? [];
  const { searchParams } = new URL(again?.href ?? "", "http://service.example");
  assert.equal((await beginAt(searchParams)).searchParams.get("prompt"), "select_account");
});
