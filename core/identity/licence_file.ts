/**
 * The active licence: the content of the file in the setting `license`, or the open edition.
 *
 * @module
 */

import { type Configuration, writeFileAtomically } from "@/config/mod.ts";
import type { Settings } from "@/config/settings.ts";
import { enabledUsers } from "./users.ts";
import { ServiceError } from "@/core/errors.ts";
import { complaintAbout, type ReadLicence, readLicence, type Usage } from "./licence.ts";
import type { User } from "@/core/model.ts";
import { ADMIN, type Caller, PUBLIC } from "./permissions.ts";

/** Absent: the open edition. */
export type Licence = ReadLicence | undefined;

/** The settings about licences. */
type LicenceSettings = Pick<Settings, "license" | "license.public_key">;

const LONGEST = 65_536;
const LICENSED_METHODS: readonly string[] = ["jwt", "saml"];

/** Reads the file; mistakes in it are part of the result. */
export async function loadLicence(settings: LicenceSettings): Promise<Licence> {
  try {
    const { size } = await Deno.stat(settings.license);
    if (size > LONGEST) return { complaint: "It is too large to be a licence" };
    return readLicence(await Deno.readTextFile(settings.license), settings["license.public_key"]);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Error) return { complaint: `It cannot be read: ${error.name}` };
    throw error;
  }
}

/** Replaces the licence file. */
export async function storeLicence(token: string, { license }: LicenceSettings): Promise<void> {
  await writeFileAtomically(license, `${token.trim()}\n`);
}

/** Counts the limited parts of a configuration. */
export function usageOf({ users, databases }: Pick<Configuration, "users" | "databases">): Usage {
  const people = enabledUsers(users);
  return { users: people.size - (people.has(PUBLIC) ? 1 : 0), databases: databases.size };
}

/** Why all users except admin are locked out; undefined if they are not. */
export function lockOf(licence: Licence, usage: Usage, now: number): string | undefined {
  if (licence === undefined) return undefined;
  return "complaint" in licence ? licence.complaint : complaintAbout(licence.claims, usage, now);
}

/** The licence and the configuration of a snapshot. */
export interface Licensed {
  readonly licence: Licence;
  readonly configuration: Pick<Configuration, "users" | "databases">;
}

/** Throws 402 if the licence does not cover the use; `admin` may continue, to replace the licence. */
export function requireLicence({ user }: Pick<Caller, "user">, { licence, configuration }: Licensed): void {
  if (licence === undefined || user.login === ADMIN) return;
  const complaint = lockOf(licence, usageOf(configuration), Date.now());
  if (complaint === undefined) return;
  throw new ServiceError(
    "licence",
    "The licence of this service does not allow it to work: an administrator can replace it at /license",
  );
}

/** The configuration without the methods that the licence lacks, and their names. */
export function withLicensedMethods(
  configuration: Configuration,
  licence: Licence,
): { readonly configuration: Configuration; readonly off: readonly string[] } {
  if (licence === undefined) return { configuration, off: [] };
  const features = "claims" in licence ? licence.claims.features : [];
  const off = configuration.authentication.filter(({ name, enabled }) => {
    return enabled && LICENSED_METHODS.includes(name) && !features.includes(name);
  }).map(({ name }) => name);
  const authentication = configuration.authentication.map((policy) =>
    off.includes(policy.name) ? { ...policy, enabled: false } : policy
  );
  return { configuration: { ...configuration, authentication }, off };
}

/** Throws 402 if a change by a user other than admin would lock the users out. */
export function requireRoom(
  { login }: User,
  licence: Licence,
  { current, next }: { readonly current: Configuration; readonly next: Configuration },
): void {
  if (login === ADMIN) return;
  const now = Date.now();
  const lock = lockOf(licence, usageOf(next), now);
  if (lock === undefined || lock === lockOf(licence, usageOf(current), now)) return;
  throw new ServiceError(
    "licence",
    "The licence of this service has no room for this: admin can replace it at /license",
  );
}
