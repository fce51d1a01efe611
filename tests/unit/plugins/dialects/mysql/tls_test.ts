import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@/plugins/contract.ts";
import mysql from "@/plugins/dialects/mysql/mod.ts";
import { Keeper } from "@/tests/support/servers/keeper.ts";
import {
  asServerUser,
  findProgram,
  freePort,
  makeServerDirectory,
  run,
} from "@/tests/support/servers/programs.ts";
import { definitionOf } from "./fixture.ts";
import { hostOf, POOL } from "@/tests/support/databases/plain_definition.ts";
import { rowsOf } from "./statements.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const missing = ["openssl", "mariadb", "mariadbd", "mariadb-install-db"].find((name) => !findProgram(name));

const LOGIN = { dbuser: "ann", dbpass: "pass word" };
const INIT = `CREATE DATABASE sealed;
CREATE USER ann@'%' IDENTIFIED BY 'pass word' REQUIRE SSL;
GRANT ALL ON sealed.* TO ann@'%';
INSTALL SONAME 'auth_ed25519';
CREATE USER ed@'%' IDENTIFIED VIA ed25519 USING PASSWORD('pass word');
`;

/** A server with its own authority that accepts encrypted logins only. */
class SealedServer implements AsyncDisposable {
  readonly directory = join(tmpdir(), `rowhouse-tls-${crypto.randomUUID()}`);
  readonly #port = freePort();
  #keeper: Keeper | undefined;

  async start(): Promise<void> {
    await makeServerDirectory(this.directory);
    await Deno.writeTextFile(this.#at("init.sql"), INIT);
    await openssl(`req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=Authority
      -keyout ${this.#at("ca.key")} -out ${this.#at("ca.pem")}`);
    await this.#certify("localhost");
    const install = [
      findProgram("mariadb-install-db") ?? "",
      "--no-defaults",
      `--datadir=${this.#at("data")}`,
    ];
    await run(asServerUser([...install, "--auth-root-authentication-method=normal", "--skip-test-db"]));
    this.#keeper = new Keeper({ directory: this.directory, signal: "KILL", command: this.#command() });
    await this.#keeper.tell("start");
  }

  /** From now on the server says that this is its name. */
  async rename(name: string): Promise<void> {
    await this.#certify(name);
    await run([
      findProgram("mariadb") ?? "",
      "--no-defaults",
      "-u",
      "root",
      "-S",
      this.#at("socket"),
      "-e",
      "FLUSH SSL",
    ]);
  }

  connect(host: string, ssl: unknown, login = LOGIN): Promise<Database> {
    const dialect = mysql.setup({}, { ...hostOf(), directory: this.directory });
    const definition = { ...definitionOf({ host, port: this.#port }, "sealed"), pool: POOL, ssl };
    return dialect.connect(definition, login, { signal: NEVER });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keeper?.[Symbol.asyncDispose]();
  }

  #at(name: string): string {
    return join(this.directory, name);
  }

  async #certify(name: string): Promise<void> {
    await Deno.writeTextFile(this.#at("names"), `subjectAltName=DNS:${name}`);
    await openssl(`req -newkey rsa:2048 -nodes -subj /CN=server
      -keyout ${this.#at("key.pem")} -out ${this.#at("request.pem")}`);
    await openssl(
      `x509 -req -days 2 -in ${this.#at("request.pem")} -CA ${this.#at("ca.pem")} -CAkey ${this.#at("ca.key")}
      -CAcreateserial -extfile ${this.#at("names")} -out ${this.#at("cert.pem")}`,
    );
    await Deno.chmod(this.#at("key.pem"), 0o644);
  }

  #command(): readonly string[] {
    const at = (name: string) => this.#at(name);
    return [
      ...[findProgram("mariadbd") ?? "", "--no-defaults", "--bind-address=127.0.0.1", `--port=${this.#port}`],
      ...[`--datadir=${at("data")}`, `--socket=${at("socket")}`, `--pid-file=${at("pid")}`],
      ...[`--ssl-ca=${at("ca.pem")}`, `--ssl-cert=${at("cert.pem")}`, `--ssl-key=${at("key.pem")}`],
      ...[`--init-file=${at("init.sql")}`, "--skip-name-resolve", "--skip-log-bin"],
    ];
  }
}

async function openssl(args: string): Promise<void> {
  await run(["openssl", ...args.split(/\s+/)]);
}

Deno.test({
  name: `mysql: what is encrypted is so only with the server that was meant${
    missing ? ` (${missing} is not installed)` : ""
  }`,
  ignore: missing !== undefined,
  async fn() {
    await using server = new SealedServer();
    await server.start();
    await untilThere(() => server.connect("localhost", { ca: "ca.pem" }));
    await assertSealed(server, "localhost", { ca: "ca.pem" });
    await assertSealed(server, "127.0.0.1", { ca: "ca.pem", verifyIdentity: false });
    await assertSealed(server, "127.0.0.1", { rejectUnauthorized: false });
    await assert.rejects(server.connect("localhost", undefined), /Cannot connect: Access denied/);
    await assert.rejects(server.connect("localhost", true), /Cannot connect: .*self-signed certificate/);
    await assert.rejects(server.connect("127.0.0.1", { ca: "ca.pem" }), /give the name as db_host/);
    await assert.rejects(server.connect("localhost", { ca: "ca.pem" }, { ...LOGIN, dbuser: "ed" }), {
      failure: "login",
      message:
        "Cannot connect: the login uses client_ed25519; only mysql_native_password, caching_sha2_password and sha256_password are supported",
    });

    await server.rename("db.example");
    await assert.rejects(server.connect("localhost", { ca: "ca.pem" }), /Cannot connect: .*does not match/);
    await assertSealed(server, "localhost", { ca: "ca.pem", verifyIdentity: false });
  },
});

async function assertSealed(server: SealedServer, host: string, ssl: unknown): Promise<void> {
  await using database = await server.connect(host, ssl);
  const rows = await rowsOf(database, "SHOW SESSION STATUS LIKE 'Ssl_cipher'", ["text", "text"]);
  assert.match(String(rows[0]?.[1]), /^TLS_/);
}

async function untilThere(connect: () => Promise<AsyncDisposable>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (true) {
    try {
      await (await connect())[Symbol.asyncDispose]();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
