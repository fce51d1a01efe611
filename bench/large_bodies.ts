/**
 * Bodies of about 10 MiB, each expensive in another way: to read, to refuse or to write.
 *
 * @module
 */

/** A body that is generated when it is sent, so that only one at a time needs memory. */
export interface LargeBody {
  readonly name: string;
  /** The path of its request. */
  readonly path: string;
  /** Its `Content-Type`. */
  readonly type: string;
  make(): string;
}

const JSON_TYPE = "application/json";
const XML_TYPE = "text/xml";
const CSV_TYPE = "text/csv";

/** A little below `max_body_size`. */
const SIZE = 10 * 2 ** 20 - 1000;
const AMENITY = "/db/Demo/Amenity";

/** Most of them are refused: the subject is the wait of other requests. */
export const LARGE_BODIES: readonly LargeBody[] = [
  json("many keys in one object", () => `{${filled((index) => `"k${index}":1`, ",")}}`),
  json("many wrong records", () => `[${filled(() => '{"Name":[]}', ",")}]`),
  json("many empty records", () => `[${filled(() => "{}", ",")}]`),
  json("one long string", () => `{"Name":"${"x".repeat(SIZE)}"}`),
  json("one long string of escapes", () => `{"Name":"${filled(() => "\\u0041", "")}"}`),
  json("one long number", () => `{"Name":${"9".repeat(SIZE)}}`),
  json("one list as a value", () => `{"Name":[${filled(() => "1", ",")}]}`),
  json("one object as a value", () => `{"Name":{${filled((index) => `"k${index}":1`, ",")}}}`),
  json("nothing but white space", () => `[${" ".repeat(SIZE)}]`),
  xml("many attributes of one element", () => `<Amenity ${filled((index) => `a${index}="1"`, " ")}/>`),
  xml("many empty records", () => filled(() => "<Amenity/>", "")),
  xml("many columns in one record", () => `<Amenity>${filled((index) => `<k${index}/>`, "")}</Amenity>`),
  xml("many elements in one column", () => `<Amenity><Name>${filled(() => "<a/>", "")}</Name></Amenity>`),
  xml("one long text", () => `<Amenity><Name>${"x".repeat(SIZE)}</Name></Amenity>`),
  xml("one long text of references", () => `<Amenity><Name>${filled(() => "&#65;", "")}</Name></Amenity>`),
  xml("one long comment", () => `<!--${"x".repeat(SIZE)}-->`),
  csv("many columns", () => filled((index) => (index % 100).toString(36), ",")),
  csv("many fields in the second line", () => `Name\n${filled(() => "x", ",")}`),
  csv("many short lines", () => `Name\n${filled(() => "x", "\n")}`),
  csv("many empty lines", () => `Name\n${filled(() => "", "\n")}`),
  csv("one long field of quotes", () => `Name\n"${filled(() => '""', "")}"`),
  csv("one long field of lines", () => `Name\n"${filled(() => "\n", "")}"`),
  csv("one long field", () => `Name\n"${"x".repeat(SIZE)}"`),
  {
    name: "json: valid records",
    path: "/db/Demo/Customer.json",
    type: JSON_TYPE,
    make: () => `[${filled(() => JSON.stringify(customer()), ",")}]`,
  },
  {
    name: "xml: valid records",
    path: "/db/Demo/Customer.xml",
    type: XML_TYPE,
    make: () => document(filled(() => `<Customer>${elements(customer())}</Customer>`, "")),
  },
  {
    name: "csv: valid records",
    path: "/db/Demo/Customer.csv",
    type: CSV_TYPE,
    make: () => `${Object.keys(customer()).join()}\n${filled(() => Object.values(customer()).join(), "\n")}`,
  },
];

function json(name: string, make: () => string): LargeBody {
  return { name: `json: ${name}`, path: `${AMENITY}.json`, type: JSON_TYPE, make };
}

function xml(name: string, make: () => string): LargeBody {
  return { name: `xml: ${name}`, path: `${AMENITY}.xml`, type: XML_TYPE, make: () => document(make()) };
}

function csv(name: string, make: () => string): LargeBody {
  return { name: `csv: ${name}`, path: `${AMENITY}.csv`, type: CSV_TYPE, make };
}

function document(content: string): string {
  return `<Rowhouse xmlns="urn:rowhouse">${content}</Rowhouse>`;
}

/** As many parts as fit into a body. */
function filled(part: (index: number) => string, separator: string): string {
  const parts: string[] = [];
  for (let size = 0; size < SIZE - 200;) {
    const text = part(parts.length);
    parts.push(text);
    size += text.length + separator.length;
  }
  return parts.join(separator);
}

function elements(members: Readonly<Record<string, string>>): string {
  return Object.entries(members).map(([name, value]) => `<${name}>${value}</${name}>`).join("");
}

let serial = 0;

/** A record whose address is unique. */
export function customer(): Readonly<Record<string, string>> {
  serial++;
  return {
    FirstName: `First ${serial}`,
    LastName: "Bulk",
    Email: `bulk${serial}@example.org`,
    CountryCode: "NO",
    BirthDate: "1990-01-31",
  };
}
