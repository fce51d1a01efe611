/**
 * The tokens of SQL in the modes of this dialect's sessions.
 *
 * @module
 */

import type { SqlLexis } from "@/plugins/contract.ts";
import type { Server } from "./server.ts";

/** The comments that a server executes depend on its kind and version. */
export function lexisOf(server: Server): SqlLexis {
  return {
    names: [{ open: "`", close: "`", doubled: true }],
    strings: ["'", '"'],
    backslash: "always",
    hashComments: true,
    spacedDashes: true,
    executes: (opening) => executes(opening, server),
    placeholders: /\?/u,
    // Without SET, DO, HANDLER, LOAD, LOCK, PREPARE and statements that end a transaction or change the catalog.
    statements: [
      ...["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "REPLACE", "UPDATE", "DELETE"],
      ...["CALL", "EXPLAIN", "DESCRIBE", "SHOW"],
    ],
    // These write files on the server's disk.
    beyond: /(?<!\[)\b(?:OUTFILE|DUMPFILE)\b/iu,
  };
}

/** Versions of MySQL that MariaDB does not execute. */
const FOREIGN = { from: 50_700, to: 99_999 };

/** `/*!` and `/*M!`, with the first version that executes the content. */
function executes(opening: string, { flavour, version: [major, minor, patch] }: Server): boolean {
  const [, isMariadb, digits] = /^\/\*(M?)!(\d*)$/.exec(opening) ?? [];
  if (isMariadb === undefined || (isMariadb === "M" && flavour === "mysql")) return false;
  const required = Number(digits ?? 0);
  const isForeign = flavour === "mariadb" && isMariadb === "" && required >= FOREIGN.from &&
    required <= FOREIGN.to;
  return !isForeign && required <= major * 10_000 + minor * 100 + patch;
}
