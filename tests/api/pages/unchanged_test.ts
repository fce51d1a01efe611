/** @module Forms of definitions that are sent as they were opened: they change nothing. */

import assert from "node:assert/strict";
import { browserOf, homeOf, PASSWORD } from "@/tests/api/login/home.ts";
import { sentForm } from "@/tests/support/sent_form.ts";
import { sharedService } from "@/tests/support/service.ts";

const DATABASES = `
Demo:
  db_type: sqlite
  db_name: ../state/demo.db
  desc: "Two\\nlines"
  limit: 7
  labels: {Port: [Locode, Name]}
  alternate_key: {RevenueByMonth: [Month]}
  excluded_columns: {Employee: [Salary]}
  excluded_tables: ["secret_*"]
Far:
  db_type: postgresql
  db_name: shop
  db_host: db.example
  db_port: 6543
  db_schema: [a, b]
  excluded_columns: {Employee: []}
  autoconnect: false
  ssl: verify-ca
  autoload_user: {dbuser: reader, dbpass: hidden}
  replicas: [{db_host: other.example}]
  pool: {max: 3}
`;
const USERS = `
admin: {password: ${PASSWORD}-admin}
otto:
  name: Otto
  email: otto@example.com
  dbdef: [view]
  querydef: [create]
  view: [admin]
  databases:
    Demo: {access: {"*": [read], Port: [read, update], Vessel: []}}
    Far: {dbuser: app, dbpass: hidden}
    Gone: {dbuser: app, dbpass: hidden, access: {"*": [read]}}
`;
const QUERIES = `
port:
  database: Demo
  desc: "One port\\nby its number"
  sqlstr: SELECT Name FROM Port WHERE PortId = :id AND HasCustoms = :customs
  parameters: {id: integer}
  http_methods: {GET: true, POST: true}
  read_only: true
  read: [otto]
  execute: [public, otto]
`;
const home = homeOf({ users: USERS });
const files = { "config/databases.cfg": DATABASES, "config/querydefs.cfg": QUERIES };
const service = sharedService({ ...home, files: { ...home.files, ...files } });

for (const path of ["/dbdef/Demo", "/dbdef/Far", "/userdef/otto", "/querydef/port"]) {
  Deno.test(`the form of ${path} that is sent as it was opened changes nothing`, async () => {
    const browser = await browserOf(service(), "admin", `${PASSWORD}-admin`);
    const read = async () => JSON.parse((await browser.get(`${path}.json`)).text);
    const before = await read();
    const body = sentForm((await browser.get(`${path}.html?ui.edit`)).text);
    const headers = { Origin: service().url };
    const sent = await browser.send(`/ui${path}`, { method: "POST", redirect: "manual", headers, body });
    assert.equal(sent.status, 303, sent.text);
    assert.deepEqual(await read(), before);
  });
}

Deno.test("the form of a query offers to declare no type, as PostgreSQL infers what a parameter is compared with", async () => {
  const browser = await browserOf(service(), "admin", `${PASSWORD}-admin`);
  const { text } = await browser.get("/querydef/port.html?ui.edit");
  const chosen = [...text.matchAll(/name="s\.parameters\.(\w+)"[^>]*>.*?<option value="(\w*)" selected/g)];
  assert.deepEqual(chosen.map(([, name, type]) => [name, type]), [["id", "integer"], ["customs", ""]]);
});
