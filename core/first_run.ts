/**
 * The first run: until the password of `admin` is set nobody can administer the service. Whoever sits at this machine sets
 * it freely, anybody else needs the one-time token that was printed at the start.
 *
 * @module
 */

import { isIP } from "node:net";
import { checkPasswordStrength, completeFirstRun, hashCost, isFirstRun } from "@/config/mod.ts";
import { TOKEN_FIELD } from "./cross_site.ts";
import { quote, ServiceError } from "./errors.ts";
import { hashPassword } from "./passwords.ts";
import { ADMIN } from "./permissions.ts";
import { isSame } from "./sessions/secret.ts";
import type { Settings } from "@/config/settings.ts";
import type { FormField, FormPage, Sender } from "@/plugins/contract.ts";

/** Path of the page below the prefix. */
export const FIRST_RUN = "/first-run";

/** What is settled at the start. */
export interface FirstRunOptions {
  readonly settings: Settings;
  /** Path of `--base-url`, empty without one. */
  readonly prefix: string;
  /** Scheme and host of `--base-url`. */
  readonly origin?: string | undefined;
  /** The one-time token; without one only this machine can do it. */
  readonly token?: string | undefined;
}

/** What the page is shown with. */
export interface FirstRunInput {
  readonly sender: Sender;
  readonly formToken: string;
  readonly problem?: string;
  readonly values?: ReadonlyMap<string, string>;
}

/** The form of the first run, and what becomes of it. */
export class FirstRun {
  readonly #options: FirstRunOptions;

  constructor(options: FirstRunOptions) {
    this.#options = options;
  }

  /** The file tells it: another process, or `main.ts set-password admin`, may end the first run. */
  isPending(): boolean {
    return isFirstRun(this.#options.settings);
  }

  /** Refuses with 403 to administer anything before the password of `admin` is set. */
  requireDone(): void {
    if (!this.isPending()) return;
    throw new ServiceError(
      "forbidden",
      `Cannot administer this service yet: set the password of "${ADMIN}" on ${this.#options.prefix}${FIRST_RUN} first`,
    );
  }

  /** The page with the form; it asks for the token only where one is needed. */
  page({ sender, formToken, problem, values = new Map() }: FirstRunInput): FormPage {
    const { settings, prefix } = this.#options;
    const needsDetails = settings.require_details_in_terms_and_conditions;
    const fields = [
      ...(this.#isFree(sender) ? [] : [TOKEN]),
      ...(needsDetails ? DETAILS : []),
      ...PASSWORDS.map((field) => ({ ...field, required: !settings.allow_empty_password })),
    ];
    return {
      title: "First run",
      text: [`Welcome to ${settings["branding.name"]}. Set the password of "${ADMIN}", who administers it.`],
      ...(problem === undefined ? {} : { problem }),
      buttons: [],
      form: {
        action: `${prefix}${FIRST_RUN}`,
        fields: fields.map((field) => withValue(field, values.get(field.name))),
        hidden: { [TOKEN_FIELD]: formToken },
        submit: "Set the password",
      },
    };
  }

  /**
   * Stores what the form was sent with and ends the first run. Throws 403 for a wrong one-time token, 400 for what has to
   * be corrected and 404 when the first run is over.
   */
  async complete(fields: ReadonlyMap<string, string>, sender: Sender): Promise<void> {
    const { settings } = this.#options;
    if (!this.isPending()) throw over();
    this.#requireEntry(fields.get(TOKEN.name), sender);
    const { name, email } = this.#detailsOf(fields);
    const password = fields.get("password") ?? "";
    if (password !== (fields.get("repeated") ?? "")) throw refused("the two passwords differ");
    await checkPasswordStrength({ settings }, { login: ADMIN, name, email }, password);
    const hash = password === "" ? "" : await hashPassword(password, hashCost(settings));
    const details = { password: hash, ...(name === "" ? {} : { name }), ...(email === "" ? {} : { email }) };
    if (!await completeFirstRun(settings, details)) throw over();
  }

  #requireEntry(given: string | undefined, sender: Sender): void {
    if (this.#isFree(sender)) return;
    const { token } = this.#options;
    if (token !== undefined && given !== undefined && isSame(given.trim(), token)) return;
    throw new ServiceError(
      "forbidden",
      "The one-time token is not right: the service printed it when it started",
    );
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

  /** Only who is at this machine: no proxy in between, and no name that a page elsewhere may have given to it. */
  #isFree({ headers, client }: Sender): boolean {
    const hasProxy = ["forwarded", "via", "x-real-ip"].some((name) => headers.has(name));
    const forwarded = headers.get("x-forwarded-for")?.split(",").map((entry) => entry.trim()) ?? [];
    return !hasProxy && [client.address, ...forwarded].every(isLoopback) && this.#isOwnName(headers);
  }

  #isOwnName(headers: Headers): boolean {
    const name = URL.parse(`http://${headers.get("host") ?? ""}`)?.hostname;
    const { origin } = this.#options;
    if (name === undefined) return false;
    return name === "localhost" || isLoopback(name.replace(/^\[|\]$/g, "")) ||
      (origin !== undefined && URL.parse(origin)?.hostname === name);
  }
}

/** Longest name or address. */
const LONGEST = 200;

const TOKEN: FormField = {
  name: "token",
  label: "One-time token",
  kind: "text",
  required: true,
  autocomplete: "off",
  hint: "The service printed it when it started.",
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

function isLoopback(address: string): boolean {
  return isIP(address) === 4 ? address.startsWith("127.") : /^(::1|0:0:0:0:0:0:0:1)$/.test(address);
}

function refused(reason: string): ServiceError {
  return new ServiceError("bad-request", `Cannot set the password of "${ADMIN}": ${reason}`);
}

function over(): ServiceError {
  return new ServiceError("not-found", `The first run is over: log in as "${ADMIN}"`);
}
