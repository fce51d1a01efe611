import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { chooseEncoding, compressResponse } from "@/core/http/compress.ts";

const CHOICES: readonly (readonly [header: string | null, chosen: string | undefined])[] = [
  [null, undefined],
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["br, gzip", "br"],
  ["gzip, br", "br"],
  ["gzip;q=1.0, br;q=0.5", "gzip"],
  ["gzip ; q=0.2 , br ; q=0.1", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0, gzip;q=0", undefined],
  ["*", undefined],
  ["identity, gzip", "gzip"],
  ["identity, gzip;q=0.5", undefined],
  ["*;q=0", undefined],
  ["*;q=0, gzip", "gzip"],
  ["br;q=0, *", undefined],
  ["deflate, zstd", undefined],
  ["gzip;q=nonsense", undefined],
];

for (const [header, chosen] of CHOICES) {
  Deno.test(`Accept-Encoding ${JSON.stringify(header)} chooses ${chosen ?? "nothing"}`, () => {
    assert.equal(chooseEncoding(header), chosen);
  });
}

const TEXT = "Größe ".repeat(1000);

function answer(headers: Record<string, string> = {}, body: BodyInit | null = TEXT): Response {
  return new Response(body, { status: 203, headers: { "Content-Type": "application/json", ...headers } });
}

for (const [encoding, decode] of [["gzip", gunzipSync], ["br", brotliDecompressSync]] as const) {
  Deno.test(`text is compressed with ${encoding}`, async () => {
    const compressed = compressResponse(answer({ "Content-Length": "7000" }), encoding);
    assert.equal(compressed.status, 203);
    assert.equal(compressed.headers.get("content-encoding"), encoding);
    assert.equal(compressed.headers.has("content-length"), false);
    assert.equal(compressed.headers.get("vary"), "Accept-Encoding");
    const bytes = new Uint8Array(await compressed.arrayBuffer());
    assert.equal(bytes.length < 500, true);
    assert.equal(decode(bytes).toString(), TEXT);
  });
}

Deno.test("what is not compressed is the answer itself, and says that it could have been", async () => {
  const given = answer({ Vary: "Origin" });
  const plain = compressResponse(given, "identity");
  assert.equal(plain, given);
  assert.equal(plain.headers.get("vary"), "Origin, Accept-Encoding");
  assert.equal(plain.headers.has("content-encoding"), false);
  assert.equal(await plain.text(), TEXT);
});

Deno.test("Vary names Accept-Encoding once", async () => {
  const compressed = compressResponse(answer({ Vary: "Accept-Encoding, Origin" }), "gzip");
  assert.equal(compressed.headers.get("vary"), "Accept-Encoding, Origin");
  await compressed.body?.cancel();
});

const KEPT: readonly (readonly [name: string, response: () => Response])[] = [
  ["a picture", () => answer({ "Content-Type": "image/png" })],
  ["an archive", () => answer({ "Content-Type": "application/zip" })],
  ["an answer without body", () => answer({}, null)],
];

for (const [name, make] of KEPT) {
  Deno.test(`${name} stays as it is`, async () => {
    const response = make();
    assert.equal(compressResponse(response, "gzip, br"), response);
    assert.equal(response.headers.has("vary"), false);
    await response.body?.cancel();
  });
}

Deno.test("a strong ETag becomes a weak one, a weak one stays", async () => {
  for (const [given, sent] of [['"abc"', 'W/"abc"'], ['W/"abc"', 'W/"abc"']] as const) {
    const compressed = compressResponse(answer({ ETag: given }), "gzip");
    assert.equal(compressed.headers.get("etag"), sent);
    await compressed.body?.cancel();
  }
});

Deno.test("a stream that fails is cut off, compressed or not", async () => {
  for (const encoding of ["gzip", "br", "identity"]) {
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
    await assert.rejects(compressResponse(answer({}, failing), encoding).text(), encoding);
  }
});

Deno.test("a client that leaves a compressed answer stops the stream behind it", async () => {
  const cancelled = Promise.withResolvers<void>();
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(crypto.getRandomValues(new Uint8Array(20_000))),
    cancel: () => cancelled.resolve(),
  });
  const reader = compressResponse(answer({}, endless), "gzip").body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await cancelled.promise;
});
