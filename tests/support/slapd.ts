/**
 * An OpenLDAP server of a test's own, on free loopback ports and with its files in
 * a directory that is thrown away.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asServerUser,
  findProgram,
  freePort,
  isListening,
  makeServerDirectory,
  run,
} from "./servers/programs.ts";
import { until } from "./until.ts";

/** Why no directory can be started here; undefined where it can. */
export const NO_SLAPD: string | undefined = ["slapd", "slapadd", "openssl"]
  .filter((name) => findProgram(name) === undefined).map((name) => `${name} is not installed`)[0];

/** The entry above all others. */
export const SUFFIX = "dc=example,dc=org";

/** A running directory. Only `cn=reader` may search. */
export interface TestDirectory extends AsyncDisposable {
  /** Clear text, or StartTLS. */
  readonly ldap: string;
  readonly ldaps: string;
  /** The authority of its certificate, which is for 127.0.0.1 only. */
  readonly ca: string;
  /** Ends it; {@link TestDirectory.start} brings it back with the same entries. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** It accepts connections and says nothing, until it goes on. */
  hang(): void;
  goOn(): void;
}

/** Starts it with entries as LDIF, and waits until it answers. */
export async function startSlapd(ldif: string): Promise<TestDirectory> {
  const directory = join(tmpdir(), `rowhouse-slapd-${crypto.randomUUID()}`);
  const at = (name: string) => join(directory, name);
  await makeServerDirectory(directory);
  await makeServerDirectory(at("data"));
  await certify(at);
  await Deno.writeTextFile(at("slapd.conf"), configurationOf(at));
  await Deno.writeTextFile(at("entries.ldif"), ldif);
  const program = (name: string) => findProgram(name) ?? name;
  await run(asServerUser([program("slapadd"), "-f", at("slapd.conf"), "-l", at("entries.ldif")]));
  const [plain, sealed] = [freePort(), freePort()];
  const [ldap, ldaps] = [`ldap://127.0.0.1:${plain}`, `ldaps://127.0.0.1:${sealed}`];
  const command = asServerUser([
    ...[program("slapd"), "-d", "0", "-f", at("slapd.conf"), "-h", `${ldap} ${ldaps}`],
  ]);
  let child: Deno.ChildProcess | undefined;
  const start = async () => {
    const [first = "", ...args] = command;
    child = new Deno.Command(first, { args, cwd: "/", stdout: "null", stderr: "null" }).spawn();
    let hasEnded = false;
    void child.status.then(() => hasEnded = true);
    await until(() => {
      if (hasEnded) throw new Error("slapd has ended");
      return isListening(plain);
    });
  };
  const stop = async () => {
    child?.kill("SIGKILL");
    await child?.status;
    child = undefined;
  };
  await start();
  return {
    ...{ ldap, ldaps, start, stop, ca: await Deno.readTextFile(at("ca.pem")) },
    hang: () => child?.kill("SIGSTOP"),
    goOn: () => child?.kill("SIGCONT"),
    async [Symbol.asyncDispose]() {
      await stop();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

function configurationOf(at: (name: string) => string): string {
  const schemas = ["core", "cosine", "inetorgperson"].map((name) =>
    `include /etc/ldap/schema/${name}.schema`
  );
  return `${schemas.join("\n")}
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${at("pid")}
TLSCACertificateFile ${at("ca.pem")}
TLSCertificateFile ${at("cert.pem")}
TLSCertificateKeyFile ${at("key.pem")}
database mdb
maxsize 16777216
suffix "${SUFFIX}"
directory ${at("data")}
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="cn=reader,${SUFFIX}" read by * none
`;
}

/** An authority, and a certificate of it for the address. */
async function certify(at: (name: string) => string): Promise<void> {
  await Deno.writeTextFile(at("names"), "subjectAltName=IP:127.0.0.1");
  const steps = [
    `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=Authority -keyout ${at("ca.key")} -out ${
      at("ca.pem")
    }`,
    `req -newkey rsa:2048 -nodes -subj /CN=directory -keyout ${at("key.pem")} -out ${at("request.pem")}`,
    `x509 -req -days 2 -in ${at("request.pem")} -CA ${at("ca.pem")} -CAkey ${at("ca.key")} -CAcreateserial
      -extfile ${at("names")} -out ${at("cert.pem")}`,
  ];
  for (const step of steps) await run(["openssl", ...step.split(/\s+/)]);
  await Deno.chmod(at("key.pem"), 0o644);
}
