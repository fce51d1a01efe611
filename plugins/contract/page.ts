/**
 * Pages that people read; a format may write them.
 *
 * @module
 */

import type { PageList, PageRecord } from "./page_list.ts";
import type { PageAction, PageForm } from "./page_view.ts";

/** Facts for a page beside the data. Links are relative to the host and percent-encoded. */
export interface Page {
  /** The request's path without extension and its query: for titles and links. */
  readonly path: string;
  /** The caller's login; `public` without credentials. */
  readonly user: string;
  /** Scheme and host of this service, for addresses that are copied. */
  readonly origin: string;
  /** The prefix of every path of this service: empty, or the path of `--base-url`. */
  readonly prefix: string;
  /** The URL of the same resource in another format or with other parameters (`undefined` removes one). */
  link(extension: string, changes: Readonly<Record<string, string | undefined>>): string;
  /** The names of all formats that this resource has. */
  readonly formats: readonly string[];
  /** Largest number of rows on this page. Absent: the page has all rows. */
  readonly limit?: number;
  /**
   * The parameter `limit` of links to all rows in other formats. Absent: these need none; otherwise they
   * would lead to the first rows that the database has a limit for.
   */
  readonly wholeLimit?: string;
  /** Number of rows before this page. */
  readonly offset: number;
  /** Number of all rows, if the request asked for it. */
  readonly total?: number;
  /**
   * The address of the login page, which leads back to this page. Absent: no method offers a
   * login, or the user is logged in.
   */
  readonly login?: string;
  /** The address that logs out. Absent: no session. */
  readonly logout?: string;
  /** The action that led to this page, in a sentence. */
  readonly done?: string;
  /** A message beside the data, such as the end of the user's session. */
  readonly notice?: string;
  /** The `csrf_token` of forms on this page, so that other sites cannot submit them. Absent: no session. */
  readonly csrfToken?: string;
  /** The sections of the service that the caller may use. */
  readonly menu: readonly MenuEntry[];
  /** The caller's own account. Absent: no session. */
  readonly account?: PageAccount;
  /** The breadcrumbs from the home page to this page; the last one is the page itself. */
  readonly crumbs: readonly Crumb[];
  /**
   * The parameters `ui.*` of the address by their name without `ui.`: the state of a
   * page that the API has no word for.
   */
  readonly ui: ReadonlyMap<string, string>;
  /** The URL of one of {@link Format.assets}. */
  asset(name: string): string;
  /** The id of the request in the logs; only for errors. */
  readonly requestId?: string;
  /** Links beside the heading, for answers that are neither a list nor a record of a table. */
  readonly actions?: readonly PageAction[];
  /** The facts of a list. Absent: the answer is no list. */
  readonly list?: PageList;
  /** The facts of a record. Absent: the answer is no record. */
  readonly record?: PageRecord;
  /** The ways from the result of a query that a form has run: links would not run it again. */
  readonly run?: PageRun;
}

/** The forms beside the result of a query. */
export interface PageRun {
  /** Runs it again: with other values, as a file or as a chart. */
  readonly again: PageForm;
  /** Number of rows before those of the page. */
  readonly before: number;
  /**
   * Runs it again for other rows: a button sends the number of rows before them as `ui.offset`. Absent:
   * running it again may change something.
   */
  readonly others?: PageForm;
}

/** A link of the menu. */
export interface MenuEntry {
  /** Its text. */
  readonly label: string;
  /** A path of this service, with the prefix of its base URL. */
  readonly href: string;
  /** The page belongs to this section. */
  readonly isCurrent: boolean;
  /** Entries of a group; its own address is not used then. */
  readonly below?: readonly MenuEntry[];
}

/** The account menu. */
export interface PageAccount {
  /** The login. */
  readonly login: string;
  /** The person's name; empty without one. */
  readonly name: string;
  /** The e-mail address; empty without one. */
  readonly email: string;
  /** The address of the account's own page. Absent: the account cannot be changed. */
  readonly href?: string;
}

/** A step on the way to a page. Without `href` it is text. */
export interface Crumb {
  /** Its text. */
  readonly label: string;
  /** A path of this service, with the prefix of its base URL. */
  readonly href?: string;
}

/** A page with a form. All texts are plain English text. */
export interface FormPage {
  /** The heading. */
  readonly title: string;
  /** Paragraphs at the top. */
  readonly text: readonly string[];
  /** The mistake, in words; it must be visible to screen readers. */
  readonly problem?: string;
  /** Between the texts and the form. */
  readonly buttons: readonly Button[];
  /** Absent: the page has buttons only. */
  readonly form?: Form;
}

/** A link that looks like a button. */
export interface Button {
  /** The text on it. */
  readonly label: string;
  /** A path of this service, with the prefix of its base URL. */
  readonly href: string;
}

/** Sent by POST as `application/x-www-form-urlencoded`. */
export interface Form {
  /** A path of this service, with the prefix of its base URL. */
  readonly action: string;
  /** In the order in which people fill them in. */
  readonly fields: readonly FormField[];
  /** Hidden names and values that are sent along. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The label of the button. */
  readonly submit: string;
}

/** A field of a form. */
export interface FormField {
  /** The name that its value is sent with. */
  readonly name: string;
  /** The text beside it. */
  readonly label: string;
  /** The kind of input; passwords are hidden. */
  readonly kind: "text" | "email" | "password";
  /** Browsers do not submit the form without it. */
  readonly required: boolean;
  /** The HTML attribute `autocomplete`: `username`, `current-password`. */
  readonly autocomplete: string;
  /** The initial value; never for passwords. */
  readonly value?: string;
  /** A sentence below it. */
  readonly hint?: string;
  /** It is shown, but cannot be changed. */
  readonly isReadOnly?: boolean;
  /** The problem of the page is about it. */
  readonly isWrong?: boolean;
}
