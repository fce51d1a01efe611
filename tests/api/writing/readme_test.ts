import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "@/tests/support/root.ts";
import { startService } from "@/tests/support/service.ts";
import { findProgram } from "@/tests/support/servers/programs.ts";

const KEY = "editor-0123456789-0123456789-0123456789";
const USERS =
  `public: {databases: {Demo: {access: {"*": [read]}}}}\neditor: {apikey: ${KEY}, databases: {Demo: {}}}\n`;

/** The answer to each of the README's commands, in their order. */
const EXPECTED = [
  "201 /db/Demo/Amenity/AmenityId/9",
  "201 /db/Demo/Amenity/AmenityId/10 /db/Demo/Amenity/AmenityId/11",
  "201 /db/Demo/Amenity/AmenityId/12 /db/Demo/Amenity/AmenityId/13",
  "201 /db/Demo/Amenity/AmenityId/14",
  "201 /db/Demo/Booking/BookingId/1501",
  "204",
  "204",
];

/** The first commands of a section. */
function commands(heading: string): string {
  const text = Deno.readTextFileSync(join(ROOT, "README.md"));
  const section = text.slice(text.indexOf(`\n## ${heading}\n`));
  return /```sh\n([^]*?)```/.exec(section)?.[1] ?? "";
}

const missing = Deno.env.get("CI") === "true"
  ? undefined
  : ["bash", "curl"].find((program) => findProgram(program) === undefined);

Deno.test({
  name: `the README's commands for writing do what they say${
    missing ? ` (${missing} is not installed)` : ""
  }`,
  ignore: missing !== undefined,
  fn: async () => {
    await using service = await startService({ files: { "config/users.cfg": USERS } });
    // Status and body of each answer on a separate line, without the headers of `-i`.
    const script = [
      `KEY='apikey: ${KEY}'; URL=${service.url}/db/Demo`,
      'curl() { [ "$1" = -i ] && shift; command curl -s -w " %{http_code}\\n;" "$@"; }',
      commands("Writing"),
    ].join("\n");
    const { stdout, stderr } = await new Deno.Command("bash", { args: ["-c", script] }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    const answers = new TextDecoder().decode(stdout).split(";").map((answer) => answer.trim()).filter((
      each,
    ) => each !== "");
    const told = answers.map((answer) => {
      const [, body = "", status = ""] = /^([^]*?)\s*(\d{3})$/.exec(answer) ?? [];
      return `${status} ${body.replaceAll("\n", " ")}`.trim();
    });
    assert.deepEqual(told, EXPECTED);
  },
});

Deno.test({
  name: `the README's seven requests are answered with data${
    missing ? ` (${missing} is not installed)` : ""
  }`,
  ignore: missing !== undefined,
  fn: async () => {
    await using service = await startService({});
    const script = commands("Seven requests").replaceAll("http://127.0.0.1:8080", service.url)
      .replaceAll("curl ", 'curl -s -o /dev/null -w "%{http_code} %{size_download}\\n" ');
    const { stdout } = await new Deno.Command("bash", { args: ["-c", script] }).output();
    const answers = new TextDecoder().decode(stdout).trim().split("\n");
    assert.equal(answers.length, 7);
    for (const answer of answers) assert.match(answer, /^200 [1-9][0-9]+$/);
  },
});

Deno.test("the record in the README is the answer of the service", async () => {
  const text = Deno.readTextFileSync(join(ROOT, "README.md"));
  const [, shown = ""] = /```text\n([^]*?)```/.exec(text) ?? [];
  await using service = await startService({});
  const answer = await service.fetch("/db/Demo/Country/CountryCode/NO.json");
  assert.equal((await answer.text()).trim(), shown.trim());
});
