/**
 * Settings of the layout of answers.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestService } from "@/tests/support/service.ts";
import { type Effect, jsonOf, statusOf, textOf } from "./effect.ts";

const NORWAY = "/db/Demo/Country/CountryCode/NO";
/** Its local name is Cyrillic. */
const BULGARIA = "/db/Demo/Country/CountryCode/BG";
/** Bodø: in Latin-1, not in ASCII. */
const BODO = "/db/Demo/Port/PortId/2";
/** An employee without a superior: a NULL column. */
const DIRECTOR = "/db/Demo/Employee/EmployeeId/1";

async function encoded(service: TestService, path: string) {
  const answer = await service.fetch(path);
  const [contentType, charset] = (answer.headers.get("content-type") ?? "").split("; charset=");
  return { contentType, charset, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

/** Settings of answers, a test for each, on the demo database. */
export const ANSWERS: readonly Effect[] = [
  {
    keys: ["branding.name"],
    title: "is the XML root, the count header's beginning and the product",
    ini: ["branding.name = Acme-Data"],
    async check(service) {
      const xml = await service.fetch("/db/Demo/Country.xml?limit=1&count");
      assert.match(await xml.text(), /^<\?xml [^>]*\?>\n<Acme-Data [^]*<\/Acme-Data>\s*$/);
      assert.match(xml.headers.get("acme-data-all-record-count") ?? "", /^\d+$/);
      assert.equal(xml.headers.has("rowhouse-all-record-count"), false);
      assert.match(await textOf(service, "/db/Demo/Nope.xml"), /<Acme-Data[ >][^]*<http_code>404</);
      assert.equal((await jsonOf(service, "/settings.json"))["product"], "Acme-Data");
    },
  },
  {
    keys: ["output_encoding"],
    title: "gives single bytes and escapes what they lack",
    ini: ["output_encoding = iso-8859-1"],
    async check(service) {
      for (
        const [extension, escaped] of [["json", "\\u0411\\u044a"], ["xml", "&#"], ["html", "&#"]] as const
      ) {
        const { charset = "", bytes } = await encoded(service, `${BULGARIA}.${extension}`);
        const text = new TextDecoder(charset).decode(bytes);
        assert.equal(text.includes(escaped), true, extension);
        assert.equal(/[\u0400-\u04ff]/.test(text), false, extension);
        if (extension === "json") assert.equal(JSON.parse(text)["LocalName"], "България");
      }
      for (const extension of ["json", "xml", "csv", "txt", "html"]) {
        const { charset = "", bytes } = await encoded(service, `${BODO}.${extension}`);
        assert.equal(charset, "iso-8859-1");
        assert.equal(new TextDecoder(charset).decode(bytes).includes("Bodø"), true, extension);
        assert.equal(bytes.includes(0xf8), true, extension);
      }
      const { bytes } = await encoded(service, `${BODO}.xml`);
      assert.match(
        new TextDecoder("latin1").decode(bytes),
        /^<\?xml version="1.0" encoding="ISO-8859-1"\?>/,
      );
      const csv = await encoded(service, `${BULGARIA}/LocalName.csv`);
      assert.equal(new TextDecoder().decode(csv.bytes), "LocalName\r\n????????\r\n");
      const page = await encoded(service, `${BODO}.html`);
      assert.doesNotMatch(new TextDecoder("latin1").decode(page.bytes), /<meta charset="utf-8"/);
    },
  },
  {
    keys: ["output_encoding"],
    title: "gives nothing but ASCII where it says so",
    ini: ["output_encoding = us-ascii"],
    async check(service) {
      for (
        const [extension, bulgaria] of [["json", "\\u0411"], ["xml", "&#1041;"], ["html", "&#1041;"]] as const
      ) {
        for (const query of ["", "?stream"]) {
          const { charset, bytes } = await encoded(service, `${BULGARIA}.${extension}${query}`);
          assert.equal(charset, "us-ascii");
          assert.equal(bytes.every((byte) => byte < 0x80), true, extension);
          assert.equal(new TextDecoder().decode(bytes).includes(bulgaria), true, extension);
        }
      }
      const negotiated = await service.fetch(BULGARIA, {
        headers: { "accept": "application/xml", "accept-charset": "utf-8" },
      });
      await negotiated.body?.cancel();
      assert.deepEqual([negotiated.status, negotiated.headers.get("content-type")], [
        200,
        "application/xml; charset=us-ascii",
      ]);
    },
  },
  {
    keys: ["output_encoding"],
    title: "gives two bytes per unit",
    ini: ["output_encoding = utf-16le"],
    async check(service) {
      for (const extension of ["json", "xml", "csv", "txt", "html"]) {
        for (const query of ["", "?stream"]) {
          const { charset = "", bytes } = await encoded(service, `${BULGARIA}.${extension}${query}`);
          assert.equal(charset, "utf-16le", extension);
          assert.equal(new TextDecoder("utf-16le").decode(bytes).includes("България"), true, extension);
        }
      }
      const problem = await encoded(service, "/db/Demo/Nope.json");
      assert.equal(JSON.parse(new TextDecoder("utf-16le").decode(problem.bytes)).http_code, 404);
    },
  },
  {
    keys: ["refid_prefix"],
    title: "is the key of every reference in JSON",
    ini: ["refid_prefix = @id"],
    async check(service) {
      const record = await jsonOf(service, `${NORWAY}.json`);
      assert.equal(record["@id"], `${NORWAY}.json`);
      assert.deepEqual(record["Port"], { "@id": `${NORWAY}/Port.json` });
      for (const path of ["/db.json", "/db/Demo.json", "/", `${NORWAY}.json?depth=1`]) {
        const text = await textOf(service, path);
        assert.equal(text.includes('"@id"'), true, path);
        assert.equal(text.includes("__href"), false, path);
      }
      assert.equal((await jsonOf(service, "/settings.json"))["refid_prefix"], "@id");
    },
  },
  {
    keys: ["html_limit"],
    title: "is the limit that pages get",
    ini: ["html_limit = 3"],
    async check(service) {
      const answer = await service.fetch("/db/Demo/Port.html?sort=Name");
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get("location"), "/db/Demo/Port.html?sort=Name&limit=3");
      await answer.body?.cancel();
      assert.equal((await jsonOf(service, "/settings.json"))["default_limit"], 3);
    },
  },
  {
    keys: ["url.substitution.<sequence>", "url.append_substitution"],
    title: "adds sequences to the built-in ones",
    ini: ["url.substitution._lt = <"],
    async check(service) {
      assert.equal(await textOf(service, "/db/Demo/Fare/FareCode/INFANT _lt4/FareCode.json"), '"INFANT <4"');
      assert.equal(await textOf(service, "/db/Demo/Fare/FareCode/M__C/FareCode.json"), '"M/C"');
      const { reversed_url_substitution } = await jsonOf(service, "/settings.json");
      assert.deepEqual(reversed_url_substitution, { "/": "__", ".": "_dot", "<": "_lt" });
    },
  },
  {
    keys: ["url.substitution.<sequence>", "url.append_substitution"],
    title: "replaces the built-in sequences",
    ini: ["url.substitution.~s~ = /", "url.append_substitution = False"],
    async check(service) {
      assert.equal(await textOf(service, "/db/Demo/Fare/FareCode/M~s~C/FareCode.json"), '"M/C"');
      assert.equal(await statusOf(service, "/db/Demo/Fare/FareCode/M__C.json"), 404);
      const record = await jsonOf(service, "/db/Demo/Fare/FareCode/CAR__TRAILER.json");
      assert.equal(record["FareCode"], "CAR__TRAILER");
      const reference = String((await jsonOf(service, "/db/Demo/Fare/FareCode/M~s~C.json"))["__href"]);
      assert.equal(await textOf(service, reference.replace(".json", "/FareCode.json")), '"M/C"');
      assert.deepEqual((await jsonOf(service, "/settings.json"))["reversed_url_substitution"], {
        "/": "~s~",
      });
    },
  },
  {
    keys: ["json_sdb.indent"],
    title: "puts JSON on one line with 0",
    ini: ["json_sdb.indent = 0"],
    async check(service) {
      assert.equal(
        await textOf(service, `${NORWAY}/CountryCode,Name.json`),
        '{"CountryCode":"NO","Name":"Norway"}',
      );
      for (
        const path of ["/db.json", "/settings.json", "/db/Demo/Nope.json", "/db/Demo/Country.json?limit=2"]
      ) {
        assert.equal((await textOf(service, path)).trimEnd().includes("\n"), false, path);
      }
    },
  },
  {
    keys: ["json_sdb.indent"],
    title: "is the number of spaces per level",
    ini: ["json_sdb.indent = 2"],
    async check(service) {
      const text = await textOf(service, `${NORWAY}/CountryCode,Name.json`);
      assert.equal(text, '{\n  "CountryCode": "NO",\n  "Name": "Norway"\n}');
    },
  },
  {
    keys: ["json_sdb.href", "xml_sdb.href"],
    title: "leave references out unless the request asks for them",
    ini: ["json_sdb.href = False", "xml_sdb.href = False"],
    async check(service) {
      const record = await jsonOf(service, `${NORWAY}.json`);
      assert.deepEqual(Object.keys(record), ["CountryCode", "Name", "LocalName", "Currency"]);
      for (
        const path of [
          `${NORWAY}.xml`,
          "/db.json",
          "/db.xml",
          "/db/Demo.json",
          "/db.json?schema",
          "/.json?schema",
        ]
      ) {
        assert.equal((await textOf(service, path)).includes("href"), false, path);
      }
      assert.equal((await textOf(service, "/db/Demo.json?href=true")).includes('"__href"'), true);
      assert.equal((await jsonOf(service, `${NORWAY}.json?href`))["__href"], `${NORWAY}.json`);
      assert.equal(
        (await textOf(service, `${NORWAY}.xml?href=true`)).includes(`href="${NORWAY}.json"`),
        true,
      );
    },
  },
  {
    // The demo's types have no zone; tests/api/values/zones_test.ts has those that have.
    keys: ["json_sdb.utc_suffix"],
    title: "leaves times without a zone as they are",
    ini: ["json_sdb.utc_suffix = True"],
    async check(service) {
      const text = await textOf(service, "/db/Demo/Booking/BookedAt.json?limit=1");
      assert.match(text, /T\d\d:\d\d:\d\d"/);
    },
  },
  {
    keys: ["json_sdb.single_as_array"],
    title: "gives a single record as an array of one, and listed columns of it as an object",
    ini: ["json_sdb.single_as_array = True"],
    async check(service) {
      const records = JSON.parse(await textOf(service, `${NORWAY}.json`));
      assert.deepEqual(records.map(({ Name }: { Name: string }) => Name), ["Norway"]);
      const columns = `${NORWAY}/Name,Currency.json`;
      assert.deepEqual(await jsonOf(service, columns), { Name: "Norway", Currency: "NOK" });
      assert.equal((await jsonOf(service, `${columns}?schema`))["type"], "object");
    },
  },
  {
    keys: ["xml_sdb.root_tag", "xml_sdb.xmlns"],
    title: "name the XML root and its namespace",
    ini: [
      "branding.name = Acme",
      "xml_sdb.root_tag = Données",
      "xml_sdb.xmlns = https://example.com/ns?a=1&b='2'",
    ],
    async check(service) {
      const namespace = "https://example.com/ns?a=1&amp;b='2'";
      for (const path of [`${NORWAY}.xml`, "/db.xml", "/db/Demo/Nope.xml", "/db/Demo/Nope.xsd"]) {
        const text = await textOf(service, path);
        const [, root] = /^<\?xml [^>]*\?>\s*<Données xmlns="([^"]*)"/.exec(text) ?? [];
        assert.equal(root, namespace, path);
        assert.match(text, /<\/Données>\s*$/, path);
      }
      assert.equal((await textOf(service, `${NORWAY}.xsd`)).includes(`targetNamespace="${namespace}"`), true);
    },
  },
  {
    keys: ["xml_sdb.nil_visible", "txt_sdb.nil_visible"],
    title: "turn the defaults for NULL around",
    ini: ["xml_sdb.nil_visible = False", "txt_sdb.nil_visible = True"],
    async check(service) {
      assert.equal((await textOf(service, `${DIRECTOR}.xml`)).includes("ReportsTo"), false);
      assert.equal(
        (await textOf(service, `${DIRECTOR}.xml?nil_visible`)).includes('ReportsTo xsi:nil="true"'),
        true,
      );
      assert.equal((await textOf(service, `${DIRECTOR}.txt`)).includes("<null>"), true);
      assert.equal((await textOf(service, `${DIRECTOR}.txt?nil_visible=0`)).includes("<null>"), false);
    },
  },
  {
    keys: ["csv_sdb.headers_by_default"],
    title: "leaves the header row out unless the request asks for it",
    ini: ["csv_sdb.headers_by_default = False"],
    async check(service) {
      assert.equal(await textOf(service, `${NORWAY}/CountryCode,Name.csv`), "NO,Norway\r\n");
      assert.equal(
        await textOf(service, `${NORWAY}/CountryCode,Name.csv?headers`),
        "CountryCode,Name\r\nNO,Norway\r\n",
      );
    },
  },
];
