/**
 * Settings of files, plugins, the server and the databases.
 *
 * @module
 */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makePrivateKey, publicKeyOf, signLicence } from "@/core/identity/licence.ts";
import { RawConnection } from "@/tests/support/raw_request.ts";
import { runMain } from "@/tests/support/process.ts";
import { ROOT } from "@/tests/support/root.ts";
import { until } from "@/tests/support/until.ts";
import { type Effect, jsonOf, statusOf, textOf } from "./effect.ts";

const LICENCE_KEY = makePrivateKey();
const LICENCE = { licensee: "Example Ferries", edition: "enterprise", features: [] };
const NDJSON = Object.fromEntries(["mod.ts", "read.ts"].map((name) => [
  `config/plugins/formats/ndjson/${name}`,
  Deno.readTextFileSync(join(ROOT, "examples", "formats", "ndjson", name)),
]));
const moveTo = (from: string, to: string) => (home: string) =>
  Deno.rename(join(home, "config", from), join(home, "config", to));

/** Settings of the surroundings, a test for each, some about files that the service leaves behind. */
export const SURROUNDINGS: readonly Effect[] = [
  {
    keys: ["log.max_size", "log.kept"],
    title: "put a log aside when it has grown, and keep some",
    ini: ["log.max_size = 1024", "log.kept = 2", "login_throttle.burst = 1000"],
    async check(service) {
      for (let request = 0; request < 60; request++) {
        assert.equal(await statusOf(service, "/db.json", { headers: { apikey: "unknown" } }), 403);
      }
      const logs = [...Deno.readDirSync(join(service.home, "log"))].map(({ name }) => name);
      assert.deepEqual(logs.filter((name) => name.startsWith("rowhouse.log")).toSorted(), [
        "rowhouse.log",
        "rowhouse.log.1",
        "rowhouse.log.2",
        "rowhouse.log.lock",
      ]);
    },
  },
  {
    keys: ["config_format"],
    title: "stops a program that is too old for the files, with one sentence",
    ini: ["config_format = 1"],
    async check({ home }) {
      const ini = join(home, "config", "service.ini");
      await Deno.writeTextFile(ini, "[service]\nconfig_format = 2\nsetting.of.later = x\n");
      for (const command of ["serve", "backup"]) {
        const args = command === "serve" ? ["--port", "0"] : [join(home, "backup")];
        const { code, stderr } = await runMain([command, ...args, "--home", home]);
        const sentence = "The files have format 2, and this version of the program knows formats up to 1: " +
          "use the newer version, or restore the backup that was made before the upgrade";
        assert.deepEqual([code, stderr], [1, `${ini}: config_format: ${sentence}\n`]);
      }
    },
  },
  {
    keys: ["license", "license.public_key"],
    title: "are where the licence is and what it is verified with",
    ini: ["license = own.key", `license.public_key = ${publicKeyOf(LICENCE_KEY)}`],
    start: {
      files: {
        "config/own.key": signLicence({ ...LICENCE, exp: 4_000_000_000 }, LICENCE_KEY),
        "config/users.cfg":
          "public: {databases: {Demo: {}}}\nadmin: {apikey: administrator-0123456789-0123456789}\n",
      },
    },
    async check(service) {
      const headers = { apikey: "administrator-0123456789-0123456789" };
      const answer = await service.fetch("/license.json", { headers });
      const { state, licensee } = await answer.json();
      assert.deepEqual([state, licensee], ["valid", "Example Ferries"]);
      assert.equal(await statusOf(service, "/db.json"), 200);
    },
  },
  {
    keys: ["metrics.public"],
    title: "lets others than this machine read the metrics",
    ini: ["metrics.public = True"],
    async check(service) {
      const through = { headers: { "X-Forwarded-For": "203.0.113.9" } };
      const answer = await service.fetch("/metrics", through);
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /^rowhouse_database_connected\{database="Demo"\} 1$/m);
    },
  },
  {
    keys: ["templates_path"],
    title: "has the frame of all pages",
    ini: ["templates_path = own"],
    start: { files: { "config/own/page.html": "{{ head }}{{ bar }}{{ content }}<p>Imprint</p>" } },
    async check(service) {
      const answer = await service.fetch("/db.html");
      assert.match(await answer.text(), /<\/main>\n<p>Imprint<\/p>$/);
    },
  },
  {
    keys: ["static_path"],
    title: "is served below /static/, to everybody",
    ini: ["static_path = files"],
    start: { files: { "config/files/sub/page.css": "b{}", "config/users.cfg": "admin: {}\n" } },
    async check(service) {
      const answer = await service.fetch("/static/sub/page.css?v=1");
      assert.deepEqual([answer.status, await answer.text()], [200, "b{}"]);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      const missing = await service.fetch("/static/..%2fusers.cfg");
      assert.deepEqual([missing.status, (await missing.json()).http_code], [404, 404]);
      const posted = await service.fetch("/static/sub/page.css", { method: "POST", body: "x" });
      assert.deepEqual([posted.status, (await posted.json()).http_code], [405, 405]);
      assert.equal(posted.headers.get("allow"), "GET, HEAD, OPTIONS");
    },
  },
  {
    keys: ["databases_path"],
    title: "is where the databases are defined",
    ini: ["databases_path = other.cfg"],
    start: {
      files: { "config/other.cfg": "Ferries: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db'}\n" },
      prepare: (home) =>
        Deno.writeTextFile(
          join(home, "config", "users.cfg"),
          "public: {databases: {Ferries: {}, Demo: {}}}\n",
        ),
    },
    async check(service) {
      assert.equal(
        await textOf(service, "/db/db_id.csv").then(() => statusOf(service, "/db/Demo.json")),
        404,
      );
      assert.equal(await textOf(service, "/db/Ferries/Port/PortId/1/Name.json"), '"Bergen"');
    },
  },
  {
    keys: ["users_path"],
    title: "is where the users are defined, and where passwords are written",
    ini: ["users_path = people/users.yml"],
    start: { files: { "config/people/users.yml": "admin: {}\n" } },
    async check(service) {
      assert.equal(await statusOf(service, "/settings.json"), 403, "there is no user public in this file");
      const env = { ROWHOUSE_PASSWORD: "walrus-teapot-meridian-42" };
      assert.equal((await runMain(["set-password", "admin", "--home", service.home], { env })).code, 0);
      const written = await Deno.readTextFile(join(service.home, "config", "people", "users.yml"));
      assert.match(written, /argon2id/);
    },
  },
  {
    keys: ["querydefs_path"],
    title: "is where the saved queries are defined",
    ini: ["querydefs_path = queries.yml"],
    start: { files: { "config/queries.yml": "years: {database: Dmeo, sqlstr: SELECT 1}\n" } },
    async check({ home }) {
      const { stdout } = await runMain(["check", "--home", home]);
      assert.equal(stdout.startsWith(`warning: ${home}/config/queries.yml: years.database: `), true);
    },
  },
  {
    keys: ["initial_state_path"],
    title: "is the file that ends with the first run",
    ini: ["initial_state_path = first-run"],
    start: { prepare: moveTo("regular-initial", "first-run") },
    async check({ home }) {
      const env = { ROWHOUSE_PASSWORD: "walrus-teapot-meridian-42" };
      assert.equal(existsSync(join(home, "config", "first-run")), true);
      assert.equal((await runMain(["set-password", "admin", "--home", home], { env })).code, 0);
      assert.equal(existsSync(join(home, "config", "first-run")), false);
    },
  },
  {
    keys: ["plugins_path", "<format>_sdb.<key>, <dialect>.<key>", "formats"],
    title: "bring a third-party format with its own settings",
    ini: ["plugins_path = plugins", "formats = json,ndjson", "ndjson_sdb.href = False"],
    start: { files: NDJSON },
    async check(service) {
      assert.equal(
        await textOf(service, "/db/Demo/Country/CountryCode/NO.ndjson"),
        '{"CountryCode":"NO","Name":"Norway","LocalName":"Norge","Currency":"NOK"}\n',
      );
    },
  },
  {
    keys: ["server.plugin_timeout"],
    title: "ends the wait for an authentication method that does not answer",
    ini: ["plugins_path = plugins", "server.plugin_timeout = 1"],
    start: {
      files: {
        "config/plugins/auth/odd/mod.ts":
          'export default { contract: 1, kind: "auth", name: "odd", setup: () => ({ authenticate: () => new Promise(() => {}) }) };\n',
        "config/auth.cfg": "authentication_policies:\n  odd: {enabled: true, priority: 1}\n",
      },
    },
    async check(service) {
      const answer = await service.fetch("/db.json");
      assert.equal(answer.status, 503);
      assert.match(await answer.text(), /part of the service takes too long/);
      assert.match(await service.log(), /method "odd" in authenticate\(\) has not answered in time/);
      assert.equal(await statusOf(service, "/healthz"), 200);
    },
  },
  {
    keys: ["formats"],
    title: "are the only ones there are",
    ini: ["formats = xml,txt"],
    async check(service) {
      assert.equal(await statusOf(service, "/db.csv"), 404);
      assert.equal(await statusOf(service, "/db", { headers: { Accept: "text/csv" } }), 406);
      assert.equal(await statusOf(service, "/db", { headers: { Accept: "application/xml" } }), 200);
      const fallback = await service.fetch("/db");
      assert.equal(fallback.headers.get("content-type"), "text/xml; charset=utf-8");
      await fallback.body?.cancel();
    },
  },
  {
    keys: ["formats"],
    title: "have a warning where pages have no format for their forms",
    ini: ["formats = html,xml"],
    async check(service) {
      assert.match(
        await service.log(),
        /service\.ini: formats: Has no json, as which pages send their forms/,
      );
    },
  },
  {
    keys: ["server.adapter"],
    title: "is the HTTP server",
    ini: ["server.adapter = node"],
    async check(service) {
      const { headers } = await service.fetch("/healthz", { method: "HEAD" });
      assert.equal(
        headers.has("keep-alive"),
        true,
        "only Node's server tells how long it keeps a connection",
      );
    },
  },
  {
    keys: ["server.max_connections"],
    title: "is the number of connections beyond which a new one is closed",
    ini: ["server.adapter = node", "server.max_connections = 2"],
    async check({ port }) {
      const request = { target: "/healthz" };
      using first = await RawConnection.open(port);
      using second = await RawConnection.open(port);
      using third = await RawConnection.open(port);
      assert.equal((await first.send(request)).status, 200);
      assert.equal((await second.send(request)).status, 200);
      await assert.rejects(third.send(request));
    },
  },
  {
    keys: ["server.answer_memory"],
    title: "is what built answers take up, a quarter of it for one address",
    ini: ["server.answer_memory = 1048576"],
    async check(service) {
      assert.equal(await statusOf(service, "/db/Demo/Ticket.json?limit=200"), 200);
      const large = await service.fetch("/db/Demo/Ticket.json?limit=2000");
      assert.equal(large.status, 400);
      assert.match(await large.text(), /The answer is too large to be built at once/);
      assert.equal(await statusOf(service, "/db/Demo/Ticket.json?limit=2000&stream"), 200);
    },
  },
  {
    keys: ["server.body_memory"],
    title: "is what bodies of requests take up, a quarter of it for one address",
    ini: ["server.body_memory = 1048576"],
    start: {
      files: {
        "config/users.cfg": "public: {databases: {Demo: {access: {Port: [read, create]}}}}\n",
      },
    },
    async check(service) {
      const body = "x".repeat(400_000);
      const request = { method: "POST", headers: { "Content-Type": "application/json" }, body };
      const send = () => service.fetch("/db/Demo/Port.json", request);
      const first = await send();
      assert.equal(first.status, 400, await first.text());
      const head =
        "POST /db/Demo/Port.json HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
      const half = new TextEncoder().encode(`${head}Content-Length: 800000\r\n\r\n${body}`);
      const isRefused = async () => await statusOf(service, "/db/Demo/Port.json", request) === 503;
      const connection = await holdRoom(service.port, half, isRefused);
      const refused = await send();
      assert.equal(refused.headers.get("retry-after"), "10");
      assert.match(await refused.text(), /too many others are being read/);
      assert.equal(await statusOf(service, "/db/Demo/Port.json", { ...request, body: "x" }), 400);
      connection.close();
      await until(async () => await statusOf(service, "/db/Demo/Port.json", request) === 400);
    },
  },
  {
    keys: ["orm_sdb.use_automap"],
    title: "leaves only the relations that databases.cfg names",
    ini: ["orm_sdb.use_automap = False"],
    start: {
      files: {
        "config/databases.cfg": [
          "Demo:",
          "  db_type: sqlite",
          "  db_name: ${ROWHOUSE_STATE}/demo.db",
          "  foreign_keys:",
          "    Vessel: [{columns: [HomePortId], table: Port, references: [PortId]}]",
          "",
        ].join("\n"),
      },
    },
    async check(service) {
      const vessel = await jsonOf(service, "/db/Demo/Vessel/VesselId/1.json");
      const relations = (record: object) =>
        Object.entries(record).filter(([, value]) => typeof value === "object" && value !== null)
          .map(([name]) => name);
      assert.deepEqual(relations(vessel), ["Port"]);
      assert.deepEqual(relations(await jsonOf(service, "/db/Demo/Port/PortId/1.json")), ["Vessel"]);
      assert.deepEqual(relations(await jsonOf(service, "/db/Demo/Route/RouteId/1.json")), []);
    },
  },
  {
    keys: ["orm_sdb.engine_echo"],
    title: "logs the SQL that reads the catalog",
    ini: ["orm_sdb.engine_echo = True"],
    async check(service) {
      assert.match(await service.log(), /INFO .*(sqlite_schema|sqlite_master|pragma_table)/i);
    },
  },
  {
    keys: ["orm_sdb.engine_echo"],
    title: "is off unless it is set",
    ini: [],
    async check(service) {
      assert.doesNotMatch(await service.log(), /sqlite_schema|sqlite_master|pragma_table/i);
    },
  },
  {
    keys: ["db.<db_id>.limit"],
    title: "is the limit that lists of a database get in every format",
    ini: ["db.Demo.limit = 7", "html_limit = 9"],
    async check(service) {
      for (const extension of ["json", "xml", "csv", "txt", "html"]) {
        const answer = await service.fetch(`/db/Demo/Port.${extension}?sort=Name`);
        assert.equal(answer.status, 302, extension);
        assert.equal(answer.headers.get("location"), `/db/Demo/Port.${extension}?sort=Name&limit=7`);
        await answer.body?.cancel();
      }
      assert.equal(await statusOf(service, "/db/Demo/Port.json", { method: "HEAD" }), 302);
      assert.equal(JSON.parse(await textOf(service, "/db/Demo/Port.json?limit=8")).length, 8);
      assert.equal(await statusOf(service, "/db/Demo/Port/PortId/1.json"), 200);
      assert.equal(await statusOf(service, "/db/Demo.json"), 200);
    },
  },
  {
    keys: ["db.<db_id>.limit"],
    title: "gives way to the limit in databases.cfg",
    ini: ["db.Demo.limit = 7"],
    start: {
      files: {
        "config/databases.cfg": "Demo: {db_type: sqlite, db_name: '${ROWHOUSE_STATE}/demo.db', limit: 5}\n",
      },
    },
    async check(service) {
      const answer = await service.fetch("/db/Demo/Port.json");
      assert.equal(answer.headers.get("location"), "/db/Demo/Port.json?limit=5");
      await answer.body?.cancel();
    },
  },
];

/**
 * A connection whose unfinished body takes up the room. Two bodies that come at the same time may both be
 * refused, so it is sent again until two others in a row find no room.
 */
async function holdRoom(
  port: number,
  half: Uint8Array,
  isRefused: () => Promise<boolean>,
): Promise<Deno.Conn> {
  for (;;) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    for (let sent = 0; sent < half.length;) sent += await connection.write(half.subarray(sent));
    let isAnswered = false;
    const end = () => void (isAnswered = true);
    connection.read(new Uint8Array(1)).then(end, end);
    while (!isAnswered) if (await isRefused() && await isRefused()) return connection;
    connection.close();
  }
}
