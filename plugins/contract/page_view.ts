/**
 * Pages that are more than data, as blocks: the core says what a page shows, a format says how it looks.
 *
 * @module
 */

import type { DiagramModel } from "./diagram.ts";
import type { PageField, PageMatrix } from "./page_field.ts";
import type { ChartModel } from "./summary.ts";

/**
 * A page of blocks. All texts are plain text. Links have the prefix of the base URL; those to other pages end
 * in `.html`, which a format with another name may replace by its own extension.
 */
export interface PageView {
  /** The heading; the title of the page begins with it. */
  readonly title: string;
  /** A sentence below the heading. */
  readonly lead?: string;
  /** Links beside the heading, the most important one first. */
  readonly actions?: readonly PageAction[];
  /** Its parts, in order. */
  readonly blocks: readonly PageBlock[];
  /** The page loads itself again after this many seconds, if scripts run. */
  readonly refresh?: number;
}

/** A part of a page. */
export type PageBlock =
  | { readonly kind: "text"; readonly text: string }
  | PageNotice
  | PageSection
  | PageLinks
  | PageFacts
  | PageTable
  | PageForm
  | PageCode
  | PageChart
  | PageDiagram
  | PageExplorer;

/** A chart. */
export interface PageChart {
  /** Tells blocks apart. */
  readonly kind: "chart";
  /** The chart as data. */
  readonly chart: ChartModel;
}

/** The diagram of a database. */
export interface PageDiagram {
  /** Tells blocks apart. */
  readonly kind: "diagram";
  /** The diagram as data. */
  readonly diagram: DiagramModel;
}

/** A place where the operations of an OpenAPI document can be tried. */
export interface PageExplorer {
  /** Tells blocks apart. */
  readonly kind: "explorer";
  /** The address of the document as JSON. */
  readonly document: string;
  /** The blocks in its place where no script runs. */
  readonly otherwise: readonly PageBlock[];
}

/** The meaning of a notice, of a status or of a link that does something. */
export type Tone = "plain" | "good" | "warning" | "problem";

/** A link that looks like a button. */
export interface PageAction {
  /** Its text. */
  readonly label: string;
  /** A path of this service, or the fragment of a section. */
  readonly href: string;
  /** `problem`: it leads to the end of something. Default: plain. */
  readonly tone?: Tone;
  /** It opens beside this page, which must not be left. */
  readonly isBeside?: true;
}

/** A message that stands out. */
export interface PageNotice {
  /** Tells blocks apart. */
  readonly kind: "notice";
  /** How it looks. */
  readonly tone: Tone;
  /** The text. */
  readonly text: string;
  /** Links in it. */
  readonly actions?: readonly PageAction[];
}

/** Blocks under a heading. */
export interface PageSection {
  /** Tells blocks apart. */
  readonly kind: "section";
  /** The heading. */
  readonly title: string;
  /** The fragment that links to it. */
  readonly id: string;
  /** Its parts, in order. */
  readonly blocks: readonly PageBlock[];
  /** Whether it can be folded, and how it starts. Absent: it is always open. */
  readonly folded?: boolean;
}

/** Links with a sentence each. */
export interface PageLinks {
  /** Tells blocks apart. */
  readonly kind: "links";
  /** `cards` side by side, `list` below each other, `steps` with a mark for what is done. */
  readonly style: "cards" | "list" | "steps";
  /** The items, in order. */
  readonly items: readonly PageLink[];
  /** The text if there are none. */
  readonly empty?: string;
}

/** A link with a sentence. */
export interface PageLink {
  /** Its text. */
  readonly label: string;
  /** Absent: the caller may not follow it. */
  readonly href?: string;
  /** A sentence about it. */
  readonly note?: string;
  /** Its status: `connected`. */
  readonly status?: { readonly text: string; readonly tone: Tone };
  /** For steps: it is done. */
  readonly isDone?: boolean;
}

/** Text in a table or beside a name. */
export type PageText = string | {
  /** The text. */
  readonly text: string;
  /** A path of this service, or the fragment of a section. */
  readonly href?: string;
  /** How it looks. */
  readonly tone?: Tone;
  /** It is a name or a text of programs. */
  readonly isCode?: true;
};

/** Names with their values. */
export interface PageFacts {
  /** Tells blocks apart. */
  readonly kind: "facts";
  /** The items, in order. */
  readonly items: readonly { readonly label: string; readonly value: PageText; readonly note?: string }[];
}

/** A table that is no list of records. */
export interface PageTable {
  /** Tells blocks apart. */
  readonly kind: "table";
  /** The name, for screen readers. */
  readonly caption: string;
  /** The columns, in order. */
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  /** The rows, in order. */
  readonly rows: readonly (readonly PageText[])[];
  /** The text if there are no rows. */
  readonly empty: string;
  /** The label of a box that narrows the rows as one types, if scripts run. Absent: no box. */
  readonly narrow?: string;
}

/** A text for programs that can be copied. */
export interface PageCode {
  /** Tells blocks apart. */
  readonly kind: "code";
  /** Its text. */
  readonly label: string;
  /** The text. */
  readonly text: string;
}

/** A form. */
export interface PageForm {
  /** Tells blocks apart. */
  readonly kind: "form";
  /** The address that it is sent to. */
  readonly action: string;
  /** Default: post. */
  readonly method?: "get" | "post";
  /** Hidden names and values that are sent along. */
  readonly hidden: Readonly<Record<string, string | readonly string[]>>;
  /** The fields, in order. */
  readonly fields: readonly (PageField | PageMatrix)[];
  /** The mistake of the whole form. */
  readonly problem?: string;
  /** Blocks between the fields and the buttons: the result of a test. */
  readonly before?: readonly PageBlock[];
  /** The buttons; the first one is pressed by the enter key. */
  readonly buttons: readonly PageButton[];
  /** The way back without doing anything. */
  readonly cancel?: string;
  /** Its fields stand beside each other. */
  readonly isRow?: true;
  /** It sends a file. */
  readonly hasFile?: true;
}

/** A button of a form. */
export interface PageButton {
  /** Its text. */
  readonly label: string;
  /** The name and value that it sends. Absent: none. */
  readonly name?: string;
  /** The value that it sends. */
  readonly value?: string;
  /** How it looks. */
  readonly tone?: Tone;
  /** It works on an unfinished form: browsers do not check required fields. */
  readonly isDraft?: true;
}
