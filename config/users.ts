/**
 * The members of an account, and the reader of users.cfg.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { quote } from "@/core/errors.ts";
import type { DatabaseMapping, Operation, User } from "@/core/model.ts";
import { type Block, filledText, text } from "@/plugins/kit/members.ts";
import { complain, inside, type Loading, type Place } from "./configuration.ts";
import {
  aliasesOf,
  FLAG,
  mapOf,
  type Member,
  type MemberTable,
  type MemberType,
  named,
  NAMES,
  objectOf,
  plain,
  readByTable,
  TEXT,
  wordsOf,
} from "./definition_members.ts";
import { placeOf, readEntries } from "./entries.ts";

/** Characters of an API key that cannot be guessed. */
const SHORTEST_KEY = 32;
/**
 * Longest text, in characters: users may change it in their own account, and every
 * change of any account reads it again.
 */
const LONGEST_TEXT = 1000;
/** The prefix of a hashed API key. */
export const HASHED_KEY = "$sha256$";

const SHORT = plain(text, { type: "string", maxLength: LONGEST_TEXT });
const SHORT_FILLED = plain(filledText, { type: "string", minLength: 1, maxLength: LONGEST_TEXT });
const KEY = plain(readKey, { type: "string", maxLength: LONGEST_TEXT });
const OPERATIONS = wordsOf<Operation>("read", "create", "update", "delete");
const OPERATION_SET: MemberType<ReadonlySet<Operation>> = {
  read: (value, place) => {
    const operations = OPERATIONS.read(value, place);
    return operations && new Set(operations);
  },
  schema: OPERATIONS.schema,
  show: (operations) => [...operations],
};
const MAPPING = objectOf<DatabaseMapping>({
  dbuser: { type: TEXT, initial: "" },
  dbpass: { type: TEXT, initial: "", secret: true },
  access: { type: mapOf(OPERATION_SET), restricts: true },
});
/** Rights on all definitions of a kind; the right to change an account is given in that account. */
const WORDS = wordsOf("create", "view", "edit", "delete", "execute");

const FOUND_BY =
  "[single sign-on](single-sign-on.md) finds users by them; a user with `appid` sends it with every API key";
const CREDENTIALS = "plain text or a hash";
const RIGHTS = "[rights](#rights) over the configuration";
const LISTS = "users who may see, change this account";

type Account = Omit<User, "login" | "former">;
type Sent = Member<string> & { readonly only: "sent" };

/** The members of users.cfg and of changes of accounts, in the order of answers. */
export const USER_MEMBERS = named<
  MemberTable<Account> & { readonly currentPassword: Sent }
>({
  enabled: {
    type: FLAG,
    initial: true,
    description: "False: nobody can be this user; sessions end at once. Default true.",
    doc: "see [users](authentication.md#users)",
  },
  name: { type: SHORT, initial: "", doc: FOUND_BY },
  email: { type: SHORT, initial: "", doc: FOUND_BY },
  password: { type: SHORT, secret: true, description: "A new password; never shown.", doc: CREDENTIALS },
  currentPassword: {
    type: TEXT,
    only: "sent",
    description: "The current password, to change one's own password, e-mail or API key.",
  },
  apikeyHash: {
    wire: "apikey",
    alias: "api_key",
    type: KEY,
    secret: true,
    description: "A new API key, 32 or more random characters; never shown.",
    doc: CREDENTIALS,
  },
  appid: { alias: "app_id", type: SHORT_FILLED, doc: FOUND_BY },
  databases: {
    type: mapOf(MAPPING),
    initial: new Map(),
    doc: "the databases of the user: login (`dbuser`, `dbpass`) and `access`, the operations by table: " +
      "`read`, `create`, `update`, `delete`; without `access`: everything",
  },
  dbdef: { type: WORDS, initial: [], doc: RIGHTS },
  querydef: { type: WORDS, initial: [], doc: RIGHTS },
  userdef: { type: wordsOf("create", "view"), initial: [], doc: RIGHTS },
  view: { type: NAMES, initial: [], description: "Users who may see this account.", doc: LISTS },
  edit: { type: NAMES, initial: [], description: "Users who may change it.", doc: LISTS },
});

/** Every user by login. An empty password counts as none unless `allowEmptyPassword`. */
export function readUsers(
  file: string,
  loading: Loading,
  allowEmptyPassword: boolean,
): ReadonlyMap<string, User> {
  const readUser = (login: string, members: Block, place: Place): User => {
    noteKey(members["apikey"], inside(place, "apikey"), loading);
    const { password, ...account } = readByTable<Account>(members, place, USER_MEMBERS);
    const isNone = password === undefined || (password === "" && !allowEmptyPassword);
    return { login, ...account, ...(isNone ? {} : { password }) };
  };
  const aliases = aliasesOf(USER_MEMBERS);
  const idMembers = ["user_id", "login"];
  const kind = { idMembers, aliases, read: readUser, sameFor: `users ${allowEmptyPassword}` };
  const users = readEntries(file, loading, kind);
  complainAboutSharedKeys(users, placeOf(file, loading));
  return users;
}

/** An API key as it is stored: `$sha256$` and its hash. */
export function hashedKey(key: string): string {
  return HASHED_KEY + createHash("sha256").update(key).digest("hex");
}

/** The hash of a key that is plain in the file, or written as `$sha256$` with its hash. */
function readKey(value: unknown, place: Place): string | undefined {
  const key = filledText(value, place);
  if (key === undefined) return undefined;
  const hash = (key.startsWith(HASHED_KEY) ? key : hashedKey(key)).slice(HASHED_KEY.length).toLowerCase();
  return /^[0-9a-f]{64}$/.test(hash)
    ? hash
    : complain(place, `Expected 64 hexadecimal digits behind ${HASHED_KEY}`);
}

/** What is wrong with a new key; undefined if nothing is. */
export function keyWeakness(key: string): string | undefined {
  if (key.length < SHORTEST_KEY) return `fewer than ${SHORTEST_KEY} characters and may be guessed`;
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(key);
  return isPlain
    ? undefined
    : "characters that headers change: spaces around it, or others than those of ASCII";
}

function noteKey(key: unknown, { file, key: name }: Place, { warnings }: Loading): void {
  if (typeof key !== "string" || key === "" || key.startsWith(HASHED_KEY)) return;
  const weakness = keyWeakness(key);
  if (weakness !== undefined) warnings.push(`${file}: ${name}: the key has ${weakness}`);
}

function complainAboutSharedKeys(users: ReadonlyMap<string, User>, place: Place): void {
  const owners = new Map<string, string>();
  for (const { login, apikeyHash } of users.values()) {
    if (apikeyHash === undefined) continue;
    const owner = owners.get(apikeyHash);
    owners.set(apikeyHash, owner ?? login);
    if (owner === undefined) continue;
    const at = inside(inside(place, login), "apikey");
    complain(at, `Expected a key of its own, found the key of user ${quote(owner)}`);
  }
}
