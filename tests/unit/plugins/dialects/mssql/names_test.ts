/**
 * Columns that are called like something in the statements that are sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { TestService } from "@/tests/support/service.ts";
import { SERVER } from "./fixture.ts";
import { servePlace, testOnServer } from "@/tests/api/dialects/mssql_service.ts";

/** Names of parameters and variables; the second table is called like the parameters of this service. */
const TABLES = [
  `create table odd ([@1] int primary key, [@2] nvarchar(9), [@keys] int, [n] int, [k0] int);
   insert into odd values (1, 'one', 10, 100, 1000), (2, 'two', 20, 200, 2000)`,
  `create table odder (id int identity primary key, [@keys] int, [@@rowcount] int, [@1] int)`,
  `create table oddest (id int primary key, [@rowhouse_1] int); insert into oddest values (1, 2)`,
];

type Case = readonly [method: string, path: string, body: unknown, status: number, answer: unknown];

const FIRST = { "@1": 1, "@2": "one", "@keys": 10, n: 100, k0: 1000 };
const SECOND = { "@1": 2, "@2": "two", "@keys": 20, n: 200, k0: 2000 };

const CASES: readonly Case[] = [
  ["GET", "odd.json?href=False", undefined, 200, [FIRST, SECOND]],
  ["GET", "odd.json?href=False&limit=1&offset=1&sort=@1", undefined, 200, [SECOND]],
  ["GET", "odd/@1/1.json?href=False", undefined, 200, FIRST],
  ["GET", "odd/@2/t*/@1,@2.json?href=False", undefined, 200, [{ "@1": 2, "@2": "two" }]],
  ["GET", "odd/n/200/@keys.json?href=False&distinct", undefined, 200, [20]],
  ["GET", "odd.json?href=False&stream", undefined, 200, [FIRST, SECOND]],
  ["GET", "odd/@keys/20.json?href=False&stream", undefined, 200, [SECOND]],
  ["POST", "odd.json", { "@1": 3, "@2": "three", "@keys": 30 }, 201, undefined],
  ["PUT", "odd/@1/3.json", { "@2": "drei" }, 204, undefined],
  ["GET", "odd/@1/3/@2.json", undefined, 200, "drei"],
  ["DELETE", "odd/@2/drei.json", undefined, 204, undefined],
  ["GET", "odd/@1/3.json", undefined, 404, undefined],
  ["POST", "odder.json", [{ "@keys": 1, "@@rowcount": 2, "@1": 3 }, { "@keys": 4 }], 201, undefined],
  ["GET", "odder/@@rowcount/2.json?href=False", undefined, 200, [
    { id: 1, "@keys": 1, "@@rowcount": 2, "@1": 3 },
  ]],
];

async function request(service: TestService, method: string, path: string, body: unknown): Promise<Response> {
  return await service.fetch(`/db/Sql/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
}

testOnServer(SERVER, "columns that are called like parameters are read and written", async (server) => {
  await using served = await servePlace(server, TABLES);
  for (const [method, path, body, status, answer] of CASES) {
    const response = await request(served.service, method, path, body);
    const text = await response.text();
    assert.equal(response.status, status, `${method} ${path}: ${text}`);
    if (answer !== undefined) assert.deepEqual(JSON.parse(text), answer, `${method} ${path}`);
  }
});

testOnServer(
  SERVER,
  "a column that is called like a parameter of the service is no failure",
  async (server) => {
    await using served = await servePlace(server, TABLES);
    const response = await request(served.service, "GET", "oddest/id/1.json?href=False", undefined);
    // Only Babelfish confuses a parameter with a column.
    const isBabelfish = response.status === 400;
    const answer = await response.json();
    if (isBabelfish) assert.match(answer.description, /"@rowhouse_1" is ambiguous/);
    else assert.deepEqual([response.status, answer], [200, { id: 1, "@rowhouse_1": 2 }]);
  },
);
