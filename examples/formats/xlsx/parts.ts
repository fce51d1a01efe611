/**
 * The parts of a workbook that lead to its first sheet.
 *
 * @module
 */

import { posix } from "node:path";
import { walkSmall } from "./xml.ts";
import { Refusal, ZipReader } from "./zip.ts";

/** The texts of a workbook that are read. Absent parts are empty. */
export interface Parts {
  readonly sheet: string;
  /** The texts that cells name by number. */
  readonly strings: string;
  readonly styles: string;
  /** Days count from 1904, as in workbooks of old Macs. */
  readonly isFrom1904: boolean;
}

/** Bytes of all parts that are read, unpacked. */
const MOST = 33_554_432;
/** Characters of a part that is read at once. */
const MOST_AT_ONCE = 262_144;

interface Relation {
  readonly type: string;
  readonly target: string;
}

/** Unpacks the parts. Throws {@link Refusal} for what is no workbook. */
export async function partsOf(bytes: Uint8Array<ArrayBuffer>): Promise<Parts> {
  const zip = new ZipReader(bytes, MOST);
  const [[, { target: book }] = none()] = [...await relationsOf(zip, "")].filter(([, { type }]) =>
    is(type, "officeDocument")
  );
  const relations = await relationsOf(zip, book);
  const { id, isFrom1904 } = firstSheet(small(await zip.text(book)));
  const sheet = relations.get(id);
  if (!sheet || !is(sheet.type, "worksheet")) {
    throw new Refusal("the first sheet of the workbook has no cells");
  }
  const optional = async (type: string) => {
    const found = relations.values().find((each) => is(each.type, type));
    return found && zip.has(found.target) ? await zip.text(found.target) : "";
  };
  return {
    sheet: await zip.text(sheet.target),
    strings: await optional("sharedStrings"),
    styles: await optional("styles"),
    isFrom1904,
  };
}

function none(): never {
  throw new Refusal("this is no workbook");
}

/** Strict workbooks have other addresses with the same end. */
function is(type: string, name: string): boolean {
  return type.endsWith(`/${name}`);
}

/** The parts that a part refers to, by their ids. */
async function relationsOf(zip: ZipReader, part: string): Promise<ReadonlyMap<string, Relation>> {
  const folder = posix.dirname(part);
  const relations = new Map<string, Relation>();
  walkSmall(small(await zip.text(posix.join(folder, "_rels", `${posix.basename(part)}.rels`))), {
    open(name, attribute) {
      if (name !== "Relationship") return;
      const target = attribute("Target") ?? "";
      const path = target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
      relations.set(attribute("Id") ?? "", { type: attribute("Type") ?? "", target: path });
    },
  });
  return relations;
}

function firstSheet(xml: string): { readonly id: string; readonly isFrom1904: boolean } {
  let id: string | undefined;
  let isFrom1904 = false;
  walkSmall(xml, {
    open(name, attribute) {
      if (name === "workbookPr") isFrom1904 = /^(1|true)$/.test(attribute("date1904") ?? "");
      if (name === "sheet") id ??= attribute("id");
    },
  });
  if (id === undefined) throw new Refusal("the workbook has no sheet");
  return { id, isFrom1904 };
}

function small(xml: string): string {
  if (xml.length <= MOST_AT_ONCE) return xml;
  throw new Refusal("the list of the workbook's parts is too long");
}
