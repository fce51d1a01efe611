import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { type Attempt, requestOf, testAuth } from "@/tests/conformance/auth.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { sendRaw } from "@/tests/support/raw_request.ts";
import { sectionOf } from "@/tests/support/section_of.ts";
import { startService, type TestService } from "@/tests/support/service.ts";
import signed from "./mod.ts";
import { readSettings } from "./settings.ts";
import { type ClientKey, sign9421, type Unsigned } from "./sign.ts";
import { signatureBase } from "./signature.ts";

const EXAMPLES = new URL("../../", import.meta.url).pathname;
const SECRET = "Jq6Iu3B4rS0m1nq0cWcYq8c1yQh1sQ3xQm2bY6dTq0o=";
const pair = generateKeyPairSync("ed25519");
const SECTION = {
  keys: {
    nightly: { user: "anna", secret: SECRET },
    deploy: { user: "bert", public_key: pair.publicKey.export({ type: "spki", format: "pem" }) },
    left: { user: "nobody-here", secret: `${SECRET}x` },
  },
};
const NIGHTLY: ClientKey = { keyid: "nightly", key: SECRET };
const DEPLOY: ClientKey = { keyid: "deploy", key: pair.privateKey };
const ORIGIN = "http://service.example";
const host = hostOf({ users: [userOf("anna"), userOf("bert")], changes: { now: () => Date.now() } });

type Sent = Readonly<Record<string, string>>;

/** A signed request, with changes after the signature. */
function attempt(
  name: string,
  key: ClientKey,
  { sent = {}, age = 0, change = (headers) => headers }: {
    readonly sent?: Partial<Unsigned>;
    /** Seconds since it was signed. */
    readonly age?: number;
    readonly change?: (headers: Sent) => Sent;
  } = {},
): Attempt {
  const { method = "GET", url = "/db/Demo/Port.json?limit=1", body } = sent;
  return {
    name,
    method,
    url,
    ...(typeof body === "string" ? { body } : {}),
    secrets: [SECRET],
    renew: () => {
      const unsigned = { ...sent, method, url: ORIGIN + url };
      const headers = sign9421(unsigned, key, Date.now() - age * 1000);
      return { headers: change({ ...headers, Host: "service.example" }) };
    },
  };
}

const POST = { method: "POST", url: "/db/Demo/Amenity.json", body: '{"Name":"x"}' } as const;
const without = (name: string) => (headers: Sent) =>
  Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
const replaced = (from: string | RegExp, to: string) => (headers: Sent) => ({
  ...headers,
  "Signature-Input": (headers["Signature-Input"] ?? "").replace(from, to),
});

await testAuth("signed", () => signed, {
  section: SECTION,
  host,
  once: true,
  covers: ["method", "target", "body"],
  accepted: [
    { ...attempt("a secret's signature", NIGHTLY), login: "anna" },
    { ...attempt("a secret's signature of a body", NIGHTLY, { sent: POST }), login: "anna" },
    { ...attempt("a private key's signature", DEPLOY, { sent: POST }), login: "bert" },
    { ...attempt("a signature that took a while", NIGHTLY, { age: 55 }), login: "anna" },
    { ...attempt("a clock that is fast", NIGHTLY, { age: -55 }), login: "anna" },
  ],
  rejected: [
    attempt("another secret", { ...NIGHTLY, key: `${SECRET}x` }),
    attempt("another private key", { ...DEPLOY, key: generateKeyPairSync("ed25519").privateKey }),
    attempt("the public key as a secret", { ...DEPLOY, key: SECTION.keys.deploy.public_key.toString() }),
    attempt("an unknown key", { ...NIGHTLY, keyid: "x" }),
    attempt("a name that every object has", { ...NIGHTLY, keyid: "__proto__" }),
    attempt("a user who is not there", { keyid: "left", key: `${SECRET}x` }),
    attempt("an old signature", NIGHTLY, { age: 125 }),
    attempt("a signature of the future", NIGHTLY, { age: -65 }),
    attempt("another host", NIGHTLY, { change: (headers) => ({ ...headers, Host: "other.example" }) }),
    attempt("no input", NIGHTLY, { change: without("Signature-Input") }),
    attempt("no signature", NIGHTLY, { change: without("Signature") }),
    attempt("no digest of a body", NIGHTLY, { sent: POST, change: without("Content-Digest") }),
    attempt("another time", NIGHTLY, {
      change: replaced(/created=\d+/, `created=${Math.floor(Date.now() / 1000) + 5}`),
    }),
    attempt("another nonce", NIGHTLY, { change: replaced('nonce="', 'nonce="x') }),
    attempt("no nonce", NIGHTLY, { change: replaced(/;nonce=.*/, "") }),
    attempt("two keys", NIGHTLY, { change: replaced("keyid=", 'keyid="deploy";keyid=') }),
    attempt("fewer parts", NIGHTLY, { change: replaced('"@query"', "") }),
    attempt("no query", NIGHTLY, { change: replaced(' "@query"', "") }),
    attempt("a part twice", NIGHTLY, { change: replaced('"@query"', '"@query" "@query"') }),
    attempt("a header that is not there", NIGHTLY, { change: replaced('"@query"', '"@query" "date"') }),
    attempt("another algorithm", NIGHTLY, { change: replaced("nonce=", 'alg="ed25519";nonce=') }),
    attempt("two signatures", NIGHTLY, { change: replaced("sig=", 'a=("@method"), sig=') }),
    attempt("a signature of another label", NIGHTLY, { change: replaced("sig=", "gis=") }),
    attempt("a body that is not covered", NIGHTLY, {
      change: (headers) => ({ ...headers, "Content-Digest": "x" }),
      sent: POST,
    }),
  ],
});

Deno.test("a body without a covered digest is rejected", async () => {
  const method = signed.setup(sectionOf(signed, SECTION), host);
  const headers = { ...sign9421({ method: "POST", url: `${ORIGIN}/db` }, NIGHTLY), Host: "service.example" };
  const request = requestOf({ method: "POST", url: "/db", headers, body: "{}" });
  assert.deepEqual(await method.authenticate(request), {
    outcome: "rejected",
    reason: "another body than the signed one",
    login: "anna",
  });
});

Deno.test("the signed text is that of RFC 9421, B.2.5", () => {
  const headers = new Headers({
    Host: "Example.com:80",
    Date: "Tue, 20 Apr 2021 02:07:55 GMT",
    "Content-Type": "application/json",
  });
  const signature = {
    components: ["date", "@authority", "content-type"],
    parameters: '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
  };
  const request = { method: "POST", target: "/foo?param=Value&Pet=dog", headers, isHttps: false };
  const text = signatureBase(signature, request);
  assert.ok(typeof text === "string");
  const secret = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==";
  const made = createHmac("sha256", Uint8Array.fromBase64(secret)).update(text).digest("base64");
  assert.equal(made, "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=");
});

for (
  const [section, message] of [
    [{}, /^Error: options\.keys: Is required, found nothing$/],
    [{ ...SECTION, max_age: 0 }, /^Error: options\.max_age: Expected an integer from 1 to 3600, found 0$/],
    [
      { keys: { a: { user: "anna", secret: "short" } } },
      /^Error: keys\.a\.secret: Must be a text of at least 32/,
    ],
    [{ keys: { a: { user: "anna" } } }, /^Error: keys\.a: Must have a secret or a public_key$/],
    [{ keys: { a: { secret: SECRET } } }, /^Error: keys\.a\.user: Must be a login$/],
    [
      { keys: { a: { user: "anna", secret: SECRET, secrets: 1 } } },
      /^Error: keys\.a\.secrets: Is not known$/,
    ],
    [
      {
        keys: {
          a: {
            user: "anna",
            public_key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
          },
        },
      },
      /^Error: keys\.a\.public_key: Must be a public key of Ed25519/,
    ],
  ] as const
) {
  Deno.test(`the setup says ${message.source.slice(1, 60)}`, () => {
    assert.throws(() => signed.setup(sectionOf(signed, section), host), (error) => {
      assert.match(String(error), message);
      assert.ok(!String(error).includes(SECRET));
      return true;
    });
  });
}

Deno.test("a key with a mistake is left out, and the other one works", () => {
  const complaints: string[] = [];
  const section = { keys: { ...SECTION.keys, broken: { user: "anna" } } };
  const others = hostOf({ changes: { complain: (key) => void complaints.push(key) } });
  const { keys } = readSettings(sectionOf(signed, section), others.complain);
  assert.deepEqual(complaints, ["keys.broken"]);
  assert.deepEqual([...keys.keys()], Object.keys(SECTION.keys));
});

async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  await using service = await startService({
    files: {
      "config/service.ini":
        `[service]\nplugins_path = ${EXAMPLES}\nmax_body_size = 100000\nlogin_throttle.burst = 50\n`,
      "config/auth.cfg": `authentication_policies: ${
        JSON.stringify({ signed: { enabled: true, priority: 1, ...SECTION } })
      }\n`,
      "config/users.cfg": "public: {}\nadmin: {}\nanna: {databases: {Demo: {}}}\nbert: {}\n",
    },
  });
  await work(service);
}

/** Sends a request; `sent` has what differs from what is signed. */
async function send(
  { url, fetch }: TestService,
  unsigned: { readonly method: string; readonly path: string; readonly body?: string },
  sent: { readonly method?: string; readonly path?: string; readonly body?: string } = {},
  headers = sign9421({ ...unsigned, url: url + unsigned.path }, NIGHTLY),
): Promise<number> {
  const { method, path, body } = { ...unsigned, ...sent };
  const type = { "Content-Type": "application/json" };
  const answer = await fetch(path, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("signed requests read and write, once, and nothing of them can be changed", async () => {
  await withService(async (service) => {
    const read = { method: "GET", path: "/db/Demo/Port.json?limit=1" };
    const body = JSON.stringify({ AmenityId: 900, Name: "signed" }) + " ".repeat(80_000);
    const write = { method: "POST", path: "/db/Demo/Amenity.json", body };
    assert.equal(await send(service, read), 200);
    assert.equal(await send(service, write), 201);
    const headers = sign9421({ ...read, url: service.url + read.path }, NIGHTLY);
    assert.deepEqual([await send(service, read, {}, headers), await send(service, read, {}, headers)], [
      200,
      403,
    ]);
    const changes = [
      { path: "/db/Demo/Port.json?limit=2" },
      { path: "/db/Demo/Port.json" },
      { path: "/db/Demo/Country.json?limit=1" },
      { path: "/db/Demo/P%6Frt.json?limit=1" },
      { method: "DELETE" },
    ];
    for (const change of changes) {
      assert.equal(await send(service, read, change), 403, JSON.stringify(change));
    }
    assert.equal(await send(service, write, { body: body.replace("900", "901") }), 403);
    assert.equal(await send(service, { ...write, body: " ".repeat(100_001) }), 413);
    assert.equal(await send(service, { ...read, path: "/db/Demo/Nowhere.json" }), 404);
    const log = await service.log();
    assert.match(log, /rejected: a nonce that was used before/);
    assert.ok(!log.includes(SECRET));
  });
});

Deno.test("attack: a stranger's body is not waited for", async () => {
  await withService(async ({ port }) => {
    const answer = await sendRaw(port, {
      method: "POST",
      target: "/db/Demo/Amenity.json",
      headers: {
        ...sign9421({ method: "POST", url: `http://127.0.0.1:${port}/db/Demo/Amenity.json`, body: "x" }, {
          ...NIGHTLY,
          key: "guessed",
        }),
        "Content-Type": "application/json",
        "Content-Length": "90000",
      },
    });
    assert.equal(answer.status, 403);
  });
});
