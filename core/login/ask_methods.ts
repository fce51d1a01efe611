/**
 * Passwords that authentication methods check somewhere else, such as in a directory.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { kindOf } from "@/core/base/plugin_answers.ts";
import { blame, LatePlugin } from "@/core/base/plugin_failures.ts";
import { quote, tryLater } from "@/core/errors.ts";
import type { Service } from "@/core/service.ts";
import type { AuthMethod } from "@/plugins/contract.ts";

/** The parts of the service that asking uses. */
type Asking = Pick<Service, "methods" | "settings" | "log">;

/**
 * Whether a method says that this is the password of this login. They are asked side by side, and the
 * first yes counts: a directory that hangs does not hold up the people of another one. Rejects if no
 * method says yes and one of them fails: with 503 for one that throws or takes too long, and else with an
 * unexpected failure that names it.
 */
export async function askMethods(login: string, password: string, service: Asking): Promise<boolean> {
  const answers = service.methods.flatMap(({ name, method }) =>
    method.checkPassword ? [ask(name, () => method.checkPassword?.(login, password), service)] : []
  );
  const approvals = answers.map(async (answer) => {
    if (!await answer) throw new Error("another password");
    return true;
  });
  return await Promise.any(approvals).catch(async () => {
    await Promise.all(answers);
    return false;
  });
}

/** A method has half of the time, so that the method which takes the login can still answer. */
async function ask(
  name: string,
  check: () => ReturnType<NonNullable<AuthMethod["checkPassword"]>> | undefined,
  { settings, log }: Asking,
): Promise<boolean> {
  const title = `authentication method ${quote(name)}`;
  let answer: unknown;
  try {
    const seconds = settings["server.plugin_timeout"] / 2;
    answer = await inTime(Promise.resolve(check()), seconds, () => new LatePlugin(title));
  } catch (cause) {
    if (cause instanceof LatePlugin) log.error(`${cause.reason} in checkPassword()`);
    else log.error(`The ${title} failed in checkPassword()`, cause);
    throw tryLater("Passwords cannot be checked at the moment: try again later", 10);
  }
  if (typeof answer === "boolean") return answer;
  const mistake = new TypeError(`it gave ${kindOf(answer)}, not true or false`);
  throw blame(mistake, `${title} failed in checkPassword()`);
}
