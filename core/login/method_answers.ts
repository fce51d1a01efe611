/**
 * Guards the service against authentication methods with mistakes: checks what they give.
 *
 * @module
 */

import { areTexts, isObject } from "@/core/base/plugin_answers.ts";
import { quote } from "@/core/errors.ts";
import { isTime } from "@/core/identity/sessions/sessions.ts";
import type { AuthResult, Button, Form } from "@/plugins/contract.ts";

const OUTCOMES: ReadonlySet<unknown> = new Set(["absent", "accepted", "rejected"]);

/**
 * The result of a method's `authenticate`. Throws for anything that is none, which becomes 500: a request
 * must never go on as `public` or as an invented user because a method has a mistake.
 */
export function checkResult(result: unknown, method: string): AuthResult {
  const found = mistakeIn(result);
  if (found === undefined) return result as AuthResult;
  throw new TypeError(`The authentication method ${quote(method)}: authenticate() returned ${found}`);
}

function mistakeIn(result: unknown): string | undefined {
  if (typeof result !== "object" || result === null) return `${String(result)}, not a result`;
  // A copy: what an answer only inherits is not its own.
  const { outcome, cookies, user, reason, ...more }: Readonly<Record<string, unknown>> = { ...result };
  if (!OUTCOMES.has(outcome)) {
    return `the outcome ${quote(String(outcome))}, not absent, accepted or rejected`;
  }
  if (cookies !== undefined && !areHeaders(cookies)) return "cookies that are no list of texts for a header";
  if (outcome === "rejected") {
    if (typeof reason !== "string") return "a rejection without reason";
    const { tell = "", login = "" } = more;
    return areTexts([tell, login]) ? undefined : "a rejection whose tell or login is no text";
  }
  if (outcome === "absent") return undefined;
  const { session, endsAt } = more;
  if (!isUser(user)) return "no user with a login";
  if (session !== undefined && !isSession(session)) return "a session that is none";
  return endsAt === undefined || isTime(endsAt) ? undefined : "an end of the session that is no time";
}

/** Whether a value is one of the sessions that the service gives to methods. */
function isSession(value: unknown): boolean {
  return isObject(value) && isUser(value["user"]) && typeof value["csrfToken"] === "string";
}

/** Whether a value is a list of texts that a header may have. */
export function areHeaders(value: unknown): value is readonly string[] {
  return areTexts(value) && value.every((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text));
}

function isUser(value: unknown): boolean {
  return isObject(value) && typeof value["login"] === "string";
}

/** Whether an answer is a list of buttons. */
export function areButtons(answer: unknown): answer is readonly Button[] {
  return Array.isArray(answer) && answer.every((each) => {
    return isObject(each) && typeof each["label"] === "string" && isWebAddress(each["href"]);
  });
}

/** Whether an answer is a form. */
export function isFormAnswer(answer: unknown): answer is Form {
  return isObject(answer) && isWebAddress(answer["action"]) && typeof answer["submit"] === "string" &&
    isObject(answer["hidden"]) && areTexts(Object.values(answer["hidden"])) &&
    Array.isArray(answer["fields"]) &&
    answer["fields"].every((field) => isObject(field) && typeof field["name"] === "string");
}

/** Whether a status leads a browser on. */
export function isRedirect(status: unknown): status is 302 | 303 {
  return status === 302 || status === 303;
}

/** Whether a browser may be sent there: to http, to https, or to a path of this service. */
export function isWebAddress(to: unknown): to is string {
  if (typeof to !== "string" || /[\s\p{Cc}]/u.test(to)) return false;
  return /^\/(?![/\\])/.test(to) || /^https?:$/.test(URL.parse(to)?.protocol ?? "");
}
