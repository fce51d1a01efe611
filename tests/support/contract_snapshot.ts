/**
 * Writes the members of the present contract as a snapshot, when a version of it is released.
 *
 * @module
 */

import { CONTRACT } from "@/plugins/contract.ts";
import { membersOf } from "./contract_members.ts";
import { contractTypes } from "./contract_types.ts";

/** The snapshots, one file per version. */
export const SNAPSHOTS: URL = new URL("../unit/architecture/contracts/", import.meta.url);

if (import.meta.main) {
  const members = Object.fromEntries(membersOf(await contractTypes()));
  await Deno.writeTextFile(new URL(`${CONTRACT}.json`, SNAPSHOTS), JSON.stringify(members, null, 1) + "\n");
}
