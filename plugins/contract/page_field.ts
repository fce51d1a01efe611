/**
 * Fields of forms on pages of blocks.
 *
 * @module
 */

/** A field of a form on a page of blocks. */
export interface PageField {
  /** Tells blocks apart. */
  readonly kind: "field";
  /** The name that its value is sent with. */
  readonly name: string;
  /** Its text. */
  readonly label: string;
  /** The kind of input. `number`: it is never negative, as the digits of phones have no minus. */
  readonly input:
    | "text"
    | "email"
    | "password"
    | "number"
    | "date"
    | "datetime"
    | "time"
    | "long text"
    | "sql"
    | "switch"
    | "select"
    | "radio"
    | "file";
  /** The initial value; of a password only what was typed before the form came back. */
  readonly value?: string;
  /** Browsers do not send the form without it. */
  readonly isRequired?: boolean;
  /** It is shown, but cannot be changed. */
  readonly isReadOnly?: boolean;
  /** A sentence below the label. */
  readonly hint?: string;
  /** The mistake in it. */
  readonly problem?: string;
  /** The choices of `select` and `radio`. */
  readonly options?: readonly PageOption[];
  /** Texts that are offered while one types. */
  readonly offered?: readonly PageOption[];
  /** A switch beside it that stands for "no value": its name, and whether it is on. */
  readonly nothing?: { readonly name: string; readonly label: string; readonly isOn: boolean };
  /** A button beside it that sends the form to look for values: its name and value. */
  readonly search?: { readonly name: string; readonly value: string; readonly label: string };
  /** The HTML attribute `autocomplete`. */
  readonly autocomplete?: string;
  /** The value that a switch sends when it is on. Default: `true`. */
  readonly sends?: string;
  /** For `sql`: the names that may be completed, and the place of a mistake. */
  readonly sql?: PageSql;
  /** It is shown only while the field of this name has one of these values, if scripts run. */
  readonly onlyIf?: { readonly field: string; readonly values: readonly string[] };
}

/** The surroundings of an SQL text. */
export interface PageSql {
  /** The name of the field with the id of the database. */
  readonly database: string;
  /** The names that the caller knows, by the id of the database. */
  readonly names: Readonly<Record<string, PageSqlNames>>;
  /** The place of a mistake, in UTF-16 code units from 0. */
  readonly place?: number;
}

/** The names of a database. */
export interface PageSqlNames {
  /** The type of the database: `postgresql`. */
  readonly type: string;
  /** Columns by table. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

/** A choice. */
export interface PageOption {
  /** The value that it sends. */
  readonly value: string;
  /** Its text. */
  readonly label: string;
}

/** Switches in rows and columns. A switch that is on sends `{row.name}={column.value}`. */
export interface PageMatrix {
  /** Tells blocks apart. */
  readonly kind: "matrix";
  /** The name, for screen readers. */
  readonly caption: string;
  /** The columns, in order. */
  readonly columns: readonly PageOption[];
  /** The rows, in order. */
  readonly rows: readonly {
    readonly name: string;
    readonly label: string;
    readonly note?: string;
    /** The columns whose switches are on. */
    readonly on: readonly string[];
    /** The columns that have a switch. Absent: all. */
    readonly only?: readonly string[];
  }[];
  /** The label of a box that narrows the rows as one types, if scripts run. Empty: no box. */
  readonly narrow: string;
  /** Hidden by scripts unless another field has one of these values. */
  readonly onlyIf?: { readonly field: string; readonly values: readonly string[] };
  /** Hidden by scripts while another field has one of these values. */
  readonly unless?: { readonly field: string; readonly values: readonly string[] };
}
