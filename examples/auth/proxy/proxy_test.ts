import assert from "node:assert/strict";
import { testAuth } from "@/tests/conformance/auth.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { startService } from "@/tests/support/service.ts";
import proxy from "./mod.ts";

const SECRET = "uUqfXKrnCYRQqTmbXYHGcQ";
const host = hostOf({ users: [userOf("anna")] });
const attempt = (name: string, user: string, secret: string) => ({
  name,
  headers: { "X-Remote-User": user, "X-Proxy-Secret": secret },
  secrets: [secret],
});

testAuth("proxy", () => proxy, {
  section: { secret: SECRET },
  host,
  accepted: [{ ...attempt("a login of the proxy", "anna", SECRET), login: "anna" }],
  rejected: [
    attempt("a login with another secret", "anna", `${SECRET}x`),
    attempt("a login that is not there", "nobody-here", SECRET),
    { name: "a login of a client", headers: { "X-Remote-User": "anna" }, secrets: [] },
  ],
});

Deno.test("a request that the proxy has not authenticated has no credentials", () => {
  const method = proxy.setup({ secret: SECRET }, host);
  const client = { address: "192.0.2.7", network: "192.0.2.7", isHttps: true };
  for (const headers of [{ "X-Proxy-Secret": SECRET }, { "X-Proxy-Secret": SECRET, "X-Remote-User": "" }]) {
    const request = { method: "GET", headers: new Headers(headers), credentials: new Map(), client };
    assert.deepEqual(method.authenticate(request), { outcome: "absent" });
  }
});

for (
  const [section, message] of [
    [{}, /^Error: secret must be a text of at least 22 random characters$/],
    [{ secret: "short" }, /^Error: secret must be/],
    [{ secret: SECRET, header: "X Remote" }, /^Error: header must be the name of a header$/],
  ] as const
) {
  Deno.test(`the setup refuses ${JSON.stringify(section)}`, () => {
    assert.throws(() => proxy.setup(section, host), message);
  });
}

Deno.test("the login of the proxy counts with and without trusted_proxies", async () => {
  for (const trusted of ["", "trusted_proxies = 127.0.0.1\n"]) {
    await using service = await startService({
      files: {
        "config/service.ini": `[service]\nplugins_path = ${
          new URL("../../", import.meta.url).pathname
        }\n${trusted}`,
        "config/auth.cfg":
          `authentication_policies:\n  proxy: {enabled: true, priority: 1, secret: ${SECRET}}\n`,
        "config/users.cfg": "public: {}\nadmin: {}\nanna: {databases: {Demo: {}}}\n",
      },
    });
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const answer = await service.fetch("/db/Demo/Port/PortId/1/Name.json", { headers });
      await answer.body?.cancel();
      return answer.status;
    };
    const forwarded = { "X-Forwarded-For": "198.51.100.4" };
    assert.equal(await ask({ ...forwarded, "X-Remote-User": "anna", "X-Proxy-Secret": SECRET }), 200);
    assert.equal(await ask({ ...forwarded, "X-Remote-User": "anna", "X-Proxy-Secret": "guessed" }), 403);
    assert.equal(await ask({ ...forwarded, "X-Remote-User": "anna" }), 403);
  }
});
