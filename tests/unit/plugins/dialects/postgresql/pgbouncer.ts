/**
 * A PgBouncer that assigns connections for one transaction.
 *
 * @module
 */

import { join } from "node:path";
import type { Address } from "@/tests/support/servers/mod.ts";
import { asServerUser, findProgram, freePort } from "@/tests/support/servers/programs.ts";

/** A pooler that runs; disposing ends it. */
export interface Bouncer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/** The reason why it is unavailable; undefined if it is available. */
export function whyNoBouncer(): string | undefined {
  return findProgram("pgbouncer") ? undefined : "pgbouncer is not installed";
}

/** Starts one in front of a server; `poolSize` connections are all that its clients share. */
export async function startBouncer(server: Address, poolSize: number): Promise<Bouncer> {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-bouncer-" });
  const port = freePort();
  const { host, user, password } = server;
  const settings = [
    "[databases]",
    `* = host=${host} port=${server.port} user=${user} password=${password}`,
    "[pgbouncer]",
    ...["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir =", "auth_type = any"],
    ...[
      "pool_mode = transaction",
      `default_pool_size = ${poolSize}`,
      "max_client_conn = 200",
      "server_login_retry = 1",
    ],
  ];
  const file = join(directory, "pgbouncer.ini");
  await Deno.writeTextFile(file, settings.join("\n"));
  await Deno.chmod(directory, 0o755);
  const [program = "", ...args] = asServerUser([findProgram("pgbouncer") ?? "pgbouncer", file]);
  const child = new Deno.Command(program, { args, stdout: "null", stderr: "null" }).spawn();
  await listening(port);
  return {
    host: "127.0.0.1",
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error("PgBouncer did not start");
}
