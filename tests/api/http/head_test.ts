import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService } from "@/tests/support/service.ts";

const service = sharedService();

const PATHS = [
  "/",
  "/db.json",
  "/db/Demo.xml",
  "/db/Demo/Country/CountryCode/NO.json",
  "/db/Demo/Country/CountryCode/NO/Name.json",
  "/db/Demo/Country/CountryCode/XX.json",
  "/db/Demo/Country.html",
  "/db/Demo/Nope.csv",
  "/db?nonsense",
  "/settings.json",
  "/version.txt",
  "/healthz",
  ...["json", "xml", "csv", "html", "txt"].flatMap((extension) => [
    `/db/Demo/Port.${extension}?limit=3&count`,
    `/db/Demo/Port.${extension}?limit=3&count&stream`,
  ]),
];

/** Headers that differ between messages, and those of framing. */
const OWN = ["connection", "content-length", "date", "transfer-encoding", "x-request-id"];

for (const target of PATHS) {
  Deno.test(`HEAD ${target} has status and headers of GET, and no body`, async () => {
    const [head, get] = await Promise.all(
      ["HEAD", "GET"].map(async (method) => {
        const { status, headers, text } = await sendRaw(service().port, { method, target });
        const length = headers.get("content-length");
        for (const name of OWN) headers.delete(name);
        return { status, headers: Object.fromEntries(headers), text, length };
      }),
    );
    assert.deepEqual({ ...head, text: "", length: "" }, { ...get, text: "", length: "" });
    assert.equal(head?.text, "");
    assert.equal([undefined, null, get?.length].includes(head?.length), true, "a length is that of GET");
  });
}

for (
  const target of ["/db/Demo/Country/CountryCode/NO.json", "/db/Demo/Country/CountryCode/NO.xml?depth=1"]
) {
  Deno.test(`HEAD ${target} of a record that the client knows is 304, as GET is`, async () => {
    for (const method of ["HEAD", "GET"]) {
      const { status, headers, text } = await sendRaw(service().port, {
        method,
        target,
        headers: { "If-None-Match": "*" },
      });
      assert.deepEqual([status, headers.has("etag"), text], [304, true, ""], method);
    }
  });
}

Deno.test("HEAD counts all records", async () => {
  const { headers } = await sendRaw(service().port, {
    method: "HEAD",
    target: "/db/Demo/Port.json?count&limit=1",
  });
  const { text } = await sendRaw(service().port, { target: "/db/Demo/Port/PortId.json" });
  assert.equal(headers.get("rowhouse-all-record-count"), String(JSON.parse(text).length));
});

Deno.test("/healthz has reading methods and names them", async () => {
  const options = await service().fetch("/healthz", { method: "OPTIONS" });
  assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
  await options.body?.cancel();
  const refused = await service().fetch("/healthz", { method: "POST" });
  await refused.body?.cancel();
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
});
