/**
 * Reads users.cfg.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { quote } from "@/core/errors.ts";
import type { DatabaseMapping, Operation, User } from "@/core/model.ts";
import { complain, inside, type Place } from "./complaints.ts";
import type { Loading } from "./configuration.ts";
import { readEntries } from "./entries.ts";
import {
  type Block,
  block,
  filledText,
  flag,
  listOf,
  mapOf,
  type Members,
  oneOf,
  present,
  readMembers,
  text,
} from "./members.ts";

const OPERATIONS = ["read", "create", "update", "delete"] as const satisfies readonly Operation[];
const SHORTEST_KEY = 32;
/** Stands before the hash of an API key. */
export const HASHED_KEY = "$sha256$";

/** What somebody may do with all definitions of a kind; to change accounts one is named in theirs. */
const WORDS = ["create", "view", "edit", "delete", "execute"] as const;
const USER_WORDS = ["create", "view"] as const;

const names = listOf(filledText);
const USER = {
  enabled: flag,
  name: text,
  email: text,
  password: text,
  apikey: filledText,
  appid: filledText,
  databases: mapOf(mapping),
  dbdef: listOf(oneOf(WORDS)),
  querydef: listOf(oneOf(WORDS)),
  userdef: listOf(oneOf(USER_WORDS)),
  view: names,
  edit: names,
};

/** Every user by login. An empty password counts as none unless `allowEmptyPassword`. */
export function readUsers(
  file: string,
  loading: Loading,
  allowEmptyPassword: boolean,
): ReadonlyMap<string, User> {
  const readUser = (login: string, members: Block, place: Place) => {
    const read = readMembers(members, place, USER);
    const apikeyHash = read.apikey === undefined
      ? undefined
      : hashKey(read.apikey, inside(place, "apikey"), loading);
    const password = read.password === "" && !allowEmptyPassword ? undefined : read.password;
    return user(login, read, present({ password, apikeyHash, appid: read.appid }));
  };
  const users = readEntries(file, loading, {
    idMember: "user_id",
    aliases: { api_key: "apikey", app_id: "appid" },
    read: readUser,
  });
  complainAboutSharedKeys(users, { file, key: "", complaints: loading.complaints });
  return users;
}

function user(
  login: string,
  read: Members<typeof USER>,
  credentials: Pick<User, "password" | "apikeyHash" | "appid">,
): User {
  return {
    login,
    enabled: read.enabled ?? true,
    name: read.name ?? "",
    email: read.email ?? "",
    ...credentials,
    databases: read.databases ?? new Map(),
    dbdef: read.dbdef ?? [],
    querydef: read.querydef ?? [],
    userdef: read.userdef ?? [],
    view: read.view ?? [],
    edit: read.edit ?? [],
  };
}

function mapping(value: unknown, place: Place): DatabaseMapping | undefined {
  const members = block(value, place);
  if (!members) return undefined;
  const { dbuser, dbpass, access } = readMembers(members, place, {
    dbuser: text,
    dbpass: text,
    access: mapOf(listOf(oneOf(OPERATIONS))),
  });
  return { dbuser: dbuser ?? "", dbpass: dbpass ?? "", ...present({ access: access && asSets(access) }) };
}

function asSets(
  access: ReadonlyMap<string, readonly Operation[]>,
): ReadonlyMap<string, ReadonlySet<Operation>> {
  return new Map([...access].map(([table, operations]) => [table, new Set(operations)]));
}

/** The hash of a key, whether it stands in the file as it is or as `$sha256$` and its hash. */
function hashKey(apikey: string, place: Place, loading: Loading): string | undefined {
  if (apikey.startsWith(HASHED_KEY)) {
    const hash = apikey.slice(HASHED_KEY.length).toLowerCase();
    return /^[0-9a-f]{64}$/.test(hash)
      ? hash
      : complain(place, `Expected 64 hexadecimal digits behind ${HASHED_KEY}`);
  }
  if (apikey.length < SHORTEST_KEY) {
    loading.warnings.push(
      `${place.file}: ${place.key}: the key is shorter than ${SHORTEST_KEY} characters and may be guessed`,
    );
  }
  return createHash("sha256").update(apikey).digest("hex");
}

function complainAboutSharedKeys(users: ReadonlyMap<string, User>, place: Place): void {
  const owners = new Map<string, string>();
  for (const { login, apikeyHash } of users.values()) {
    if (apikeyHash === undefined) continue;
    const owner = owners.get(apikeyHash);
    if (owner === undefined) owners.set(apikeyHash, login);
    else {complain(
        inside(inside(place, login), "apikey"),
        `Expected a key of its own, found the key of user ${quote(owner)}`,
      );}
  }
}
