/**
 * The login page: what each visible method contributes to it, with or without something that went wrong.
 *
 * @module
 */

import { TOKEN_FIELD } from "@/core/identity/cross_site.ts";
import type { Service } from "@/core/service.ts";
import type { AuthSession, Button, Form, FormPage } from "@/plugins/contract.ts";

/** Path of the page below the prefix. */
export const LOGIN = "/login";

/** What one page is shown for. */
export interface LoginInput {
  /** Where to go after the login. */
  readonly next?: string | undefined;
  readonly problem?: string | undefined;
  /** What the form was sent with. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  readonly session?: AuthSession | undefined;
  /** The token of its form. */
  readonly token: string;
}

/** A button for each visible method that has one, and the form of the first that has one. */
export function loginPage(input: LoginInput, service: Service): FormPage {
  const { problem, session } = input;
  const next = input.next ?? `${service.prefix}/`;
  const visible = new Set(service.policies.filter((policy) => policy.visible).map(({ name }) => name));
  const methods = service.methods.filter(({ name }) => visible.has(name)).map(({ method }) => method);
  const form = methods.find((method) => method.form)?.form?.({ next });
  const afterFailure = problem !== undefined;
  const buttons = methods.flatMap((method) => method.buttons?.({ next, afterFailure }) ?? []);
  return {
    title: "Log in",
    text: [
      ...textOf({ session, isEmpty: !form && buttons.length === 0 }),
      ...methods.flatMap((method) => method.notices?.() ?? []),
    ],
    ...(problem === undefined ? {} : { problem }),
    buttons: [...firstRunButton(service), ...buttons],
    ...(form ? { form: completed(form, input) } : {}),
  };
}

/** The link to the login page that comes back to a page. */
export function loginLink(next: string, { prefix }: Pick<Service, "prefix">): string {
  return `${prefix}${LOGIN}?next=${encodeURIComponent(next)}`;
}

/** Whether there is anything on the login page. */
export function canLogIn({ policies, methods }: Pick<Service, "policies" | "methods">): boolean {
  const visible = new Set(policies.filter((policy) => policy.visible).map(({ name }) => name));
  return methods.some(({ name, method }) => visible.has(name) && (method.form || method.buttons));
}

function textOf(
  { session, isEmpty }: { session: AuthSession | undefined; isEmpty: boolean },
): readonly string[] {
  return [
    ...(session ? [`You are signed in as ${session.user.login}.`] : []),
    ...(isEmpty ? ["Nobody can log in here: send an API key with each request."] : []),
  ];
}

function firstRunButton({ firstRun, prefix }: Service): readonly Button[] {
  return firstRun.isPending() ? [{ label: 'Set the password of "admin"', href: `${prefix}/first-run` }] : [];
}

/** With the token, and with what was typed before. */
function completed(form: Form, { values = {}, token }: LoginInput): Form {
  const fields = form.fields.map((field) => {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    return value === undefined || field.kind === "password" ? field : { ...field, value };
  });
  return { ...form, fields, hidden: { ...form.hidden, [TOKEN_FIELD]: token } };
}
