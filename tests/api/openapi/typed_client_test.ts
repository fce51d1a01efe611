import assert from "node:assert/strict";
import { join } from "node:path";
import { createClient } from "@/tests/support/packages/hey_api.ts";
import { astToString, typesOf } from "@/tests/support/packages/openapi_typescript.ts";
import { ROOT } from "@/tests/support/root.ts";
import { KEYS, startOpenApiService } from "./service.ts";

/** The types come from the document; the program prints the service's answers. */
const PROGRAM = `
const client = createClient<paths>({ baseUrl: Deno.args[0] ?? "", headers: { apikey: "${KEYS.editor}" } });

const created = await client.POST("/db/Demo/Amenity.json", {
  params: { header: { Prefer: "return=representation" } },
  body: { Name: "Library" },
});
const amenity = created.data as components["schemas"]["Demo.Amenity"];
const path = { AmenityId: Number(amenity.AmenityId) };
const key = "/db/Demo/Amenity/AmenityId/{AmenityId}.json";

const changed = await client.PUT(key, { params: { path }, body: { Name: "Reading room" } });
const read = await client.GET(key, { params: { path } });
const name: string | undefined = read.data?.Name;

const ports = await client.GET("/db/Demo/Port/{column}/{value}.json", {
  params: { path: { column: "CountryCode", value: "NO" }, query: { limit: 2, depth: 1 } },
});
const countries: (string | undefined)[] | undefined = ports.data?.map(({ CountryCode }) => CountryCode);

const bookings = await client.GET("/query/bookings-by-year/year/{year}.json", {
  params: { path: { year: "2025" }, query: { limit: 1 } },
});
const booked = bookings.data?.[0]?.["BookedAt"];
const year: string | undefined = typeof booked === "string" ? booked.slice(0, 4) : undefined;

const deleted = await client.DELETE(key, { params: { path } });
const gone = await client.GET(key, { params: { path } });
const problem: number | undefined = gone.error?.http_code;
console.log(JSON.stringify([created.response.status, changed.response.status, name, countries, year,
  deleted.response.status, problem]));
`;

/** Programs with one mistake each, which the types must find. */
const MISTAKES = [
  `await client.GET("/db/Demo/Nothing.json");`,
  `await client.POST("/db/Demo/Amenity.json", { body: { Name: 1 } });`,
  `await client.POST("/db/Demo/Amenity.json", { body: {} });`,
  `await client.GET("/db/Demo/Port/{column}/{value}.json", { params: { path: { column: "None", value: "x" } } });`,
  `const { data } = await client.GET("/db/Demo/Port.json"); console.log(data?.[0]?.Nothing);`,
];

Deno.test("a client whose types are generated from the document compiles, works, and takes no mistakes", async () => {
  await using service = await startOpenApiService();
  await using folder = await generated(service.url);
  const lines = MISTAKES.map((mistake) => `{ // @ts-expect-error: the types refuse it\n${mistake} }`);
  const mistakes = `export async function neverCalled() {\n${lines.join("\n")}\n}\n`;
  const { code, text } = await runDeno(await folder.write(PROGRAM + mistakes), service.url);
  assert.equal(code, 0, text);
  assert.deepEqual(JSON.parse(text.split("\n").find((line) => line.startsWith("[")) ?? ""), [
    201,
    204,
    "Reading room",
    ["NO", "NO"],
    "2025",
    204,
    404,
  ]);
});

/** The functions of a generated client, and one mistake. */
const CALLS = `
import { demoPortList } from "./index.ts";
const { data } = await demoPortList({ baseUrl: Deno.args[0], query: { limit: 2 } });
const names: (string | undefined)[] | undefined = data?.map(({ Name }) => Name);
console.log(JSON.stringify(names?.length));
// @ts-expect-error: the types refuse it
data?.map(({ Nothing }) => Nothing);
`;

// The generator takes a column with the name `$ref` for a reference, so the awkward
// database is not in this document.
Deno.test("a client with functions is generated from the document of a caller without a name, compiles and works", async () => {
  await using service = await startOpenApiService();
  const response = await service.fetch("/openapi.json");
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  try {
    await createClient({
      input: await response.json(),
      output: { path: folder, module: { extension: ".ts" } },
      logs: { level: "silent", file: false },
    });
    await Deno.writeTextFile(join(folder, "program.ts"), CALLS);
    const { code, text } = await runDeno(join(folder, "program.ts"), service.url, ["--no-config"]);
    assert.equal(code, 0, text);
    assert.match(text, /^2$/m);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** A folder with the types of the document of Demo. */
async function generated(url: string) {
  const folder = await Deno.makeTempDir({ prefix: "rowhouse-test-" });
  const response = await fetch(`${url}/openapi/Demo.json`, { headers: { apikey: KEYS.editor } });
  const types = astToString(await typesOf(await response.text()));
  await Deno.writeTextFile(join(folder, "types.ts"), types);
  const client = new URL("../../support/packages/openapi_fetch.ts", import.meta.url).href;
  const imports =
    `import type { components, paths } from "./types.ts";\nimport { createClient } from "${client}";\n` +
    "export type Components = components;\n";
  return {
    async write(program: string): Promise<string> {
      const file = join(folder, "program.ts");
      await Deno.writeTextFile(file, imports + program);
      return file;
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

const CONFIG = ["--config", join(ROOT, "deno.json"), "--lock", join(ROOT, "tests", "deno.lock")];

/** Checks the types of a program, then runs it. */
async function runDeno(program: string, url: string, config = CONFIG) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--check", "--allow-all", ...config, program, url],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}
