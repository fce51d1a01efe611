/**
 * Answers of plugins: what they are, and those of authentication methods about a page or a document, which is
 * there without one that is wrong.
 *
 * @module
 */

import { quote } from "@/core/errors.ts";
import type { Json } from "@/core/model.ts";
import type { Log } from "@/plugins/contract.ts";

/** Largest number of levels of an answer. */
const MAX_LEVELS = 32;

/** The answer of a method to a question; undefined, with a line in the log, if it is none. */
export function ask<T>(
  method: string,
  member: string,
  { question, isAnswer }: { readonly question: () => T | undefined; isAnswer(answer: unknown): answer is T },
  { log }: { readonly log: Log },
): T | undefined {
  try {
    const answer = question();
    if (answer === undefined) return undefined;
    // A copy: neither a getter nor a proxy can fail while the page is written.
    const copy = JSON.parse(JSON.stringify(answer));
    if (!(answer instanceof Promise) && isWithin(MAX_LEVELS, copy) && isAnswer(copy)) return copy;
    log.error(`The authentication method ${quote(method)}: ${member} gave no valid answer, and is left out`);
  } catch (error) {
    log.error(`The authentication method ${quote(method)}: ${member} failed, and is left out`, error);
  }
  return undefined;
}

function isWithin(levels: number, value: Json): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isWithin(levels - 1, each));
}

/** Whether an answer is a list of texts. */
export function areTexts(answer: unknown): answer is readonly string[] {
  return Array.isArray(answer) && answer.every((each) => typeof each === "string");
}

/** Whether an answer is an object with members. */
export function isObject(answer: unknown): answer is Readonly<Record<string, unknown>> {
  return typeof answer === "object" && answer !== null && !Array.isArray(answer) &&
    !(answer instanceof Promise);
}

/** What an answer is, for the message about a wrong one. */
export function kindOf(answer: unknown): string {
  return answer === null ? "null" : answer instanceof Promise ? "a promise" : typeof answer;
}

/** Whether an answer is an object of JSON. Only for values that JSON has. */
export function isJsonObject(answer: unknown): answer is Readonly<Record<string, Json>> {
  return isObject(answer);
}
