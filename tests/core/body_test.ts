import assert from "node:assert/strict";
import { type BodyFormat, type BodySource, chooseBodyFormat, receiveBody } from "@/core/body.ts";
import { ServiceError } from "@/core/errors.ts";
import { FormatTable } from "@/core/negotiate.ts";
import csv from "@/formats/csv/mod.ts";
import html from "@/formats/html/mod.ts";
import json from "@/formats/json/mod.ts";
import xml from "@/formats/xml/mod.ts";
import type { BodyRecord, Format, ReadEnd, Reading } from "@/plugins/contract.ts";

const LOG = { info: () => {}, warn: () => {}, error: () => {} };
const HOST = { product: "Rowhouse", refidPrefix: "__href", log: LOG };
const formats = new FormatTable(
  [json, xml, csv, html].map((plugin) => ({ name: plugin.name, format: plugin.setup({}, HOST) })),
);
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
async function collect(source: BodySource, format: BodyFormat, limit = 1000) {
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
