/** @module The files of docs/deployment/, each run by the program that reads it. */

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { request } from "node:https";
import { parse } from "yaml";
import { parseCommand } from "@/config/command_line.ts";
import { makeIdentity } from "@/tests/api/auth/saml/certificate.ts";
import { NO_NGINX, startNginx } from "@/tests/support/nginx.ts";
import { startProcess } from "@/tests/support/process.ts";
import { findProgram, freePort, run } from "@/tests/support/servers/programs.ts";
import { ROOT } from "@/tests/support/root.ts";
import { fetchInTime, inTime, until } from "@/tests/support/until.ts";

const FOLDER = join(ROOT, "docs", "deployment");
const textOf = (name: string) => Deno.readTextFile(join(FOLDER, name));
const isMissing = (program: string) => findProgram(program) === undefined;

/** A request to nginx with its own certificate: status, headers and body. */
function ask(port: number, method: string, path: string, body = "") {
  const answer = Promise.withResolvers<readonly [number, string, string]>();
  const headers = { "Content-Type": "application/json" };
  const sent = request({ port, method, path, headers, rejectUnauthorized: false, agent: false }, (got) => {
    let text = "";
    got.setEncoding("utf8").on("data", (piece: string) => text += piece);
    got.on("end", () => answer.resolve([got.statusCode ?? 0, String(got.headers["set-cookie"]), text]));
  });
  sent.on("error", answer.reject).end(body);
  return inTime(answer.promise, "An answer of nginx");
}

Deno.test({
  name: "nginx.conf: TLS, the address and the scheme of the client, slow logins, no probes",
  ignore: NO_NGINX !== undefined,
  async fn() {
    const settings = "[service]\ntrusted_proxies = 127.0.0.1\nlogin_throttle.burst = 1000\n";
    const users = "admin: {password: harbour-lights-93}\npublic: {databases: {Demo: {}}}\n";
    await using service = await startProcess({
      files: { "config/service.ini": settings, "config/users.cfg": users },
      isAdministered: true,
    });
    const { privateKey, certificate } = await makeIdentity("rowhouse.example");
    const key = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    const lines = certificate.replace(/.{64}/g, "$&\n");
    const pem = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
    await using proxy = await startNginx({ nodes: [service.port], tls: { key, certificate: pem } });
    const statuses = async (method: string, path: string, body?: string) =>
      (await ask(proxy.port, method, path, body))[0];

    const login = JSON.stringify({ login: "admin", password: "harbour-lights-93" });
    const [status, cookies] = await ask(proxy.port, "POST", "/login", login);
    assert.equal(status, 200);
    assert.match(cookies, /^__Host-auth_tkt=.*; Secure/);
    assert.equal(await statuses("GET", "/db/Demo/Port.json?limit=1"), 200);
    assert.equal(await statuses("GET", `/db/Demo/Port/Name/${"x".repeat(7000)}.html`), 302);
    for (const path of ["/metrics", "/healthz", "/readyz"]) assert.equal(await statuses("GET", path), 404);
    assert.equal(await statuses("POST", "/db/Demo/Port.json", "x".repeat(11_000_000)), 413);
    const wrong = JSON.stringify({ login: "admin", password: "wrong" });
    const attempts = await Promise.all(
      Array.from({ length: 12 }, async () => await statuses("POST", "/login", wrong)),
    );
    assert.equal(attempts.filter((each) => each === 429).length, 2);
    assert.equal(await statuses("GET", "/login"), 200);
  },
});

Deno.test({
  name: "the locations below a path pass it on as it was sent",
  ignore: NO_NGINX !== undefined,
  async fn() {
    const text = await Deno.readTextFile(join(ROOT, "docs", "operations.md"));
    const [, locations = ""] = /^```nginx\n([^]*?)^```$/m.exec(text) ?? [];
    await using service = await startProcess({ args: ["--base-url", "https://example.com/api"] });
    await using proxy = await startNginx({ nodes: [service.port], locations });
    const ask = (path: string, init?: RequestInit) =>
      fetchInTime(`http://127.0.0.1:${proxy.port}${path}`, init);
    const [database] = await (await ask("/api/db.json")).json();
    assert.equal(database.__href, "/api/db/Demo.json");
    // Decoded, it would be a path with another segment, and 404.
    assert.deepEqual(await (await ask("/api/db/Demo/Port/Name/A%2FB.json")).json(), []);
    for (const name of ["metrics", "healthz", "readyz"]) assert.ok(!await isOk(await ask(`/api/${name}`)));
    assert.ok(await isOk(await ask("/api/login")));
  },
});

Deno.test({
  name: "nginx closes an idle connection before a service does: a POST on one that is being closed is 502",
  ignore: NO_NGINX !== undefined,
  async fn() {
    await using service = await startProcess({ args: ["--adapter", "node"] });
    const answer = await service.fetch("/healthz");
    await answer.body?.cancel();
    const [, seconds] = /timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "") ?? [];
    using node = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted = node.accept();
    await using proxy = await startNginx({ nodes: [node.addr.port] });
    const asked = fetchInTime(`http://127.0.0.1:${proxy.port}/`);
    using connection = await inTime(accepted, "A connection of nginx");
    const piece = new Uint8Array(4096);
    await connection.read(piece);
    await connection.write(new TextEncoder().encode("HTTP/1.1 204 No Content\r\n\r\n"));
    assert.equal((await asked).status, 204);
    const answered = performance.now();
    assert.equal(await inTime(connection.read(piece), "The end of the connection"), null);
    assert.ok(performance.now() - answered < Number(seconds) * 1000, `${performance.now() - answered} ms`);
  },
});

Deno.test("nginx.conf leads to the port at which rowhouse.service listens", async () => {
  const [, port] = /^ +server 127\.0\.0\.1:(\d+) /m.exec(await textOf("nginx.conf")) ?? [];
  assert.doesNotMatch(await textOf("rowhouse.service"), /--port/);
  const usual = parseCommand([], {});
  assert.equal(Number(port), usual.name === "serve" ? usual.port : undefined);
});

Deno.test({
  name: "rowhouse.service is in order, and stops as the settings say",
  ignore: isMissing("systemd-analyze"),
  async fn() {
    const unit = await textOf("rowhouse.service");
    const directory = await Deno.makeTempDir();
    try {
      const file = join(directory, "rowhouse.service");
      await Deno.writeTextFile(file, unit.replaceAll("/usr/local/bin/deno", Deno.execPath()));
      const { success, stdout, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", "--man=no", file],
      }).output();
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.deepEqual(
        [success, said.split("\n").filter((line) => line.includes(directory))],
        [true, []],
        said,
      );
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
    assert.match(unit, /^KillMode=mixed$/m);
    assert.match(unit, /^LimitNOFILE=65536$/m);
  },
});

Deno.test({
  name: "what the Containerfile copies is all that its command needs",
  ignore: Deno.build.os === "windows",
  async fn() {
    const text = await textOf("Containerfile");
    const command: readonly string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? "[]");
    assert.match(text, new RegExp(`^FROM docker.io/denoland/deno:${Deno.version.deno}$`, "m"));
    const directory = await Deno.makeTempDir();
    const home = join(directory, "data");
    const port = freePort();
    try {
      for (const [, from = ""] of text.matchAll(/^COPY (.+) \S+$/gm)) {
        await run(["cp", "-r", ...from.split(" ").map((path) => join(ROOT, path)), directory]);
      }
      const [, ...args] = command;
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          ...args.slice(0, -1).map((word) => word.replace(/^--allow-(read|write|run)=.*/, "--allow-$1")),
          ...["127.0.0.1", "--port", String(port)],
        ],
        cwd: directory,
        env: { ROWHOUSE_HOME: home, DENO_NO_UPDATE_CHECK: "1" },
        stdout: "null",
        stderr: "null",
      }).spawn();
      await until(() => fetchInTime(`http://127.0.0.1:${port}/healthz`).then(isOk, () => false));
      assert.ok(await isOk(await fetchInTime(`http://127.0.0.1:${port}/db/Demo/Port.json?limit=1`)));
      child.kill("SIGTERM");
      assert.equal((await inTime(child.status, "The end of the service")).code, 0);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

async function isOk(answer: Response): Promise<boolean> {
  await answer.body?.cancel();
  return answer.ok;
}

Deno.test({
  name: "logrotate.conf moves the logs away, and the service goes on in new ones",
  ignore: isMissing("logrotate"),
  async fn() {
    await using service = await startProcess({
      files: { "config/service.ini": "[service]\nlog.requests = all\n" },
    });
    const log = join(service.home, "log", "rowhouse.log");
    const [file, state] = [join(service.home, "logrotate.conf"), join(service.home, "logrotate.state")];
    const text = (await textOf("logrotate.conf")).replaceAll("/var/log/rowhouse", dirname(log))
      .replace("systemctl kill --signal=HUP --kill-whom=main rowhouse.service", `kill -HUP ${service.pid}`)
      .replace("create 0640 rowhouse rowhouse", "create 0640");
    await Deno.writeTextFile(file, text);
    await Deno.chmod(file, 0o600);
    const logrotate = findProgram("logrotate") ?? "";
    await run([logrotate, "--state", state, "-d", file]);
    await isOk(await service.fetch("/version.json"));
    await run([logrotate, "--state", state, "--force", file]);
    await until(async () => {
      await isOk(await service.fetch("/version.txt"));
      return (await Deno.readTextFile(log)).includes("/version.txt");
    });
    assert.match(await Deno.readTextFile(`${log}.1`), /\/version\.json/);
  },
});

Deno.test("alerts.yml names metrics and labels that are there", async () => {
  const rules: readonly { readonly expr: string }[] = parse(await textOf("alerts.yml")).groups[0].rules;
  await using service = await startProcess();
  await isOk(await service.fetch("/db/Demo/Port.json?limit=1"));
  const metrics = await (await service.fetch("/metrics")).text();
  const names = rules.flatMap(({ expr }) => expr.match(/rowhouse_\w+/g) ?? []);
  assert.deepEqual(names.filter((name) => !metrics.includes(`\n# TYPE ${name} `)), []);
  const labelled = rules.flatMap(({ expr }) => [...expr.matchAll(/(rowhouse_\w+)\{(\w+)=/g)]);
  const unknown = labelled.filter(([, name = "", label]) =>
    !new RegExp(`^${name}\\{.*${label}="`, "m").test(metrics)
  );
  assert.deepEqual(unknown.map(([text]) => text), []);
});

Deno.test({
  name: "alerts.yml is in order for Prometheus",
  ignore: isMissing("promtool"),
  fn: async () => void await run(["promtool", "check", "rules", join(FOLDER, "alerts.yml")]),
});
