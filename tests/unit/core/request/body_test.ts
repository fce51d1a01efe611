import assert from "node:assert/strict";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { BODIES, ClientMemory } from "@/core/base/client_memory.ts";
import { type BodySource, readText, receiveBody, withBody } from "@/core/request/body.ts";
import { chooseBodyFormat } from "@/core/request/body_format.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import { ServiceError } from "@/core/errors.ts";
import { FormatTable } from "@/core/request/formats.ts";
import { SILENT } from "@/core/storage/log.ts";
import csv from "@/formats/csv/mod.ts";
import html from "@/formats/html/mod.ts";
import txt from "@/formats/txt/mod.ts";
import json from "@/formats/json/mod.ts";
import xml from "@/formats/xml/mod.ts";
import type {
  BodyRecord,
  Format,
  FormatPlugin,
  Json,
  PluginSettings,
  ReadEnd,
  Reading,
} from "@/plugins/contract.ts";
import { sectionOf } from "@/tests/support/section_of.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { TimerQueue } from "@/plugins/kit/timer_queue.ts";

const HOST = { product: "Rowhouse", refidPrefix: "__href", references: (tree: Json) => tree, log: SILENT };
const formats = new FormatTable(
  [json, xml, csv, html, txt].map((plugin) => ({
    name: plugin.name,
    format: plugin.setup(sectionOf<PluginSettings>(plugin as FormatPlugin) as never, HOST),
  })),
);
const LIMITS = {
  signal: NEVER,
  seconds: 60,
};
const INPUT = { name: "Person", columns: new Map(), nullMarker: "<null>", csvNullStr: false };

function choose(headers: Record<string, string>, extension?: string) {
  return chooseBodyFormat(new Headers(headers), extension, { formats });
}

function stream(...chunks: readonly (string | Uint8Array<ArrayBuffer>)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      }
      controller.close();
    },
  });
}

async function read(
  body: ReadableStream<Uint8Array> | null,
  headers: Record<string, string> = {},
  limit = 1000,
) {
  const format = choose({ "Content-Type": "application/json", ...headers });
  return await collect({ headers: new Headers(headers), body }, format, limit);
}

/** A whole body. */
async function collect(sent: Pick<BodySource, "headers" | "body">, format: BodyFormat, limit = 1000) {
  const source = { ...sent, room: new ClientMemory(2 ** 30).open("192.0.2.1"), limits: LIMITS };
  const { records: steps, label } = await receiveBody(source, format, { input: INPUT, limit });
  const records: BodyRecord[] = [];
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return { records, isList: step.value, label };
    if (step.value) records.push(step.value);
  }
}

async function refusal(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof ServiceError);
  return error;
}

Deno.test("a body's format is that of its content type if it is ours, else the extension's", () => {
  const cases: readonly (readonly [string | undefined, string | undefined, string])[] = [
    ["application/json", undefined, "json"],
    ["application/json", "csv", "json"],
    ["TEXT/XML; Charset=utf-8", "json", "xml"],
    ["application/xml", undefined, "xml"],
    ["text/csv; header=present", "xml", "csv"],
    ["application/octet-stream", "csv", "csv"],
    ["application/x-www-form-urlencoded", "json", "json"],
    ["text/plain;charset=UTF-8", "json", "json"],
    [undefined, "xml", "xml"],
  ];
  for (const [type, extension, name] of cases) {
    const headers: Record<string, string> = type === undefined ? {} : { "Content-Type": type };
    assert.equal(choose(headers, extension).name, name, `${type} ${extension}`);
  }
});

Deno.test("a body of no format that is read is 415 and names those that are", () => {
  const cases: readonly (readonly [Record<string, string>, string | undefined])[] = [
    [{}, undefined],
    [{}, "html"],
    [{ "Content-Type": "text/html" }, "json"],
    [{ "Content-Type": "text/plain" }, undefined],
    [{ "Content-Type": "text/plain" }, "txt"],
    [{ "Content-Type": "text/yaml" }, undefined],
    [{ "Content-Type": "application/json", "Content-Encoding": "gzip" }, undefined],
    [{ "Content-Type": "application/json; charset=klingon" }, undefined],
  ];
  for (const [headers, extension] of cases) {
    assert.throws(
      () => choose(headers, extension),
      { code: "unsupported-media-type" },
      JSON.stringify(headers),
    );
  }
  assert.throws(() => choose({ "Content-Type": "text/yaml" }), {
    message:
      'Cannot read a body of "text/yaml": send one of application/json, text/xml, application/xml, text/csv as Content-Type, or its extension in the URL',
  });
});

Deno.test("a charset is taken by any of its names, quoted or not", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["", "utf-8"],
    ["; charset=UTF-8", "utf-8"],
    ['; charset="utf8"', "utf-8"],
    ["; charset=latin1", "windows-1252"],
    ["; q=1; CHARSET=utf-16le", "utf-16le"],
  ];
  for (const [parameter, charset] of cases) {
    assert.equal(
      choose({ "Content-Type": `application/json${parameter}` }).charset,
      charset,
      `of ${parameter}`,
    );
  }
});

Deno.test("a body is put together from its pieces, wherever they are cut", async () => {
  const bytes = new TextEncoder().encode('[{"Name": "Grüße 😀"}]');
  const pieces = [...bytes].map((byte) => new Uint8Array([byte]));
  const { records, isList, label } = await read(stream(...pieces));
  assert.deepEqual([[...records[0] ?? []], records.length, isList, label], [
    [["Name", "Grüße 😀"]],
    1,
    true,
    "JSON",
  ]);
});

Deno.test("other requests run while a body comes in a thousand pieces", async () => {
  const ran = Promise.withResolvers<string>();
  setTimeout(() => ran.resolve("another request"), 0);
  const body = read(stream("[", ...Array<string>(1000).fill(" "), "]"), {}, 2000).then(() => "the body");
  assert.equal(await Promise.race([ran.promise, body]), "another request");
  await body;
});

Deno.test("a body is decoded as its charset says", async () => {
  const headers = { "Content-Type": "application/json; charset=iso-8859-1" };
  const bytes = new Uint8Array([...'{"Name":"'].map((c) => c.charCodeAt(0)).concat(0xe4, 0x22, 0x7d));
  const { records } = await read(stream(bytes), headers);
  assert.equal(records[0]?.get("Name"), "ä");
});

Deno.test("what is no text of its charset is 400", async () => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]) {
    const { status, message } = await refusal(read(stream('{"a":"', new Uint8Array(bytes), '"}')));
    assert.deepEqual([status, message], [
      400,
      "Could not parse JSON: the body is not utf-8 text: send that, or name its charset in Content-Type",
    ]);
  }
});

Deno.test("a body up to the limit is read, one byte more is 413 without reading on", async () => {
  const text = '{"a":"0123456789"}';
  assert.equal((await read(stream(text), {}, text.length)).records.length, 1);
  let pulls = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls++;
      controller.enqueue(new Uint8Array(100));
    },
  });
  const { status, message } = await refusal(read(endless, {}, 1000));
  assert.deepEqual([status, message], [413, "The body is too large: at most 1000 bytes are accepted"]);
  assert.ok(pulls < 20, String(pulls));
});

Deno.test("no body is an empty one", async () => {
  const { status, message } = await refusal(read(null));
  assert.equal(status, 400);
  assert.match(message, /^Could not parse JSON: /);
});

Deno.test("a body's format may read it at once or step by step", async () => {
  const record = new Map([["a", "b"]]);
  const results: readonly (readonly [ReturnType<NonNullable<Format["read"]>>, unknown])[] = [
    [{ records: [record], isList: true }, { records: [record], isList: true, label: "JSON" }],
    [stepwise([record, undefined, record], { isList: false }), {
      records: [record, record],
      isList: false,
      label: "JSON",
    }],
  ];
  for (const [result, expected] of results) {
    const body = stream("x");
    const format = { ...choose({}, "json"), read: () => result };
    assert.deepEqual(await collect({ headers: new Headers(), body }, format), expected);
  }
  for (const result of [{ complaint: "it is wrong" }, stepwise([record], { complaint: "it is wrong" })]) {
    const format = { ...choose({}, "json"), read: () => result };
    const { message } = await refusal(collect({ headers: new Headers(), body: stream("x") }, format));
    assert.equal(message, "Could not parse JSON: it is wrong");
  }
});

function* stepwise(records: readonly (BodyRecord | undefined)[], end: ReadEnd): Reading {
  yield* records;
  return end;
}

Deno.test("a body that finds no room is 503 without reading on, and one that does takes up room until its work is done", async () => {
  const bodyMemory = new ClientMemory(400_000, BODIES);
  const headers = new Headers();
  const client = clientOf();
  const send = async (body: ReadableStream<Uint8Array>, whenRead = () => Promise.resolve()) => {
    const raw = new Request("http://localhost", { method: "POST", body });
    return await withBody({
      raw,
      headers,
      client,
      service: {
        bodyMemory,
        group: { workers: 1 },
        settings: { "server.plugin_timeout": 60 },
        stopping: NEVER,
      },
      signal: NEVER,
    }, async (source) => {
      const text = await readText(source, { limit: 1_000_000, label: "x", charset: "utf-8" });
      await whenRead();
      return text.length;
    });
  };
  const whole = () => stream(new Uint8Array(150_000));
  let pulls = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => (pulls++, controller.enqueue(new Uint8Array(10_000))),
  });
  const whenRead = async () => {
    const { status, headers } = await refusal(send(endless));
    assert.deepEqual([status, headers], [503, { "Retry-After": "10" }]);
    assert.ok(pulls < 20, String(pulls));
    assert.equal(await send(stream(new Uint8Array(60_000))), 60_000);
  };
  assert.equal(await send(whole(), whenRead), 150_000);
  assert.equal(bodyMemory.total, 0);
  assert.equal(await send(whole()), 150_000);
});

Deno.test("records and their members take up room beyond the bytes of the body", async () => {
  const memory = new ClientMemory(100_000, BODIES);
  memory.open("192.0.2.2").add(90_000);
  const receive = async (text: string) => {
    using room = memory.open("192.0.2.1");
    const source = { headers: new Headers(), body: stream(text), room, limits: LIMITS };
    const { records } = await receiveBody(source, choose({}, "json"), { input: INPUT, limit: 10_000 });
    return [...records].filter((record) => record).length;
  };
  assert.equal(await receive(`[${Array(20).fill("{}")}]`), 20);
  const error = await refusal(receive(`[${Array(100).fill("{}")}]`));
  assert.deepEqual([error.status, error.message], [
    503,
    "Cannot read this body now: too many others are being read; try again later",
  ]);
  const members = Array.from({ length: 100 }, (_, index) => `"m${index}":1`);
  assert.equal(await receive(`[{${members}},{}]`), 2);
  assert.equal((await refusal(receive(`[{${members}},{${members}}]`))).status, 503);
  assert.equal(memory.total, 90_000);
});

Deno.test("a body that comes byte by byte is given up", async () => {
  const trickle = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      controller.enqueue(new Uint8Array(1));
    },
  }, { highWaterMark: 0 });
  const room = new ClientMemory(2 ** 30).open("192.0.2.1");
  const options = { limit: 1000, label: "x", charset: "utf-8", silence: new TimerQueue(200) };
  const error = await refusal(readText({ body: trickle, room }, options));
  assert.deepEqual([error.status, error.headers], [408, { Connection: "close" }]);
  assert.equal(error.message, "The body comes too slowly: send it again");
});

Deno.test("a small body whose length is known is read without a stream, within the same limits", async () => {
  const service = {
    bodyMemory: new ClientMemory(2 ** 30, BODIES),
    group: { workers: 1 },
    settings: { "server.plugin_timeout": 60 },
    stopping: NEVER,
  };
  const send = async (text: string, length: number | undefined, limit = 20_000) => {
    const raw = new Request("http://localhost", { method: "POST", body: text });
    let isStreamed = false;
    const watched = new Proxy(raw, {
      get(target, name) {
        isStreamed ||= name === "body";
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const headers = new Headers(length === undefined ? {} : { "Content-Length": String(length) });
    const sender = { raw: watched, headers, client: clientOf(), service, signal: NEVER };
    const read = await withBody(
      sender,
      (source) => readText(source, { limit, label: "x", charset: "utf-8" }),
    );
    assert.equal(read, text);
    return isStreamed;
  };
  assert.equal(await send("äb", 3), false);
  assert.equal(await send("", 0), false);
  assert.equal(await send("x".repeat(16_385), 16_385), true);
  assert.equal(await send("x", undefined), true);
  const error = await refusal(send("x".repeat(11), 11, 10));
  assert.deepEqual([error.status, error.message], [
    413,
    "The body is too large: at most 10 bytes are accepted",
  ]);
  assert.equal(service.bodyMemory.rooms, 0);
});

Deno.test("a small body that ends early is 400, and one that the service cuts off when it stops is 503", async () => {
  const room = new ClientMemory(2 ** 30).open("192.0.2.1");
  const whole = () => Promise.reject(new Deno.errors.BadResource("closed"));
  const read = (stopping: AbortSignal) =>
    refusal(readText({ body: null, whole, room, stopping }, { limit: 9, label: "x", charset: "utf-8" }));
  assert.equal((await read(NEVER)).status, 400);
  assert.equal((await read(AbortSignal.abort())).status, 503);
});
