import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";

const service = sharedService();

const MISSING = "/db/Demo/Custmer";

async function problemAt(target: string, headers: Record<string, string> = {}) {
  return await sendRaw(service().port, { target, headers });
}

Deno.test("an error has the same text in body and Warning header, in every format; pages link similar names instead", async () => {
  const text = 'Cannot find table "Custmer" in database "Demo"; the nearest is "Customer"';
  const bodies = {
    json: JSON.stringify({ http_code: 404, description: text }, null, 4),
    csv: `http_code,description\r\n404,"${text.replaceAll('"', '""')}"\r\n`,
  };
  for (const [extension, body] of Object.entries(bodies)) {
    const answer = await problemAt(`${MISSING}.${extension}`);
    assert.deepEqual([answer.status, answer.headers.get("warning"), answer.text], [404, text, body]);
  }
  const xml = await problemAt(`${MISSING}.xml`);
  assert.match(xml.text, /<Rowhouse[^>]*>\s*<http_code>404<\/http_code>\s*<description>[^<]*<\/description>/);
  for (const extension of ["xml", "html", "txt"]) {
    const answer = await problemAt(`${MISSING}.${extension}`);
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get("warning"), text);
    const shown = answer.text.replaceAll("&quot;", '"').replaceAll("&#34;", '"');
    const [beginning = ""] = text.split(";");
    assert.equal(shown.includes(extension === "html" ? `<p>${beginning}</p>` : text), true, extension);
  }
});

Deno.test("before the format is known errors are JSON", async () => {
  const answer = await problemAt("/db/Demo/Customer?nonsense");
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.equal(JSON.parse(answer.text).http_code, 400);
});

Deno.test("an error has the format that Accept asks for", async () => {
  const answer = await problemAt(MISSING, { Accept: "application/xml" });
  assert.equal(answer.headers.get("content-type"), "application/xml; charset=utf-8");
});

Deno.test("an unknown format is 406 with an empty body, and Warning says so", async () => {
  const answer = await problemAt("/db", { Accept: "image/png" });
  assert.deepEqual([answer.status, answer.text, answer.headers.has("content-type")], [406, "", false]);
  assert.match(answer.headers.get("warning") ?? "", /unsupported/);
});

for (
  const target of [
    "/db.xlsx",
    "/db/Demo.xlsx",
    "/db/Demo/Customer.xlsx",
    "/db/Demo/Customer/CustomerId/1.xlsx",
    "/db/Demo/Customer/CustomerId/1,2.xlsx",
    "/db/Demo/Customer/CustomerId/1/Booking.xlsx",
    "/db/Demo/Customer/FirstName,LastName.xlsx",
    "/query/sailings.xlsx",
    "/settings/reflect-status.xlsx",
    "/userdef.xlsx",
  ]
) {
  Deno.test(`the refusal of ${target} says that there is no such format`, async () => {
    const { headers } = await problemAt(target);
    assert.match(headers.get("warning") ?? "", /; there is no format "xlsx"$/);
  });
}

Deno.test("a value with a dot is no ending", async () => {
  const emails = "/db/Demo/Customer/Email/nobody@example.com";
  assert.equal((await problemAt(emails)).text, "[]");
  for (const wrong of [`${emails}?sort=Nothing`, "/db/Demo/Customer/CustomerId/1..x"]) {
    const { status, headers } = await problemAt(wrong);
    assert.equal(status, 400);
    assert.doesNotMatch(headers.get("warning") ?? "", /no format/);
  }
});

const HOSTILE = ["Größe", "%0d%0aSet-Cookie:%20a=b", '"><script>', "%00", "%f0%9f%98%80", "x".repeat(3000)];

for (const name of HOSTILE.map((each) => each.replace("Größe", "Gr%C3%B6%C3%9Fe"))) {
  Deno.test(`the name ${name.slice(0, 24)} in an error is ASCII, on one line and short`, async () => {
    const { status, headers, text } = await problemAt(`/db/Demo/${name}.json`);
    const warning = headers.get("warning") ?? "";
    assert.equal(status, 404);
    assert.match(warning, /^[\x20-\x7e]{1,500}$/);
    assert.equal(headers.has("set-cookie"), false);
    assert.equal(JSON.parse(text).description, warning);
  });
}

Deno.test("an error page shows a hostile name as text", async () => {
  const { text } = await problemAt("/db/Demo/%3Cscript%3Ealert(1)%3C%2Fscript%3E.html");
  assert.equal(text.includes("<script>"), false);
});
