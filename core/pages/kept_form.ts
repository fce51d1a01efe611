/**
 * The page for a form that cannot be shown again, because its sender is no longer logged in, or its database
 * is away, or its record is gone, or a right has been taken away: it keeps what was typed.
 *
 * @module
 */

import { messageForPeople, ServiceError } from "@/core/errors.ts";
import { TOKEN_FIELD } from "@/core/identity/cross_site.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { canLogIn, loginLink } from "@/core/login/login_page.ts";
import { newKey } from "@/core/pages/definitions/api_key.ts";
import { PERSONAL } from "@/core/pages/definitions/form_values.ts";
import type { ViewPlan } from "@/core/plan.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import type { Service } from "@/core/service.ts";
import type { PageField } from "@/plugins/contract.ts";
import { notice } from "./blocks.ts";

/** A form that cannot be shown again, and why: `error` is that of its request, `refusal` that of its page. */
interface LostForm {
  readonly path: string;
  readonly values: FormState["values"];
  readonly error: ServiceError | undefined;
  readonly refusal: unknown;
  readonly caller: Caller;
}

/**
 * The page that sends the form again, after a login in another tab or an outage. Passwords of people are
 * typed again. Undefined where nothing was typed that a login or the end of an outage would let through.
 */
export function keptForm(
  { path, values, error, refusal, caller }: LostForm,
  service: Service,
): ViewPlan | undefined {
  if (!(refusal instanceof ServiceError)) return undefined;
  // The change is made: a new password ended its session, or something else did.
  if (values.has("ui.key")) {
    const blocks = newKey({ values, complaints: new Map() });
    return { kind: "view", crumbs: [], view: { title: "The key has been made", blocks } };
  }
  const isOutage = refusal.code === "unavailable";
  const isEnded = refusal.code === "forbidden" && caller.anonymous;
  const { prefix } = service;
  const isSecret = (name: string) => name.startsWith("p.") && PERSONAL.has(name.slice(2));
  const kept = [...values].filter(([name]) => name !== TOKEN_FIELD && !isSecret(name));
  const secrets = [...values].filter(([name, [value]]) => isSecret(name) && value !== "");
  const typed = kept.flatMap(typedLine).join("\n");
  if (typed === "" && !isOutage && !isEnded) return undefined;
  // Who may not see the page must not learn more of what it is about.
  const told = refusal.code === "forbidden" ? refusal : error ?? refusal;
  const login = { label: "Log in", href: loginLink(`${prefix}/`, service), isBeside: true } as const;
  const text = isEnded
    ? "Nothing has been changed. This page keeps what you typed: log in, which opens another tab, " +
      "come back, and send it again."
    : `${messageForPeople(told)}. This page keeps what you typed.`;
  return {
    kind: "view",
    refusal,
    crumbs: [],
    view: {
      title: isEnded ? "You are no longer logged in" : isOutage ? "Unavailable" : "Nothing has been changed",
      blocks: [
        notice("warning", text, ...(isEnded && canLogIn(service) ? [login] : [])),
        {
          kind: "form",
          action: `${prefix}/ui${path}`,
          hidden: Object.fromEntries(kept),
          fields: [
            ...(typed === "" ? [] : [typedField(typed)]),
            ...secrets.map(([name]): PageField => {
              return { kind: "field", name, label: "Password", input: "password", isRequired: true };
            }),
          ],
          buttons: [{ label: "Send again" }],
          cancel: `${prefix}${path}.html`,
        },
      ],
    },
  };
}

function typedField(value: string): PageField {
  const [name, label, hint] = ["ui.typed", "What you typed", "This is not saved."];
  return { kind: "field", name, label, input: "long text", isReadOnly: true, value, hint };
}

/** A value that has a field of its own, as `Company: Embraer`; none of a secret. */
function typedLine([name, values]: readonly [string, readonly string[]]): readonly string[] {
  const [, label] = /^[cilst]\.(.*)$/s.exec(name) ?? [];
  if (name === "ui.csv") return values;
  return label === undefined
    ? []
    : values.filter((value) => value !== "").map((value) => `${label}: ${value}`);
}
