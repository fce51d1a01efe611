import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { startService, type TestService } from "@/tests/support/service.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { pluginFolder } from "@/tests/support/plugin_folder.ts";
import { statusOf } from "@/tests/support/status_of.ts";

/**
 * A method that believes the login of whoever knows the digest of the body;
 * `careless` does not even wait for it.
 */
const PLUGIN = `
let kept;
export default { contract: 2, kind: "auth", name: "digests", setup: (section, host) => ({
  async authenticate(request) {
    const { headers, method, target, client } = request;
    const login = headers.get("x-login");
    if (login === null) return { outcome: "absent" };
    host.log.info([method, target, client.address, client.peer.address, client.peer.isTrustedProxy].join(" "));
    if (headers.has("x-late")) {
      const reason = await kept.digest("sha-256").then(() => "it was read", (error) => error.message);
      return { outcome: "rejected", reason };
    }
    kept = request;
    if (headers.has("x-careless")) {
      request.digest("sha-256").catch(() => {});
      return { outcome: "accepted", user: host.findUser(login) };
    }
    const algorithm = headers.get("x-algorithm") ?? "sha-256";
    const digest = await request.digest(algorithm);
    if (headers.has("x-endless")) await new Promise(() => {});
    return digest.toBase64() === headers.get("x-digest")
      ? { outcome: "accepted", user: host.findUser(login) }
      : { outcome: "rejected", reason: "another digest", login };
  },
}) };
`;

async function withService(work: (service: TestService) => Promise<void>, settings = ""): Promise<void> {
  for (const adapter of ["deno", "node"]) {
    using folder = pluginFolder({ "auth/digests/mod.ts": PLUGIN });
    await using service = await startService({
      args: ["--adapter", adapter],
      files: {
        "config/service.ini":
          `[service]\nplugins_path = ${folder.path}\nmax_body_size = 100000\nlogin_throttle.burst = 3\n${settings}`,
        "config/auth.cfg": "authentication_policies:\n  digests: {enabled: true, priority: 1}\n",
        "config/users.cfg": "admin: {databases: {Demo: {}}}\npublic: {databases: {Demo: {}}}\n",
      },
    });
    await work(service);
  }
}

const digestOf = (body: string, algorithm = "sha256") => createHash(algorithm).update(body).digest("base64");

function send(
  service: TestService,
  body: string | ReadableStream,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return service.fetch("/db/Demo/Amenity.json", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body,
  });
}

const bodyOf = (id: number, padding = 0) =>
  JSON.stringify({ AmenityId: id, Name: `number ${id}` }) + " ".repeat(padding);

Deno.test("a body whose digest was asked for is written as any other, and a wrong digest is 403", async () => {
  await withService(async (service) => {
    const admin = { "X-Login": "admin" };
    const [first, second] = [bodyOf(900), bodyOf(901, 90_000)];
    assert.equal(await statusOf(send(service, first, { ...admin, "X-Digest": digestOf(first) })), 201);
    const longer = { "X-Algorithm": "sha-512", "X-Digest": digestOf(second, "sha512") };
    assert.equal(await statusOf(send(service, second, { ...admin, ...longer })), 201);
    assert.equal(await statusOf(send(service, first, { ...admin, "X-Digest": digestOf(second) })), 403);
    const read = { headers: { ...admin, "X-Digest": digestOf("") } };
    const answer = await service.fetch("/db/Demo/Amenity/AmenityId/901/Name.json", read);
    assert.deepEqual([answer.status, await answer.text()], [200, '"number 901"']);
  });
});

Deno.test("attack: a body above max_body_size is 413 while it comes, whatever the method makes of it", async () => {
  await withService(async (service) => {
    await Promise.all([{}, { "X-Careless": "yes" }].map(async (careless) => {
      let isAnswered = false;
      const endless = new ReadableStream({
        async pull(controller) {
          // Without a rest the sender fills its connection until the service cuts it off.
          await new Promise((resolve) => setTimeout(resolve, 5));
          // The end of the service waits for bodies on their way.
          if (isAnswered) controller.close();
          else controller.enqueue(new TextEncoder().encode(" ".repeat(16_384)));
        },
      });
      assert.equal(await statusOf(send(service, endless, { "X-Login": "admin", ...careless })), 413);
      isAnswered = true;
    }));
    assert.equal(
      await statusOf(send(service, bodyOf(900), { "X-Login": "admin", "X-Careless": "yes" })),
      201,
    );
  });
});

Deno.test("attack: a network with too many wrong credentials gets no body read", async () => {
  await withService(async (service) => {
    const guess = () => statusOf(send(service, bodyOf(900), { "X-Login": "admin", "X-Digest": "guessed" }));
    assert.deepEqual([await guess(), await guess(), await guess()], [403, 403, 403]);
    assert.equal(await guess(), 429);
    const body = bodyOf(900);
    assert.equal(
      await statusOf(send(service, body, { "X-Login": "admin", "X-Digest": digestOf(body) })),
      429,
    );
    assert.equal(await statusOf(service.fetch("/db.json")), 200, "requests without credentials go on");
  });
});

Deno.test("a sender who takes longer than a plugin may is waited for, and then the plugin has its time", async () => {
  await withService(async ({ port }) => {
    const body = bodyOf(900);
    const right = { "Content-Type": "application/json", "X-Login": "admin", "X-Digest": digestOf(body) };
    const slowly = (headers: Readonly<Record<string, string>>) =>
      sendRaw(port, {
        method: "POST",
        target: "/db/Demo/Amenity.json",
        headers,
        body,
        beforeBody: () => new Promise((resolve) => setTimeout(resolve, 1500)),
      });
    const answers = await Promise.all([right, { ...right, "X-Endless": "yes" }].map(slowly));
    assert.deepEqual(answers.map(({ status }) => status), [201, 503]);
  }, "server.plugin_timeout = 1\n");
});

Deno.test("a request that is answered has no body any more", async () => {
  await withService(async (service) => {
    const body = bodyOf(900);
    assert.equal(
      await statusOf(send(service, body, { "X-Login": "admin", "X-Digest": digestOf(body) })),
      201,
    );
    assert.equal(
      await statusOf(service.fetch("/db.json", { headers: { "X-Login": "x", "X-Late": "x" } })),
      403,
    );
    assert.match(await service.log(), /rejected: The request is answered: there is no body to read/);
  });
});

Deno.test("methods see the address as sent, the client, and the end of the connection", async () => {
  for (
    const [trusted, seen] of [["", "127.0.0.1 127.0.0.1 false"], ["127.0.0.1", "198.51.100.4 127.0.0.1 true"]]
  ) {
    await withService(async ({ port, log }) => {
      const target = "/db/Demo/P%6Frt.json?limit=%31";
      const headers = { "X-Login": "x", "X-Digest": "x", "X-Forwarded-For": "198.51.100.4" };
      await sendRaw(port, { target, headers });
      assert.ok((await log()).includes(`GET ${target} ${seen}`), await log());
    }, `trusted_proxies = ${trusted}\n`);
  }
});
