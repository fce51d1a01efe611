/** @module Tags of records: they differ wherever answers differ. */

import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sharedService } from "@/tests/support/service.ts";

const CLERK = "clerk-0123456789-0123456789-0123456789";
const CHIEF = "chief-0123456789-0123456789-0123456789";

const options = {
  files: {
    "config/service.ini": "[service]\nstatic_path = ../static\n",
    "config/users.cfg": `admin: {}
clerk: {apikey: ${CLERK}, databases: {Demo: {access: {Country: [read]}}}}
chief: {apikey: ${CHIEF}, databases: {Demo: {}}}
public: {databases: {Demo: {}}}
`,
    "static/note.txt": "Sailing is delayed. ".repeat(10),
  },
};
const service = sharedService(options);
const services = { deno: service, node: sharedService({ ...options, args: ["--adapter", "node"] }) };

async function read(apikey: string, tag = "") {
  const headers = { apikey, "If-None-Match": tag };
  const answer = await service().fetch("/db/Demo/Country/CountryCode/NO.json", { headers });
  return { status: answer.status, tag: answer.headers.get("etag") ?? "", text: await answer.text() };
}

Deno.test("callers who see different relations of a record have different tags", async () => {
  const [chief, clerk] = [await read(CHIEF), await read(CLERK)];
  assert.match(chief.text, /"Port"/);
  assert.doesNotMatch(clerk.text, /"Port"/);
  assert.deepEqual(await read(CLERK, chief.tag), clerk, "a copy of the chief's answer is none for the clerk");
  assert.equal((await read(CLERK, clerk.tag)).status, 304);
});

for (const [adapter, started] of Object.entries(services)) {
  for (const target of ["/db/Demo/Country/CountryCode/NO.json", "/static/note.txt"]) {
    for (const encoding of ["gzip", "identity"]) {
      Deno.test(`304 has the tag of the answer that the client has: ${target}, ${encoding} (${adapter})`, async () => {
        const ask = async (known: string) => {
          const headers = { "Accept-Encoding": encoding, "If-None-Match": known };
          const answer = await sendRaw(started().port, { target, headers });
          return [answer.status, answer.headers.get("etag") ?? ""] as const;
        };
        const [, tag] = await ask('"none"');
        assert.equal(tag.startsWith("W/"), encoding === "gzip");
        assert.deepEqual(await ask(`"other", ${tag}`), [304, tag]);
      });
    }
  }
}
