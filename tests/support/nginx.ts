/**
 * An nginx of a test's own with the configuration that `docs/deployment/nginx.conf` recommends.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { findProgram, freePort, isListening, run } from "@/tests/support/servers/programs.ts";
import { ROOT } from "@/tests/support/root.ts";
import { until } from "@/tests/support/until.ts";

/** Why no nginx can be started here; undefined where it can. */
export const NO_NGINX = findProgram("nginx") === undefined ? "nginx is not installed" : undefined;

/** A running nginx. */
export interface TestProxy extends AsyncDisposable {
  readonly port: number;
}

/** The nodes, and where TLS is wanted, key and certificate as PEM. */
export interface ProxyOptions {
  readonly nodes: readonly number[];
  /** In place of the recommended ones. */
  readonly locations?: string;
  readonly tls?: { readonly key: string; readonly certificate: string };
}

/** Checks the configuration, starts nginx and waits until it listens. */
export async function startNginx({ nodes, locations, tls }: ProxyOptions): Promise<TestProxy> {
  const directory = await Deno.makeTempDir({ prefix: "rowhouse-nginx-" });
  const port = freePort();
  const text = await Deno.readTextFile(join(ROOT, "docs", "deployment", "nginx.conf"));
  const placed = locations === undefined
    ? text
    : text.replace(/^ *location \/ \{[^]*(?=^\}$)/m, () => locations);
  const site = siteOf(placed, {
    nodes,
    listen: `127.0.0.1:${port}${tls ? " ssl" : ""}`,
    ...(tls ? { certificates: directory } : {}),
  });
  const files = { "site.conf": site, "nginx.conf": AROUND, ...tls && { "rowhouse.pem": tls.certificate } };
  for (const [name, text] of Object.entries({ ...files, ...tls && { "rowhouse.key": tls.key } })) {
    await Deno.writeTextFile(join(directory, name), text);
  }
  const command = [findProgram("nginx") ?? "nginx", "-p", directory, "-c", "nginx.conf", "-e", "error.log"];
  await run([...command, "-t"]);
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, { args, cwd: dirname(directory), stdout: "null", stderr: "null" })
    .spawn();
  await until(() => isListening(port));
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Everything of the main file that a package of nginx brings along. */
const AROUND = `
daemon off;
${Deno.build.os !== "windows" && Deno.uid() === 0 ? "user root;" : ""}
worker_processes 1;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  include site.conf;
}
`;

interface Site {
  readonly nodes: readonly number[];
  readonly listen: string;
  /** The directory of the certificate. Absent: no TLS. */
  readonly certificates?: string;
}

/** The recommended text with other addresses and files. */
function siteOf(text: string, { nodes, listen, certificates }: Site): string {
  const ports = ["8080", "8081"];
  const addressed = ports.reduce((site, port, at) => {
    const node = nodes[at];
    return node === undefined
      ? site
      : site.replace(new RegExp(`(# )?server 127.0.0.1:${port} `), `server 127.0.0.1:${node} `);
  }, text.replace("listen 443 ssl;", `listen ${listen};`));
  return certificates === undefined
    ? addressed.replace(/^ *ssl_.*\n/gm, "")
    : addressed.replaceAll("/etc/ssl/", `${certificates}/`);
}
