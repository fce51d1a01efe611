/**
 * The diagram of a database: its tables and relations, as one caller sees them.
 *
 * @module
 */

/** Tables and the relations between them. */
export interface DiagramModel {
  /** A sentence that says what the diagram shows. */
  readonly sentence: string;
  /** At most sixty. */
  readonly tables: readonly DiagramTable[];
  /** Foreign keys. */
  readonly relations: readonly DiagramRelation[];
  /** The number of tables that the diagram leaves out. */
  readonly left: number;
}

/** A table or view. */
export interface DiagramTable {
  /** Its name in the database. */
  readonly name: string;
  /** A path of this service, with the prefix of its base URL. */
  readonly href: string;
  /** `7 columns`; a view says so. */
  readonly note: string;
}

/** A foreign key, as positions in {@link DiagramModel.tables}. */
export interface DiagramRelation {
  /** The table with the foreign key. */
  readonly from: number;
  /** The table that it leads to. */
  readonly to: number;
  /** The columns of the foreign key: `CustomerId`. */
  readonly label: string;
}
