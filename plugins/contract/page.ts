/**
 * Pages for people, which a format may write.
 *
 * @module
 */

/** What a page for people needs to know beyond the data. Links are relative to the host and percent-encoded. */
export interface Page {
  /** The request's path without extension and its query: for titles and links. */
  readonly path: string;
  /** Who is asking; `public` without credentials. */
  readonly user: string;
  /** The prefix of every path of this service: empty, or the path of `--base-url`. */
  readonly prefix: string;
  /** The same resource in another format or with other parameters (`undefined` removes one). */
  link(extension: string, changes: Readonly<Record<string, string | undefined>>): string;
  /** The names of all formats that this resource has. */
  readonly formats: readonly string[];
  /** Most rows on this page. Absent: all of them are there. */
  readonly limit?: number;
  /** Rows before the first one of this page. */
  readonly offset: number;
  /** Number of all rows, where the request asked for it. */
  readonly total?: number;
  /** Where to log in and come back to this page. Absent: there is nothing to log in with, or it is done. */
  readonly login?: string;
  /** Where to log out. Absent: there is no session. */
  readonly logout?: string;
  /** What people have to be told beside what they asked for: their session has ended. */
  readonly notice?: string;
  /** What forms of this page carry as `csrf_token`, so that no other site can send them. Absent: there is no session. */
  readonly csrfToken?: string;
}

/** A page whose point is a form. All texts are plain text in English. */
export interface FormPage {
  /** The heading. */
  readonly title: string;
  /** Paragraphs above everything else. */
  readonly text: readonly string[];
  /** What went wrong, in words; readers of screens have to notice it. */
  readonly problem?: string;
  /** Between the texts and the form. */
  readonly buttons: readonly Button[];
  /** Absent: the page has buttons only. */
  readonly form?: Form;
}

/** A link that looks like a button. */
export interface Button {
  /** What stands on it. */
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
  /** Names and values that are sent along and not shown. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The text of the button. */
  readonly submit: string;
}

/** A field of a form. */
export interface FormField {
  /** What it is sent as. */
  readonly name: string;
  /** What stands beside it. */
  readonly label: string;
  /** What may be typed into it, and whether that is hidden. */
  readonly kind: "text" | "email" | "password";
  /** Browsers do not send the form without it. */
  readonly required: boolean;
  /** As HTML's attribute of that name: `username`, `current-password`. */
  readonly autocomplete: string;
  /** What stands in it at first; never for passwords. */
  readonly value?: string;
  /** A sentence below it. */
  readonly hint?: string;
}
