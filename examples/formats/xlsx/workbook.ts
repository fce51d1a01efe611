/**
 * Writes a workbook of one sheet, row after row: memory stays constant, however many rows there are.
 *
 * @module
 */

import { joined, ZipWriter } from "./zip.ts";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The files beside the sheet. The styles are those of `cells.ts`: as usual, a date, a date with its time. */
const FILES: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">` +
    '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
  "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>` +
    `<Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  "xl/styles.xml": `<styleSheet xmlns="${MAIN}"><numFmts count="2">` +
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>' +
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>' +
    '<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>' +
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/>' +
    '<xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>',
};

/** Characters of a part that is deflated for itself. */
const PART = 65_536;
/** The most rows of a sheet. */
const MOST_ROWS = 1_048_576;
/**
 * A record of NULLs alone has this cell: rows without any are none, because spreadsheets leave many behind.
 */
const BLANK = ' t="n"/>';
const NOTHING = new Uint8Array();

/** Writes one answer. */
export class SheetWriter {
  readonly #zip = new ZipWriter();
  #rows = 0;
  #text = "";

  /** The workbook up to the first row of the sheet, which has the names. */
  async begin(names?: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for (const [name, text] of Object.entries(FILES)) {
      parts.push(this.#zip.file(name), await this.#zip.part(XML + text, true), this.#zip.endOfFile());
    }
    parts.push(this.#zip.file("xl/worksheets/sheet1.xml"));
    this.#text = `${XML}<worksheet xmlns="${MAIN}"><sheetData>`;
    if (names) this.#add(names);
    return joined(parts);
  }

  /** A row of cells without their places; most rows wait for the next part. */
  row(cells: readonly string[]): Uint8Array | Promise<Uint8Array> {
    this.#add(cells);
    return this.#text.length < PART ? NOTHING : this.#flush();
  }

  /** The rest of the workbook. */
  async end(): Promise<Uint8Array<ArrayBuffer>> {
    const last = await this.#zip.part(`${this.#text}</sheetData></worksheet>`, true);
    return joined([last, this.#zip.endOfFile(), this.#zip.end()]);
  }

  #add(cells: readonly string[]): void {
    const row = ++this.#rows;
    if (row > MOST_ROWS) throw new RangeError(`A sheet has at most ${MOST_ROWS} rows`);
    const placed = (cells.length > 0 && cells.every((cell) => cell === "") ? [BLANK] : cells).map((
      cell,
      at,
    ) => cell === "" ? "" : `<c r="${lettersOf(at)}${row}"${cell}`);
    this.#text += `<row r="${row}">${placed.join("")}</row>`;
  }

  async #flush(): Promise<Uint8Array> {
    const text = this.#text;
    this.#text = "";
    return await this.#zip.part(text);
  }
}

const LETTERS = 26;
const FIRST_LETTER = "A".charCodeAt(0);

/** The name of a column: A to Z, AA and so on. */
function lettersOf(at: number): string {
  let letters = "";
  for (let rest = at; rest >= 0; rest = Math.floor(rest / LETTERS) - 1) {
    letters = String.fromCharCode(FIRST_LETTER + rest % LETTERS) + letters;
  }
  return letters;
}
