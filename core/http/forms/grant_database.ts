/**
 * Gives the users whom the form of a new database names their rights on it. Without them nobody can use the
 * database before an administrator changes the accounts.
 *
 * @module
 */

import { shownMembers } from "@/core/definitions/documents.ts";
import type { Exchange } from "@/core/exchange.ts";
import { ADMIN, OTHERS, PUBLIC } from "@/core/identity/permissions.ts";
import type { JsonObject } from "@/core/model.ts";
import { printName } from "@/core/request/print_path.ts";
import { answer } from "../envelope.ts";
import { innerRequest } from "./inner_request.ts";
import { serve } from "../serve.ts";

type Values = ReadonlyMap<string, readonly string[]>;

/** The fields of the form with the rights of a user, `read` or `all`, by login. */
const GIVEN = "ui.give.";
const READING: JsonObject = { access: { [OTHERS]: ["read"] } };

/**
 * Changes the accounts after the database has been created, each as a program would. Others than admin have
 * no such fields in their form: a refusal would come after the database is stored.
 */
export async function grantDatabase(values: Values, exchange: Exchange): Promise<void> {
  const { caller } = exchange;
  const [wanted = "nobody"] = values.get("ui.grant") ?? [];
  const [id] = values.get("s.db_id") ?? [];
  if (wanted === "nobody" || id === undefined || caller?.user.login !== ADMIN) return;
  const login = loginOf(values);
  await addMapping(caller.user.login, { [id]: login }, exchange);
  if (wanted === "public") await addMapping(PUBLIC, { [id]: { ...login, ...READING } }, exchange);
  if (wanted !== "users") return;
  for (const [field, rights] of values) {
    if (!field.startsWith(GIVEN)) continue;
    const mapping = rights.includes("all") ? login : { ...login, ...READING };
    await addMapping(field.slice(GIVEN.length), { [id]: mapping }, exchange);
  }
}

/** The database login of those users: without one it is that which reads the catalog. */
function loginOf(values: Values): JsonObject {
  const [dbuser = ""] = values.get("ui.grant.dbuser") ?? [];
  const [dbpass = ""] = values.get("ui.grant.dbpass") ?? [];
  if (dbuser !== "") return { dbuser, dbpass };
  const [own = ""] = values.get("s.autoload_user.dbuser") ?? [];
  const [password = ""] = values.get("p.autoload_user.dbpass") ?? [];
  return own === "" ? { dbuser: "" } : { dbuser: own, dbpass: password };
}

/** Adds to the databases of a user; secrets that are not sent stay as they are. */
async function addMapping(login: string, added: JsonObject, exchange: Exchange): Promise<void> {
  const { service } = exchange;
  const found = service.configuration.users.get(login);
  if (!found) return;
  const target = `${service.prefix}/userdef/${printName(login, service.links)}.json`;
  const shown = shownMembers({ kind: "userdef", definition: found })["databases"];
  const databases = { ...(shown as JsonObject | undefined), ...added };
  const inner = innerRequest(exchange, { method: "PUT", target, body: { databases } });
  const response = await answer(inner, serve);
  await response.body?.cancel();
  if (inner.error !== undefined) throw inner.error;
}
