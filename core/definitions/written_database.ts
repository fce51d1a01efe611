/**
 * Definitions of databases over HTTP may access less of this machine than those written by hand.
 *
 * @module
 */

import type { Members } from "@/config/mod.ts";
import type { Dialect } from "@/plugins/contract.ts";
import { refuseMembers } from "./read_body.ts";
import { quote } from "@/core/errors.ts";
import type { DatabaseDefinition, User } from "@/core/model.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import type { Service } from "@/core/service.ts";

/** Members of `ssl` that may name a file in definitions written by hand. */
const CERTIFICATES = ["ca", "cert", "key"];

/** The context of checking a definition. */
interface Checking {
  /** The present definition; absent for a new one. */
  readonly before: DatabaseDefinition | undefined;
  readonly dialect: Dialect | undefined;
  readonly actor: User;
  readonly service: Pick<Service, "configuration" | "settings">;
}

/** Throws 400 for a file outside the directories of database files, and for certificates that are not PEM text. */
export async function requireWithinReach(members: Members, checking: Checking): Promise<void> {
  const complaints = [
    ...complaintsAboutCertificates(members["ssl"]),
    ...await complaintAboutFile(members, checking),
  ];
  if (complaints.length > 0) throw refuseMembers("definition", complaints);
}

function complaintsAboutCertificates(ssl: unknown): readonly string[] {
  if (typeof ssl !== "object" || ssl === null) return [];
  return Object.entries(ssl).filter(([name, value]) => {
    return CERTIFICATES.includes(name) && typeof value === "string" && !value.includes("-----BEGIN ");
  }).map(([name]) =>
    `${quote(`ssl.${name}`)}: it is no PEM text; only a definition written by hand may name a file`
  );
}

async function complaintAboutFile(
  { db_type: type, db_name: name }: Members,
  { before, dialect, actor, service: { configuration, settings } }: Checking,
): Promise<readonly string[]> {
  const file = typeof name === "string" ? name : before?.dbName ?? "";
  const isSame = file === before?.dbName && (type === undefined || type === before.dbType);
  // Other users than admin may not name files; that is refused elsewhere.
  if (isSame || actor.login !== ADMIN || !dialect?.requireFileIn) return [];
  const directories = settings["sqlite.directories"] ?? [configuration.directories.state];
  try {
    await dialect.requireFileIn(file, directories);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [
      `"db_name": over HTTP it is the whole path of a file in ${directories.map(quote).join(" or ")}; ` +
      '"sqlite.directories" of service.ini sets other directories',
    ];
  }
}
