import assert from "node:assert/strict";
import { join } from "node:path";
import { createOutgoing, isPrivateAddress } from "@/core/login/guarded_fetch.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { START } from "@/tests/support/process.ts";
import { findProgram, run } from "@/tests/support/servers/programs.ts";
import { ROOT } from "@/tests/support/root.ts";
import { until } from "@/tests/support/until.ts";

const open = createOutgoing({ allowPrivate: true });
const strict = createOutgoing({ allowPrivate: false });

/** A server whose answer depends on the path. */
function startServer(handler: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

const PRIVATE = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "ff02::1",
  "fe80::1%eth0",
  "fe80::1%25",
  "::ffff:0:7f00:1",
  "100::1",
  "2001::1",
  "2001:0:7f00:1::",
  "2001:db8::1",
  "3fff::1",
  "5f00::1",
  "192.0.2.1",
  "192.88.99.1",
  "198.51.100.1",
  "203.0.113.1",
  "no address",
  "",
];

for (const address of PRIVATE) {
  Deno.test(`the address ${JSON.stringify(address)} is private`, () => {
    assert.equal(isPrivateAddress(address), true);
  });
}

for (
  const address of [
    "8.8.8.8",
    "172.15.0.1",
    "172.32.0.1",
    "100.128.0.1",
    "2001:4860:4860::8888",
    "2001:4860::1%eth0",
  ]
) {
  Deno.test(`the address ${address} is not private`, () => assert.equal(isPrivateAddress(address), false));
}

const REFUSED: readonly (readonly [url: string, reason: RegExp])[] = [
  ["http://idp.example/", /^Error: "http:\/\/idp\.example" is not asked without TLS/],
  ["https://127.0.0.1/", /^Error: "127\.0\.0\.1" has a private address/],
  ["https://[::1]:8443/", /^Error: "::1" has a private address/],
  ["https://2130706433/", /^Error: "127\.0\.0\.1" has a private address/],
  ["https://0x7f.1/", /^Error: "127\.0\.0\.1" has a private address/],
  ["https://localhost/", /^Error: "localhost" has a private address/],
  ["file:///etc/passwd", /^Error: "file:\/\/\/etc\/passwd" is no URL of HTTPS/],
  ["data:application/json,{}", /is no URL of HTTPS/],
  ["nonsense", /is no URL of HTTPS/],
];

for (const [url, reason] of REFUSED) {
  Deno.test(`attack: ${url} is not asked unless private addresses are allowed`, async () => {
    await assert.rejects(strict(url), reason);
  });
}

Deno.test("a request says who sends it, because some servers refuse those that do not", async () => {
  await using server = startServer(({ headers }) => new Response(headers.get("user-agent")));
  assert.equal(await (await open(server.url)).text(), "Rowhouse");
  const own = { headers: { "User-Agent": "own" } };
  assert.equal(await (await open(server.url, own)).text(), "own");
});

Deno.test("an answer comes with status, headers and body, and redirects are followed", async () => {
  await using server = startServer(({ url }) =>
    url.endsWith("/a")
      ? new Response(null, { status: 302, headers: { Location: "/b?c" } })
      : new Response(`at ${new URL(url).pathname}`, { status: 418, headers: { "X-Answer": "yes" } })
  );
  const answer = await open(`${server.url}/a`);
  assert.deepEqual([answer.status, answer.headers.get("x-answer"), await answer.text()], [
    418,
    "yes",
    "at /b",
  ]);
});

Deno.test("attack: a redirect to what is no web server is not followed", async () => {
  await using server = startServer(() =>
    new Response(null, { status: 302, headers: { Location: "file:///etc/passwd" } })
  );
  await assert.rejects(open(server.url), /"file:\/\/\/etc\/passwd" is no URL of HTTPS/);
});

Deno.test("attack: redirects without end are not followed", async () => {
  let asked = 0;
  await using server = startServer(() => {
    asked++;
    return new Response(null, { status: 307, headers: { Location: "/" } });
  });
  await assert.rejects(open(server.url), /^Error: It redirects more than 3 times$/);
  assert.equal(asked, 4);
});

Deno.test("a POST sends its body, and is never redirected", async () => {
  await using server = startServer(async (request) =>
    new Response(`${request.headers.get("content-type")} ${await request.text()}`, {
      status: 307,
      headers: { Location: "/other" },
    })
  );
  const answer = await open(server.url, { method: "POST", body: "ä=1", headers: { "content-type": "x/y" } });
  assert.deepEqual([answer.status, await answer.text()], [307, "x/y ä=1"]);
});

Deno.test("attack: an answer of more than a megabyte is given up", async () => {
  let isGivenUp = false;
  await using server = startServer(() => {
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(65_536));
    return new Response(new ReadableStream({ pull, cancel: () => void (isGivenUp = true) }));
  });
  await assert.rejects(open(server.url), /^Error: The answer has more than 1048576 bytes$/);
  await until(() => isGivenUp);
});

Deno.test("attack: an answer that never comes, or never ends, is given up after a while", async () => {
  await using server = startServer(({ url }) =>
    url.endsWith("/silent")
      ? new Promise<Response>((resolve) => setTimeout(() => resolve(new Response()), 300))
      : new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
  );
  const hasty = createOutgoing({ allowPrivate: true, timeout: 50 });
  await assert.rejects(hasty(`${server.url}/silent`), /^Error: It takes too long$/);
  await assert.rejects(hasty(`${server.url}/endless`), /^Error: It takes too long$/);
});

Deno.test("a request ends when its caller gives it up", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { promise: late, resolve: answerLate } = Promise.withResolvers<Response>();
  await using server = startServer(() => {
    resolve();
    return late;
  });
  const controller = new AbortController();
  const answer = open(server.url, { signal: controller.signal });
  await asked;
  controller.abort(new Error("The service ends"));
  await assert.rejects(answer, /^Error: The service ends$/);
  answerLate(new Response());
  await assert.rejects(open(server.url, { signal: controller.signal }), /^Error: The service ends$/);
});

const OPENSSL = findProgram("openssl");

/** A server with TLS, whose certificate is for itself. */
async function startSecure(directory: string, handler: (request: Request) => Response) {
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const args = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost".split(" ");
  const names = ["-addext", "subjectAltName=IP:127.0.0.1"];
  await run([OPENSSL ?? "", ...args, ...names, "-keyout", key, "-out", cert]);
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    key: await Deno.readTextFile(key),
    cert: await Deno.readTextFile(cert),
    onListen: () => {},
  }, handler);
  return {
    cert,
    port: server.addr.port,
    url: `https://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

Deno.test({
  name: "attack: a server whose certificate nobody vouches for is not asked",
  ignore: OPENSSL === undefined,
  async fn() {
    using directory = new TestDirectory();
    let asked = 0;
    await using server = await startSecure(directory.path, () => new Response(`${asked++}`));
    await assert.rejects(open(`${server.url}/`), /self-signed certificate/);
    assert.equal(asked, 0);
  },
});

/** Redirects of a public server, and their results. Only 127.0.0.1 counts as public here. */
const REDIRECTS = [
  ["https://127.0.0.2:PORT/", '"127.0.0.2" has a private address'],
  ["http://127.0.0.1:PORT/", '"http://127.0.0.1:PORT" is not asked without TLS'],
  ["/public", "public"],
] as const;

/**
 * Sends a request with the server's certificate as a trusted one, and the permissions of a service; returns
 * the outcome.
 */
async function askTrusting(url: string, cert: string): Promise<string> {
  const script = `
    import { createOutgoing } from "${new URL("../../../../core/login/guarded_fetch.ts", import.meta.url)}";
    const ask = createOutgoing({ allowPrivate: false, isPrivate: (address) => address !== "127.0.0.1" });
    console.log(await ask("${url}").then((answer) => answer.text(), (error) => error.message));
  `;
  const file = `${cert}.ts`;
  await Deno.writeTextFile(file, script);
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--cached-only", "--config", join(ROOT, "deno.json"), ...START, file],
    env: { NODE_EXTRA_CA_CERTS: cert, NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stdout) || new TextDecoder().decode(stderr);
}

Deno.test({
  name: "attack: a redirect of a public server to a private address is not followed",
  ignore: OPENSSL === undefined,
  async fn() {
    using directory = new TestDirectory();
    const asked: string[] = [];
    let location = "";
    await using server = await startSecure(directory.path, ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      return pathname === "/begin"
        ? new Response(null, { status: 302, headers: { Location: location } })
        : new Response("public");
    });
    for (const [to, said] of REDIRECTS) {
      location = to.replace("PORT", `${server.port}`);
      asked.length = 0;
      const told = await askTrusting(`${server.url}/begin`, server.cert);
      assert.ok(told.startsWith(said.replace("PORT", `${server.port}`)), told);
      assert.deepEqual(asked, said === "public" ? ["/begin", "/public"] : ["/begin"]);
    }
  },
});

Deno.test("a server that is not there is an error in words", async () => {
  await assert.rejects(open("http://127.0.0.1:1/"), /ECONNREFUSED/);
});
