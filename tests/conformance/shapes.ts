/**
 * Shapes, rows, options and pages for tests of formats, and the way to write a whole answer.
 *
 * @module
 */

import type {
  Chunk,
  Format,
  FormatHost,
  Page,
  Pieces,
  Row,
  Shape,
  ShapeColumn,
  ShapeRelation,
  ValueType,
  WriteOptions,
} from "@/plugins/contract.ts";
import { withExtension } from "@/core/documents/references.ts";

/** The services that a format with this name is set up with. */
export function hostOf(name: string): FormatHost {
  return {
    product: "Rowhouse",
    refidPrefix: "__href",
    references: (tree) => withExtension(tree, "__href", name),
    log: { info: () => {}, warn: () => {}, error: () => {} },
  };
}

/** Those of the JSON format. */
export const HOST: FormatHost = hostOf("json");

/** A column that may be NULL. */
export function column(name: string, type: ValueType = "text"): ShapeColumn {
  return {
    name,
    type,
    nullable: true,
    declaredType: type,
    isKey: false,
    isRequired: false,
    isGenerated: false,
  };
}

/** A relation that is a reference, or, with a shape, is expanded in the given cell. */
export function relation(
  name: string,
  options: Partial<Omit<ShapeRelation, "name">> = {},
): ShapeRelation {
  return { name, segment: encodeURIComponent(name.toWellFormed()), many: true, ...options };
}

/** A list of records without relations, unless told otherwise. */
export function shape(columns: readonly ShapeColumn[], rest: Partial<Shape> = {}): Shape {
  return { form: "records", name: "Customer", columns, toOne: [], toMany: [], ...rest };
}

/** Options of a request without parameters, in the form of the core. */
export function options(format: Format, changes: Partial<WriteOptions> = {}): WriteOptions {
  const contentType = format.contentTypes[0] ?? "";
  return { contentType, charset: "utf-8", nullMarker: "<null>", stream: false, ...changes };
}

/** A page of `/db/Shop/Customer` whose links repeat their arguments. */
export function page(changes: Partial<Page> = {}): Page {
  const path = changes.path ?? "/db/Shop/Customer";
  return {
    path,
    user: "public",
    prefix: "",
    origin: "https://data.example",
    formats: ["json", "xml", "csv", "html", "txt"],
    offset: 0,
    menu: [],
    crumbs: [],
    ui: new Map(),
    asset: (name) => `/assets/hash/${name}`,
    link: (extension, parameters) => {
      const query = Object.entries(parameters)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${value}`);
      return `${path}.${extension}${query.length === 0 ? "" : `?${query.join("&")}`}`;
    },
    ...changes,
  };
}

/** The parts of an answer. */
export interface Answer {
  readonly shape: Shape;
  readonly rows: readonly Row[];
  readonly options?: Partial<WriteOptions>;
  readonly page?: Partial<Page>;
}

/** Writes a whole answer. */
export async function write(format: Format, answer: Answer): Promise<string> {
  const writer = format.writer(answer.shape, options(format, answer.options));
  const body = writer(page(answer.page));
  let text = chunkText(await body.begin());
  for (const [index, row] of answer.rows.entries()) text += chunkText(await body.row(row, index === 0));
  return text + chunkText(await body.end());
}

/** A chunk, or all pieces of a row, as text; bytes that are no text are shown one character each. */
export function chunkText(chunk: Chunk | Pieces | Promise<Chunk>): string {
  if (chunk instanceof Promise) throw new TypeError("The chunk comes later: it has to be awaited");
  if (typeof chunk === "string") return chunk;
  if (!(chunk instanceof Uint8Array)) return [...chunk].map(chunkText).join("");
  let text = "";
  for (const byte of chunk) text += String.fromCharCode(byte);
  return text;
}
