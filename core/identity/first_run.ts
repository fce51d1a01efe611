/**
 * The first run: while `admin` has no password, the service cannot be administered. Setting the password requires the
 * one-time token of the link that is printed at the start: the address of the client is no proof, because a request
 * through a proxy on this machine seems to come from this machine.
 *
 * @module
 */

import {
  checkPasswordStrength,
  completeFirstRun,
  hashCost,
  isFirstRun,
  passwordAdvice,
} from "@/config/mod.ts";
import { TOKEN_FIELD } from "./cross_site.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { hashPassword } from "./passwords.ts";
import { ADMIN } from "./permissions.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import type { Settings } from "@/config/settings.ts";
import type { FormField, FormPage } from "@/plugins/contract.ts";

/** Path of the page below the prefix. */
export const FIRST_RUN = "/first-run";

/** The parts that are fixed at the start. */
export interface FirstRunOptions {
  readonly settings: Settings;
  /** Path of `--base-url`, empty without one. */
  readonly prefix: string;
  /** The one-time token; without one the password cannot be set here. */
  readonly token?: string | undefined;
  /** Whether `admin` has a password in the present configuration. */
  hasPassword(): boolean;
}

/** The content of the page. */
export interface FirstRunInput {
  readonly formToken: string;
  /** The one-time token from the link or the form. */
  readonly token?: string | undefined;
  readonly problem?: string;
  readonly values?: ReadonlyMap<string, string>;
}

/** The form of the first run and its processing. */
export class FirstRun {
  readonly #options: FirstRunOptions;

  constructor(options: FirstRunOptions) {
    this.#options = options;
  }

  /**
   * The first run ends as soon as `admin` has a password, and in all processes once one of them has removed the file.
   */
  isPending(): boolean {
    return !this.#options.hasPassword() && isFirstRun(this.#options.settings);
  }

  /** Refuses administration with 403 until the password of `admin` is set. */
  requireDone(): void {
    if (!this.isPending()) return;
    throw new ServiceError(
      "forbidden",
      `Cannot administer this service yet: set the password of "${ADMIN}" on ${this.#options.prefix}${FIRST_RUN} first`,
    );
  }

  /** The page with the form; it has a field for the token unless the link had it. */
  page({ formToken, token, problem, values = new Map() }: FirstRunInput): FormPage {
    const { settings, prefix } = this.#options;
    const needsDetails = settings.require_details_in_terms_and_conditions;
    const isEntitled = this.#isToken(token);
    const fields = [
      ...(isEntitled ? [] : [TOKEN]),
      ...(needsDetails ? DETAILS : []),
      ...PASSWORDS.map((field) => ({ ...field, required: !settings.allow_empty_password })),
    ];
    return {
      title: "First run",
      text: [
        `Welcome to ${settings["branding.name"]}. Set the password of "${ADMIN}", who administers it.`,
        `What the password needs: ${passwordAdvice(settings)}`,
      ],
      ...(problem === undefined ? {} : { problem }),
      buttons: [],
      form: {
        action: `${prefix}${FIRST_RUN}`,
        fields: fields.map((field) => withValue(field, values.get(field.name))),
        hidden: { [TOKEN_FIELD]: formToken, ...(isEntitled && token ? { [TOKEN.name]: token } : {}) },
        submit: "Set the password",
      },
    };
  }

  /**
   * Stores the fields of the form and ends the first run. Throws 403 for a wrong one-time token, 400 for fields that
   * must be corrected and 404 when the first run is over.
   */
  async complete(fields: ReadonlyMap<string, string>): Promise<void> {
    const { settings } = this.#options;
    if (!this.isPending()) throw over();
    if (!this.#isToken(fields.get(TOKEN.name))) throw notEntitled();
    const { name, email } = this.#detailsOf(fields);
    const password = fields.get("password") ?? "";
    if (password !== (fields.get("repeated") ?? "")) throw refused("the two passwords differ");
    await checkPasswordStrength(settings, { login: ADMIN, name, email }, password);
    const hash = password === "" ? "" : await hashPassword(password, hashCost(settings));
    const details = { password: hash, ...(name === "" ? {} : { name }), ...(email === "" ? {} : { email }) };
    if (!await completeFirstRun(settings, details)) throw over();
  }

  #isToken(given: string | undefined): boolean {
    const { token } = this.#options;
    return token !== undefined && given !== undefined && isSame(given.trim(), token);
  }

  #detailsOf(fields: ReadonlyMap<string, string>): { readonly name: string; readonly email: string } {
    if (!this.#options.settings.require_details_in_terms_and_conditions) return { name: "", email: "" };
    const [first = "", last = "", email = ""] = DETAILS.map(({ name, label }) => {
      const value = (fields.get(name) ?? "").trim();
      if (value === "" || value.length > LONGEST || /\p{Cc}/u.test(value)) {
        throw refused(`${quote(label)} is missing or cannot be read`);
      }
      return value;
    });
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw refused(`${quote("E-mail")} is no e-mail address`);
    return { name: `${first} ${last}`, email };
  }
}

/** Longest name or address, in characters. */
const LONGEST = 200;

const TOKEN: FormField = {
  name: "token",
  label: "One-time token",
  kind: "text",
  required: true,
  autocomplete: "off",
  hint: "It stands at the end of the link that the service printed when it started.",
};

const DETAILS: readonly FormField[] = [
  { name: "first_name", label: "First name", kind: "text", required: true, autocomplete: "given-name" },
  { name: "last_name", label: "Last name", kind: "text", required: true, autocomplete: "family-name" },
  { name: "email", label: "E-mail", kind: "email", required: true, autocomplete: "email" },
];

const PASSWORDS: readonly Omit<FormField, "required">[] = [
  { name: "password", label: "Password", kind: "password", autocomplete: "new-password" },
  { name: "repeated", label: "Password again", kind: "password", autocomplete: "new-password" },
];

function withValue(field: FormField, value: string | undefined): FormField {
  return value === undefined || field.kind === "password" || field === TOKEN ? field : { ...field, value };
}

function notEntitled(): ServiceError {
  return new ServiceError(
    "forbidden",
    "The one-time token is not right: open the link that the service printed when it started",
  );
}

function refused(reason: string): ServiceError {
  return new ServiceError("bad-request", `Cannot set the password of "${ADMIN}": ${reason}`);
}

function over(): ServiceError {
  return new ServiceError("not-found", `The first run is over: log in as "${ADMIN}"`);
}
