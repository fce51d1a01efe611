/**
 * MariaDB, as Debian's `mariadb-server` installs it.
 *
 * @module
 */

import { join } from "node:path";
import { asServerUser, findProgram, run } from "./programs.ts";
import type { Address, Product } from "./server.ts";

/** Its own server listens on a loopback address only. */
export const MARIADB: Product = {
  dialect: "mysql",
  variable: "ROWHOUSE_TEST_MYSQL_URL",
  defaultPort: 3306,
  missing: () => ["mariadb-install-db", "mariadbd", "mariadb"].find((name) => !findProgram(name)),
  install,
  command: ({ directory, port, durable }) => [
    ...[findProgram("mariadbd") ?? "mariadbd", "--no-defaults", "--bind-address=127.0.0.1", `--port=${port}`],
    ...[`--datadir=${join(directory, "data")}`, `--socket=${join(directory, "socket")}`],
    ...[
      `--tmpdir=${directory}`,
      `--pid-file=${join(directory, "pid")}`,
      `--init-file=${join(directory, "init.sql")}`,
    ],
    ...[
      "--skip-name-resolve",
      "--skip-log-bin",
      "--innodb-buffer-pool-size=128M",
      "--innodb-log-file-size=32M",
    ],
    ...(durable ? ["--innodb-flush-log-at-trx-commit=1"] : VOLATILE),
  ],
  createDatabase: async (address, database) => {
    const create = `CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4 COLLATE ${CODES}`;
    await exec(address, `DROP DATABASE IF EXISTS \`${database}\`;\n${create};`);
  },
  dropDatabase: async (address, database) => {
    await exec(address, `DROP DATABASE IF EXISTS \`${database}\``);
  },
  exec,
};

/**
 * Text by code points: each of the two servers has its own collation for that, and skips the other's comment.
 */
const CODES = "/*!80000 utf8mb4_0900_bin *//*M! utf8mb4_nopad_bin */";

/** Committed changes may be lost with the machine, which makes the server faster. */
const VOLATILE = [
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-flush-method=nosync",
  "--innodb-doublewrite=0",
];

const LOGIN = `CREATE USER IF NOT EXISTS 'rowhouse'@'%' IDENTIFIED BY 'rowhouse-test';
GRANT ALL ON *.* TO 'rowhouse'@'%' WITH GRANT OPTION;
`;

async function install(directory: string): Promise<void> {
  await Deno.writeTextFile(join(directory, "init.sql"), LOGIN);
  const program = findProgram("mariadb-install-db") ?? "mariadb-install-db";
  const args = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"];
  const volatile = ["--innodb-flush-method=nosync", "--innodb-log-file-size=32M"];
  const places = [`--datadir=${join(directory, "data")}`, `--tmpdir=${directory}`];
  await run(asServerUser([program, "--no-defaults", ...places, ...args, ...volatile]));
}

async function exec(address: Address, sql: string, database?: string): Promise<string> {
  const { host, port, user, password } = address;
  const target = ["--protocol=tcp", "-h", host, "-P", String(port), "-u", user];
  const options = [
    "--batch",
    "--skip-column-names",
    "--default-character-set=utf8mb4",
    "--max-allowed-packet=64M",
  ];
  const command = ["--no-defaults", ...target, ...options, ...(database === undefined ? [] : [database])];
  return await run([findProgram("mariadb") ?? "mariadb", ...command], {
    env: { MYSQL_PWD: password },
    stdin: sql,
  });
}
