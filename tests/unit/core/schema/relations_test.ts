import assert from "node:assert/strict";
import type { TableDescription } from "@/core/catalog.ts";
import { nameRelations } from "@/core/schema/name_relations.ts";
import { table } from "@/tests/unit/core/tables.ts";

/** `Owner.name -> Target (one|many)` for all relations. */
function named(...tables: readonly TableDescription[]): string[] {
  return [...nameRelations(tables).values()].flat().map(({ local, foreign, name, many }) =>
    `${local.table}.${name} -> ${foreign.table} (${many ? "many" : "one"})`
  );
}

const PERSON = table("Person", "Id", { key: ["Id"] });

Deno.test("a relation is called as the related table, in both directions", () => {
  assert.deepEqual(
    named(PERSON, table("Letter", "Id Sender", { references: [["Sender", "Person", "Id"]] })),
    [
      "Person.Letter -> Letter (many)",
      "Letter.Person -> Person (one)",
    ],
  );
});

Deno.test("a self-reference is called _1 and _N", () => {
  assert.deepEqual(named(table("Folder", "Id Inside", { references: [["Inside", "Folder", "Id"]] })), [
    "Folder.Folder_1 -> Folder (one)",
    "Folder.Folder_N -> Folder (many)",
  ]);
});

Deno.test("two self-references differ by their columns", () => {
  const references = [["A", "T", "Id"], ["B", "T", "Id"]] as const;
  assert.deepEqual(named(table("T", "Id A B", { references })), [
    "T.T_1 -> T (one)",
    "T.T_B -> T (one)",
    "T.T_N -> T (many)",
    "T.T_B_N -> T (many)",
  ]);
});

Deno.test("further relations between two tables are called by their columns", () => {
  const letter = table("Letter", "Id Sender Receiver", {
    references: [["Sender", "Person", "Id"], ["Receiver", "Person", "Id"]],
  });
  assert.deepEqual(named(PERSON, letter), [
    "Person.Letter -> Letter (many)",
    "Person.Letter_Receiver -> Letter (many)",
    "Letter.Person -> Person (one)",
    "Letter.Person_Receiver -> Person (one)",
  ]);
});

Deno.test("to-one keeps a name that both directions would have", () => {
  const b = table("B", "Id Other", { references: [["Other", "A", "Id"]] });
  assert.deepEqual(named(table("A", "Id X", { references: [["X", "B", "Id"]] }), b), [
    "A.B -> B (one)",
    "A.B_Other -> B (many)",
    "B.A -> A (one)",
    "B.A_X -> A (many)",
  ]);
});

Deno.test("a column's name is never a relation's", () => {
  const profile = table("Profile", "Id Person", { references: [["Id", "Person", "Id"]] });
  assert.deepEqual(named(PERSON, profile), [
    "Person.Profile -> Profile (many)",
    "Profile.Person_Id -> Person (one)",
  ]);
});

Deno.test("composite columns are joined by underscores", () => {
  const shelf = table("Shelf", "Room Place Book");
  const book = table("Book", "Room Place Shelf", { references: [["Room,Place", "Shelf", "Room,Place"]] });
  assert.deepEqual(named(shelf, book), [
    "Shelf.Book_Room_Place -> Book (many)",
    "Book.Shelf_Room_Place -> Shelf (one)",
  ]);
});

Deno.test("names are free however many are taken", () => {
  const columns = "Id Person Person_Id Person_Id_1 Person_Id_1_2";
  const taken = table("T", columns, { references: [["Id", "Person", "Id"]] });
  assert.deepEqual(named(PERSON, taken), ["Person.T -> T (many)", "T.Person_Id_1_3 -> Person (one)"]);
});

Deno.test("a key that leads to no table or column is no relation", () => {
  const lost = table("T", "Id", { references: [["Id", "Gone", "Id"], ["Id", "Person", "Gone"]] });
  assert.deepEqual(named(PERSON, lost), []);
});
