/**
 * @module Two nodes with two workers each behind nginx, with memcached, under load,
 * while parts of it end and begin.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { hashPassword } from "@/core/identity/passwords.ts";
import { tell } from "@/tests/support/figures.ts";
import { HAS_MEMCACHED, startMemcached } from "@/tests/support/memcached.ts";
import { NO_NGINX, startNginx } from "@/tests/support/nginx.ts";
import { serve, type Served } from "@/tests/support/process.ts";
import { freePort } from "@/tests/support/servers/programs.ts";
import { fetchInTime, until } from "@/tests/support/until.ts";
import { assertDurable, Clients, Home } from "@/tests/process/writing/acknowledged.ts";
import { Browsers, UNAVAILABLE } from "./browsers.ts";

const KEY = "administrator-0123456789-0123456789";
const PASSWORD = "harbour-lights-93";
const COST = { memoryCost: 8, timeCost: 1 };
const USERS = (hash: string) =>
  `admin: {apikey: ${KEY}, databases: {Log: {}}}
anna: {password: '${hash}', databases: {Log: {}}}
public: {databases: {Log: {access: {Entry: [read, create], Counter: [read, update]}}}}
`;
const SETTINGS = (cache: string) =>
  `[service]
memcached_server = ${cache}
session.secret = cluster-0123456789-0123456789-0123456789
cookie_reissue_time = 1
argon2.memory_cost = ${COST.memoryCost}
argon2.time_cost = ${COST.timeCost}
trusted_proxies = 127.0.0.1
server.drain = 1
`;
const ENOUGH = 60;

/** A node with a state of its own; the configuration is that of all. */
class Node implements AsyncDisposable {
  readonly port = freePort();
  #served: Served | undefined;

  constructor(readonly home: string, readonly name: string) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const own = ["state", "log"].flatMap((
      kind,
    ) => [`--${kind}-dir`, join(this.home, `${kind}-${this.name}`)]);
    const args = ["--config-dir", join(this.home, "config"), ...own, "--workers", "2"];
    const env = { LOG: join(this.home, "state", "log.db") };
    this.#served = await serve([...args, "--port", String(this.port)], env);
  }

  async stop(signal?: Deno.Signal): Promise<number | undefined> {
    const stopped = await this.#served?.stop(signal);
    this.#served = undefined;
    return stopped?.code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

async function saveQuery(url: string): Promise<void> {
  const definition = { query_id: "entries", database: "Log", sqlstr: "SELECT count(*) AS n FROM Entry" };
  const answer = await fetchInTime(`${url}/querydef.json`, {
    method: "POST",
    headers: { "Content-Type": "application/json", apikey: KEY },
    body: JSON.stringify({ ...definition, execute: ["admin"] }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

async function hasQuery(url: string): Promise<boolean> {
  const answer = await fetchInTime(`${url}/query/entries.json`, { headers: { apikey: KEY } });
  await answer.body?.cancel();
  return answer.status === 200;
}

/** Whether the proxy has sent requests to the node. */
async function hasRequests(url: string): Promise<boolean> {
  const metrics = await (await fetchInTime(`${url}/metrics`)).text();
  return /^rowhouse_requests_total\{route="\/db\/.* [1-9]/m.test(metrics);
}

Deno.test({
  name:
    "two nodes behind nginx lose no acknowledged write and no session while one is killed, memcached is " +
    "restarted, the configuration changes and both are restarted",
  ignore: NO_NGINX !== undefined || !HAS_MEMCACHED || Deno.build.os !== "linux",
  async fn(t) {
    await using home = await Home.make();
    const memory = `/dev/shm/rowhouse-test-${crypto.randomUUID()}`;
    await using cache = await startMemcached("127.0.0.1", memory);
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(async () => {
      await cache.stop();
      for (const end of ["", ".meta"]) await Deno.remove(memory + end).catch(() => {});
    });
    const configuration = join(home.directory, "config");
    await Deno.remove(join(configuration, "regular-initial"));
    await Deno.writeTextFile(join(configuration, "users.cfg"), USERS(await hashPassword(PASSWORD, COST)));
    await Deno.writeTextFile(join(configuration, "service.ini"), SETTINGS(cache.address));
    await Deno.writeTextFile(
      join(configuration, "databases.cfg"),
      "Log: {db_type: sqlite, db_name: '${LOG}'}\n",
    );
    await using first = new Node(home.directory, "1");
    await using second = new Node(home.directory, "2");
    await first.start();
    await second.start();
    await using proxy = await startNginx({ nodes: [first.port, second.port] });
    const url = `http://127.0.0.1:${proxy.port}`;
    const clients = new Clients(0, [...UNAVAILABLE, 507]);
    const browsers = new Browsers(url, "/db/Log/Step.json?limit=1");
    await browsers.logIn(4, { login: "anna", password: PASSWORD });
    clients.start(url);
    browsers.start();
    const began = performance.now();
    const goesOn = () => Promise.all([clients.untilMore(ENOUGH), browsers.untilMore(ENOUGH)]);

    await goesOn();
    await first.stop("SIGKILL");
    await goesOn();
    await first.start();
    await goesOn();
    await cache.restart();
    await goesOn();
    await saveQuery(url);
    for (const node of [first, second]) await until(() => hasQuery(node.url));
    await goesOn();
    for (const node of [first, second]) {
      assert.equal(await node.stop(), 0);
      await goesOn();
      await node.start();
      await until(() => hasRequests(node.url));
    }
    await clients.stop();
    await browsers.stop();
    const seconds = Math.round((performance.now() - began) / 1000);
    assertDurable(home, clients);
    await tell(
      t,
      `${seconds} seconds: ${clients.texts.length} records acknowledged, ${browsers.answers} reads answered, ` +
        `${clients.refused} writes and ${browsers.refused} reads refused`,
    );
  },
});
