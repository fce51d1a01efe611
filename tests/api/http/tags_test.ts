/** @module Tags of records: they differ wherever answers differ. */

import assert from "node:assert/strict";
import { sharedService } from "@/tests/support/service.ts";

const CLERK = "clerk-0123456789-0123456789-0123456789";
const CHIEF = "chief-0123456789-0123456789-0123456789";

const service = sharedService({
  files: {
    "config/users.cfg": `admin: {}
clerk: {apikey: ${CLERK}, databases: {Demo: {access: {Country: [read]}}}}
chief: {apikey: ${CHIEF}, databases: {Demo: {}}}
`,
  },
});

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
