import assert from "node:assert/strict";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { startProcess } from "@/tests/support/process.ts";
import { shared } from "@/tests/support/service.ts";
import { until } from "@/tests/support/until.ts";
import { RawStream } from "@/tests/support/raw_stream.ts";

/** A format that fails at a row whose first cell is 60, and in documents. */
const BRITTLE = `import { EventEmitter } from "node:events";
export default {
  contract: 1,
  kind: "format",
  name: "brittle",
  setup: () => ({
    contentTypes: ["text/brittle"],
    writer: () => () => ({
      begin: () => "",
      row([cell]) {
        if (cell === 60) throw new Error("secret detail of the failure");
        return cell + "\\n";
      },
      end: () => "",
    }),
    document({ name }) {
      if (name === "Demo") {
        Promise.reject(new Error("stray failure of a plugin"));
        setTimeout(() => { throw new Error("stray failure of a timer"); });
        setTimeout(() => new EventEmitter().emit("error", new Error("stray failure of an emitter")));
        return "written";
      }
      throw new Error("secret detail of the document");
    },
    problem: ({ httpCode, description }) => httpCode + " " + description,
  }),
};
`;

const start = {
  files: {
    "config/service.ini": "[service]\nplugins_path = plugins\nformats = json,brittle\n",
    "config/plugins/formats/brittle/mod.ts": BRITTLE,
  },
};

const services = {
  deno: shared(() => startProcess({ ...start, args: ["--adapter", "deno"] })),
  node: shared(() => startProcess({ ...start, args: ["--adapter", "node"] })),
};

async function askWithHttp10(port: number, target: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET ${target} HTTP/1.0\r\n\r\n`));
  let text = "";
  const piece = new Uint8Array(65536);
  const read = () =>
    connection.read(piece).catch((error: unknown) => {
      if (error instanceof Deno.errors.ConnectionReset) return null;
      throw error;
    });
  for (let count = await read(); count !== null; count = await read()) {
    text += new TextDecoder().decode(piece.subarray(0, count));
  }
  return text;
}

const TICKETS = "/db/Demo/Ticket/TicketId";

for (const [adapter, service] of Object.entries(services)) {
  for (
    const [name, target, detail] of [
      ["a format that fails at a row", `${TICKETS}/50..70.brittle`, "secret detail of the failure"],
      [
        "a format that fails at the first row of a stream",
        `${TICKETS}/60..70.brittle`,
        "secret detail of the failure",
      ],
      ["a format that fails at a document", "/db.brittle", "secret detail of the document"],
    ] as const
  ) {
    Deno.test(`${name} is 500 without details, and the log has them under the request's id (${adapter})`, async () => {
      const id = `failure-${crypto.randomUUID()}`;
      const { status, headers, text } = await sendRaw(service().port, {
        target,
        headers: { "X-Request-Id": id },
      });
      assert.equal(status, 500);
      assert.equal(headers.get("x-request-id"), id);
      const description =
        `The request failed unexpectedly: the details are in the log of the service under ${id}`;
      assert.equal(headers.get("warning"), description);
      assert.equal(text, `500 ${description}`);
      const log = await service().log();
      const entry = log.slice(log.indexOf(`ERROR A request failed unexpectedly (${id}): `));
      assert.match(
        entry,
        new RegExp(
          `^ERROR A request failed unexpectedly \\(${id}\\): Error: The format "brittle" failed in .*\\n {4}.* at ` +
            `(.*\\n {4})*caused by Error: ${detail}\\n {4}.* at `,
        ),
      );
    });
  }

  Deno.test(`a stream that fails in the middle is cut off and logged (${adapter})`, async () => {
    using stream = await RawStream.open(service().port, `${TICKETS}/1..200.brittle?stream`);
    const text = await stream.readAll();
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.match(text, /\r\n[0-9a-f]+\r\n1\n2\n/);
    assert.equal(text.includes("\n60\n"), false);
    assert.equal(text.endsWith("0\r\n\r\n"), false, "nobody takes it for a whole answer");
    assert.match(
      await service().log(),
      /ERROR A stream was cut off.*format "brittle".*(\n {4}.*)*secret detail of the failure/,
    );
  });

  Deno.test(`a client of HTTP 1.0 gets no chunks, and no details when its stream fails (${adapter})`, async () => {
    const whole = await askWithHttp10(service().port, `${TICKETS}/61..63.brittle?stream`);
    assert.match(whole, /\r\n\r\n61\n62\n63\n$/);
    assert.doesNotMatch(whole, /^transfer-encoding/im);
    assert.doesNotMatch(await askWithHttp10(service().port, `${TICKETS}/1..200.brittle?stream`), /secret/);
  });

  Deno.test(`a failure that nobody waits for is logged, and ends nothing (${adapter})`, async () => {
    const { status, text } = await sendRaw(service().port, { target: "/db/Demo.brittle" });
    assert.deepEqual([status, text], [200, "written"]);
    assert.equal((await sendRaw(service().port, { target: `${TICKETS}/1/TicketId.json` })).text, "1");
    for (
      const failure of [
        "that nobody waited for: Error: stray failure of a plugin",
        "outside any request: Error: stray failure of a timer",
        "outside any request: Error: stray failure of an emitter",
      ]
    ) await until(async () => (await service().log()).includes(`ERROR Something failed ${failure}`));
    assert.equal((await sendRaw(service().port, { target: `${TICKETS}/1/TicketId.json` })).text, "1");
  });

  Deno.test(`the service works on after failures (${adapter})`, async () => {
    assert.equal((await sendRaw(service().port, { target: `${TICKETS}/60/TicketId.json` })).text, "60");
  });
}
