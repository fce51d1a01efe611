/**
 * The API key on the page of a user. The service makes keys, because people choose bad ones; a key is shown
 * once. A key in use is replaced or removed only after a question, by a form that knows which key it is.
 *
 * @module
 */

import { createHmac } from "node:crypto";
import { defined } from "@/core/base/defined.ts";
import { ServiceError } from "@/core/errors.ts";
import { ADMIN } from "@/core/identity/permissions.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import type { User } from "@/core/model.ts";
import { pageAddress } from "@/core/pages/address.ts";
import { notice, section } from "@/core/pages/blocks.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageField, PageForm, PageView } from "@/plugins/contract.ts";
import type { DefinitionsInput } from "./form_values.ts";
import { questionView } from "./question.ts";

/** The field of a form that asks for a new key. */
export const MAKE_KEY = "ui.makekey";

/** The field of a form with the version of the key that it replaces or removes. */
const KEY_VERSION = "ui.keyversion";

type KeyInput = Pick<DefinitionsInput, "actor" | "service" | "typed">;

/** Differs for each key, and for none; reveals nothing without the secret of the service. */
function keyVersion({ login, apikeyHash = "" }: User, { secrets }: Service): string {
  const [secret] = secrets("fingerprint");
  return createHmac("sha256", secret).update(JSON.stringify(["API key", login, apikeyHash])).digest(
    "base64url",
  );
}

function isKeyForm(values: FormState["values"]): boolean {
  return values.has(MAKE_KEY) || values.has(KEY_VERSION);
}

/**
 * The refusal of a form about another key than the present one: one that is sent again would end the key that
 * somebody has just copied.
 */
export function outdatedKey(
  login: string,
  values: FormState["values"],
  service: Service,
): ServiceError | undefined {
  if (!isKeyForm(values)) return undefined;
  const user = service.configuration.users.get(login);
  const [given = ""] = values.get(KEY_VERSION) ?? [];
  if (!user || isSame(given, keyVersion(user, service))) return undefined;
  return new ServiceError("precondition-failed", OUTDATED);
}

const OUTDATED = "Nothing has been done: the API key has changed since this form was opened. " +
  "A form that is sent a second time does not make another key.";

/** The section of the page: makes a first key, or leads to the questions about the present one. */
export function keySection(user: User, input: KeyInput): PageBlock {
  const hasKey = user.apikeyHash !== undefined || input.typed?.values.has("ui.key") === true;
  if (hasKey) {
    const own = pageAddress("userdef", user.login, input.service);
    const replace = { label: "Replace the key", href: `${own}?ui.newkey`, tone: "plain" } as const;
    const remove = { label: "Remove the key", href: `${own}?ui.nokey`, tone: "problem" } as const;
    return section("apikey", "API key", notice("plain", "This account has an API key.", replace, remove));
  }
  const form = { ...keyForm(user, MAKING, input), buttons: [{ label: "Make a new key" }] };
  return section("apikey", "API key", { kind: "text", text: "This account has no API key." }, {
    kind: "form",
    ...form,
  });
}

const MAKING = { [MAKE_KEY]: "true" };

/** The questions about a key, by the purpose of their page. */
const QUESTIONS: ReadonlyMap<
  string,
  { readonly verb: string; readonly lead: string; readonly yes: string; readonly hidden: PageForm["hidden"] }
> = new Map([
  ["newkey", {
    verb: "Replace",
    lead: "The present key ends at once: programs that send it are refused until they have the new one.",
    yes: "Make a new key",
    hidden: { "ui.page": "newkey", ...MAKING },
  }],
  ["nokey", {
    verb: "Remove",
    lead: "The key ends at once: programs that send it are refused.",
    yes: "Remove the key",
    hidden: { "ui.page": "nokey", "ui.done": "keyless", "s.apikey": "" },
  }],
]);

/** The question that is asked for; undefined without a key. */
export function keyQuestion(
  user: User,
  { purpose = "", ...input }: KeyInput & Pick<DefinitionsInput, "purpose">,
): PageView | undefined {
  const question = QUESTIONS.get(purpose);
  if (!question || user.apikeyHash === undefined) return undefined;
  const { verb, lead, yes, hidden } = question;
  const { service, typed } = input;
  const problem = typed?.isOutdated ? OUTDATED : typed?.problem;
  return questionView({
    title: `${verb} the API key of ${user.login}?`,
    lead,
    yes,
    form: {
      ...keyForm(user, hidden, input),
      ...defined({ problem }),
      cancel: pageAddress("userdef", user.login, service),
    },
  });
}

function keyForm(
  user: User,
  hidden: PageForm["hidden"],
  { actor, service, typed }: KeyInput,
): Pick<PageForm, "action" | "hidden" | "fields"> {
  const isAsked = user.login === actor.login && user.login !== ADMIN && user.password !== undefined;
  return {
    action: `${service.prefix}/ui/userdef/${printName(user.login, service.links)}`,
    hidden: { "ui.method": "PUT", [KEY_VERSION]: keyVersion(user, service), ...hidden },
    fields: isAsked ? [passwordField(typed)] : [],
  };
}

function passwordField(typed: FormState | undefined): PageField {
  return {
    kind: "field",
    name: "p.current_password",
    label: "Your password",
    input: "password",
    autocomplete: "current-password",
    hint: "Needed if you logged in more than five minutes ago.",
    ...defined({ problem: typed?.complaints.get("current_password") }),
  };
}

/** The result of making a key. */
export function newKey(typed: FormState | undefined): readonly PageBlock[] {
  const key = typed?.values.get("ui.key")?.[0];
  if (typed?.isOutdated && isKeyForm(typed.values)) return [notice("warning", OUTDATED)];
  if (typed?.problem !== undefined) return [notice("problem", typed.problem)];
  if (key === undefined) return [];
  return [
    notice("good", "This is the new API key. It is shown only now: copy it."),
    { kind: "code", label: "API key", text: key },
  ];
}
