/**
 * Limits of definitions of databases that are sent over HTTP: they may access less of this machine than those
 * written by hand.
 *
 * @module
 */

import { isDeepStrictEqual } from "node:util";
import type { Members } from "@/config/mod.ts";
import { inTime } from "@/core/base/in_time.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import type { LoadedDialect } from "@/core/database/guard_dialect.ts";
import { quote } from "@/core/errors.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import type { DatabaseDefinition, User } from "@/core/model.ts";
import type { Service } from "@/core/service.ts";
import { type MemberComplaint, refuseMembers } from "./read_body.ts";

/** Members of `ssl` that may name a file in definitions written by hand. */
const CERTIFICATES = ["ca", "cert", "key"];

interface Checking {
  readonly before: DatabaseDefinition | undefined;
  readonly dialect: LoadedDialect | undefined;
  readonly actor: User;
  readonly service: Pick<Service, "configuration">;
}

/**
 * Throws 400 for a file outside the directories of database files, for certificates that are not PEM text,
 * and for wrong options of the dialect.
 */
export async function requireWithinReach(members: Members, checking: Checking): Promise<void> {
  const complaints = [
    ...complaintsAboutCertificates(members["ssl"]),
    ...complaintsAboutOptions(members, checking),
    ...await complaintAboutFile(members, checking),
  ];
  if (complaints.length > 0) throw refuseMembers(complaints);
}

function complaintsAboutCertificates(ssl: unknown): readonly MemberComplaint[] {
  if (typeof ssl !== "object" || ssl === null) return [];
  const message = "it is no PEM text; only a definition written by hand may name a file";
  return Object.entries(ssl).filter(([name, value]) => {
    return CERTIFICATES.includes(name) && typeof value === "string" && !value.includes("-----BEGIN ");
  }).map(([name]) => ({ key: `ssl.${name}`, message }));
}

/** Options with a path may be set by hand only. */
function complaintsAboutOptions(
  members: Members,
  { before, dialect }: Checking,
): readonly MemberComplaint[] {
  const options: unknown = members["options"] ?? before?.options ?? {};
  if (!dialect || typeof options !== "object" || options === null) return [];
  const paths = Object.entries(options).filter(([name, value]) => {
    const type = Object.hasOwn(dialect.options, name) ? dialect.options[name]?.type : undefined;
    return (type === "path" || type === "paths") && value !== null &&
      !isDeepStrictEqual(value, before?.options[name]);
  });
  const message = "only a definition written by hand may name a file";
  return [
    ...paths.map(([name]) => ({ key: `options.${name}`, message })),
    ...dialect.complaintsAbout({ options: { ...options } }),
  ];
}

async function complaintAboutFile(
  { db_type: type, db_name: name }: Members,
  { before, dialect, actor, service: { configuration } }: Checking,
): Promise<readonly MemberComplaint[]> {
  const file = typeof name === "string" ? name : before?.dbName ?? "";
  const isSame = file === before?.dbName && (type === undefined || type === before.dbType);
  // Other users than admin may not name files; that is refused elsewhere.
  if (isSame || actor.login !== ADMIN || !dialect?.requireFileIn) return [];
  const directories = dialect.directories ?? [configuration.directories.state];
  try {
    const checking = Promise.resolve(dialect.requireFileIn(file, directories));
    const title = `dialect ${quote(dialect.name)} in requireFileIn()`;
    const seconds = configuration.settings["server.plugin_timeout"];
    await inTime(checking, seconds, () => new LatePlugin(title));
    return [];
  } catch (error) {
    if (!(error instanceof Error) || error instanceof LatePlugin) throw error;
    const message = `expected the whole path of a file in ${directories.map(quote).join(" or ")}; ` +
      `${quote(`${dialect.name}.directories`)} of service.ini allows other directories`;
    return [{ key: "db_name", message }];
  }
}
