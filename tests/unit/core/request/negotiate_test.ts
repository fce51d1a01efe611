import assert from "node:assert/strict";
import { FormatTable, type NamedFormat } from "@/core/request/formats.ts";

const TABLE = new FormatTable([
  format("json", ["application/json"]),
  format("xml", ["text/xml", "application/xml"]),
  format("csv", ["text/csv"]),
  format("html", ["text/html"]),
  format("txt", ["text/plain"], []),
]);

function format(name: string, contentTypes: string[], accepts?: string[]): NamedFormat {
  const none = () => "";
  const writer = () => () => ({ begin: none, row: none, end: none });
  return {
    name,
    format: { contentTypes, ...(accepts ? { accepts } : {}), writer, document: none, problem: none },
  };
}

Deno.test("Accept chooses the best format there is", () => {
  const cases = [
    [null, "json", "application/json"],
    ["", "json", "application/json"],
    ["*/*", "json", "application/json"],
    ["application/json", "json", "application/json"],
    ["text/xml", "xml", "text/xml"],
    ["application/xml", "xml", "application/xml"],
    ["TEXT/CSV", "csv", "text/csv"],
    ["text/csv; charset=utf-8", "csv", "text/csv"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "html", "text/html"],
    ["application/json;q=0.1,text/csv;q=0.2", "csv", "text/csv"],
    ["text/csv;q=0.5,application/json;q=0.5", "csv", "text/csv"],
    ["*/*,text/csv", "csv", "text/csv"],
    ["text/*", "xml", "text/xml"],
    ["application/*", "json", "application/json"],
    ["image/png,*/*;q=0.1", "json", "application/json"],
    ["*/*,application/json;q=0", "xml", "text/xml"],
    ["text/*,text/xml;q=0", "csv", "text/csv"],
    ["text/plain,text/csv;q=0.1", "csv", "text/csv"],
    ["*/*,application/json;q=0.1", "xml", "text/xml"],
    ["text/*,text/xml;q=0.1,text/csv;q=0.2", "html", "text/html"],
    ["*/*;q=0.1,application/*;q=0.5,application/json;q=0.2", "xml", "application/xml"],
    [" text/csv ; q=1.0 , */* ; q=0 ", "csv", "text/csv"],
    ["*", "json", "application/json"],
    ["image/gif, *; q=.2, */*; q=.2", "json", "application/json"],
    ["text/html, image/gif, *; q=.2, */*; q=.2", "html", "text/html"],
  ] as const;
  for (const [accept, name, contentType] of cases) {
    const chosen = TABLE.negotiate(accept);
    assert.deepEqual([chosen.name, chosen.contentType], [name, contentType], String(accept));
  }
});

Deno.test("an Accept that no format answers is 406, each time it is asked", () => {
  const unknown = [
    "image/png",
    "text/plain",
    "application/json;q=0",
    "json",
    ",",
    "text",
    "*/*;q=0",
    "text/csv;q=2",
  ];
  for (const accept of [...unknown, ...unknown]) {
    assert.throws(() => TABLE.negotiate(accept), { code: "not-acceptable", message: /unsupported/ }, accept);
  }
});

Deno.test("formats are found by their exact names", () => {
  assert.deepEqual(TABLE.names, ["json", "xml", "csv", "html", "txt"]);
  assert.equal(TABLE.get("txt")?.contentType, "text/plain");
  for (const name of ["JSON", "constructor", "__proto__", "toString", ""]) {
    assert.equal(TABLE.has(name), false);
    assert.equal(TABLE.get(name), undefined);
  }
});

Deno.test("many different headers change nothing for the next one", () => {
  for (let number = 0; number < 1000; number++) {
    assert.equal(TABLE.negotiate(`text/csv;q=0.5;n=${number}`).name, "csv");
  }
  assert.equal(TABLE.negotiate("text/xml").name, "xml");
});

Deno.test("without JSON the first format is the fallback", () => {
  const table = new FormatTable([format("csv", ["text/csv"]), format("xml", ["text/xml"])]);
  assert.equal(table.negotiate(null).name, "csv");
  assert.throws(() => new FormatTable([]).fallback, /No format is enabled/);
});
