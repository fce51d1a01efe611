import assert from "node:assert/strict";
import { join } from "node:path";
import jwt from "@/auth/jwt/mod.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { TestDirectory } from "@/tests/unit/config/directory.ts";
import { until } from "@/tests/support/until.ts";
import { ask, makeSubject, type Subject, USERS, whoHas } from "./jwt_method.ts";
import { blockFor, makeKey, NOW, sign, startProvider } from "@/tests/api/auth/oidc/provider.ts";

const UNFITTING = "identity provider acme: no key of the provider fits";
const UNREACHABLE = "identity provider acme cannot be asked";
const WELL_KNOWN = "/.well-known/openid-configuration";

/** The provider's address behind the method's button, else the text of the page. */
async function begin(subject: Subject): Promise<string> {
  const answer = await ask(subject, "/login/oidc?idp_id=acme");
  if (answer.kind === "redirect") return new URL(answer.to).pathname;
  return answer.kind === "refused" ? `${answer.code}: ${answer.message}` : answer.kind;
}

Deno.test("a new key of the provider works at once, without a restart", async () => {
  await using subject = await makeSubject();
  const { provider } = subject;
  assert.equal(await whoHas(subject, await sign(provider)), "anna");
  const key = await makeKey("RS256", "second");
  provider.keys = [key.publicJwk];
  assert.equal(await whoHas(subject, await sign(provider, {}, { key })), "anna");
  assert.equal(await whoHas(subject, await sign(provider)), UNFITTING, "the old one is gone");
});

Deno.test("a new key works for every token that comes while it is read, and right after", async () => {
  await using subject = await makeSubject();
  const { provider } = subject;
  assert.equal(await whoHas(subject, await sign(provider)), "anna");
  const key = await makeKey("RS256", "second");
  provider.keys = [key.publicJwk];
  const token = await sign(provider, {}, { key });
  const { promise: waited, resolve: answer } = Promise.withResolvers<void>();
  provider.failure = async () => {
    await waited;
    return Response.json({ keys: provider.keys });
  };
  const asked = provider.asked.get("/keys") ?? 0;
  const early = Array.from({ length: 20 }, () => whoHas(subject, token));
  await until(() => provider.asked.get("/keys") === asked + 1);
  const late = Array.from({ length: 20 }, () => whoHas(subject, token));
  answer();
  assert.deepEqual(new Set(await Promise.all([...early, ...late])), new Set(["anna"]));
  assert.equal(provider.asked.get("/keys"), asked + 1, "they are read once");
});

Deno.test("a token that was compared with the old keys is compared with those that another one had read", async () => {
  await using subject = await makeSubject();
  const { host, provider } = subject;
  const kept = host.keepDocument({
    source: `${provider.url}/keys`,
    title: "The keys",
    accept: "application/json",
    maxAge: 600_000,
    parse: (text) => ({ text }),
    signal: new AbortController().signal,
  });
  const first = await kept.get();
  assert.ok("content" in first);
  const renewed = await kept.renew(first.content);
  assert.ok(renewed && "content" in renewed && renewed.content !== first.content);
  assert.deepEqual(await kept.renew(first.content), renewed);
  assert.equal(await kept.renew(renewed.content), undefined, "not now");
  assert.equal(provider.asked.get("/keys"), 2);
});

Deno.test("a new key of the provider under the name of the old one works at once, too", async () => {
  await using subject = await makeSubject();
  const { provider } = subject;
  assert.equal(await whoHas(subject, await sign(provider)), "anna");
  const key = await makeKey("RS256", "first");
  provider.keys = [key.publicJwk];
  assert.equal(await whoHas(subject, await sign(provider, {}, { key })), "anna");
  const failed = "identity provider acme: signature verification failed";
  assert.equal(await whoHas(subject, await sign(provider)), failed, "the old one is gone");
});

Deno.test("attack: wrong signatures under a known name make the keys be read once in a while only", async () => {
  await using subject = await makeSubject();
  const { provider, clock } = subject;
  const token = await sign(provider, {}, { key: await makeKey("RS256", "first") });
  for (let attempt = 0; attempt < 5; attempt++) await whoHas(subject, token);
  assert.equal(provider.asked.get("/keys"), 2);
  clock.pass(30);
  for (let attempt = 0; attempt < 5; attempt++) await whoHas(subject, token);
  assert.equal(provider.asked.get("/keys"), 3);
});

Deno.test("tokens with unknown keys make the keys be read once in a while only", async () => {
  await using subject = await makeSubject();
  const { provider, clock } = subject;
  const stranger = await makeKey("RS256", "stranger");
  const attack = async () => {
    const token = await sign(provider, {}, { key: stranger });
    await Promise.all(Array.from({ length: 10 }, () => whoHas(subject, token)));
    return provider.asked.get("/keys");
  };
  assert.equal(await attack(), 2, "once because there were none, once because of the unknown one");
  assert.equal(await attack(), 2);
  clock.pass(29);
  assert.equal(await attack(), 2);
  clock.pass(1);
  assert.equal(await attack(), 3);
});

Deno.test("keys are read again after ten minutes, so that one that was taken back is not good for ever", async () => {
  await using subject = await makeSubject();
  const { provider, clock } = subject;
  const token = await sign(provider, { exp: NOW + 7200 });
  assert.equal(await whoHas(subject, token), "anna");
  provider.keys = [];
  clock.pass(599);
  assert.equal(await whoHas(subject, token), "anna");
  clock.pass(1);
  assert.equal(await whoHas(subject, token), UNFITTING);
});

Deno.test("keys are read at the address that the provider names now", async () => {
  await using other = startProvider();
  await using subject = await makeSubject();
  const token = await sign(subject.provider, { exp: NOW + 7200 });
  assert.equal(await whoHas(subject, token), "anna");
  subject.provider.metadata = { jwks_uri: `${other.url}/keys` };
  other.keys = [];
  subject.clock.pass(3600);
  assert.equal(await whoHas(subject, token), UNFITTING);
});

Deno.test("keys that were read are used for an hour while the provider does not answer", async () => {
  await using subject = await makeSubject();
  const { provider, clock } = subject;
  const token = await sign(provider, { exp: NOW + 7200 });
  assert.equal(await whoHas(subject, token), "anna");
  provider.failure = () => new Response(null, { status: 500 });
  clock.pass(3599);
  assert.equal(await whoHas(subject, token), "anna");
  clock.pass(1);
  assert.equal(await whoHas(subject, token), UNREACHABLE);
});

Deno.test("requests do not wait for a provider that hangs: keys that were read serve them meanwhile", async () => {
  await using subject = await makeSubject();
  const { provider, clock } = subject;
  const token = await sign(provider, { exp: NOW + 7200 });
  assert.equal(await whoHas(subject, token), "anna");
  provider.failure = () => new Response(null, { status: 500 });
  clock.pass(601);
  assert.equal(await whoHas(subject, token), "anna", "the first one waits and finds out");
  const { promise: hanging, resolve: answer } = Promise.withResolvers<Response>();
  provider.failure = () => hanging;
  const asked = provider.asked.get("/keys") ?? 0;
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      clock.pass(6);
      assert.equal(await settled(whoHas(subject, token)), "anna");
    }
    await until(() => provider.asked.get("/keys") === asked + 1);
  } finally {
    answer(Response.json({ keys: provider.keys }));
  }
});

/** The result of work that does not take long. */
async function settled<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("It waits")), 2000);
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

Deno.test("a provider that failed is asked again at once after the clock was set back", async () => {
  const failure = () => new Response(null, { status: 500 });
  await using subject = await makeSubject({ prepare: (made) => void (made.failure = failure) });
  const { provider, clock } = subject;
  assert.equal(await whoHas(subject, await sign(provider)), UNREACHABLE);
  provider.failure = undefined;
  clock.pass(-3600);
  assert.equal(await whoHas(subject, await sign(provider, { iat: NOW - 3600 })), "anna");
});

const BROKEN: readonly (readonly [what: string, answer: () => Response, complaint: string])[] = [
  ["status 404", () => new Response("no", { status: 404 }), "It answers with status 404"],
  ["what is no JSON", () => new Response("<html>"), "It is no JSON"],
  ["a list", () => Response.json([]), "It is no JSON object"],
  ["nothing of use", () => Response.json({}), 'It has no text "issuer"'],
  [
    "too much",
    () => new Response("x".repeat(1_048_577)),
    "The answer has more than 1048576 bytes",
  ],
  [
    "a redirect to itself",
    () => new Response(null, { status: 302, headers: { Location: "/again" } }),
    "It redirects more than 3 times",
  ],
  [
    "symmetric algorithms only",
    () =>
      Response.json({ issuer: "x", jwks_uri: "http://x/", id_token_signing_alg_values_supported: ["HS256"] }),
    "It offers no algorithm with public keys for signatures",
  ],
  [
    "keys at no URL",
    () => Response.json({ issuer: "x", jwks_uri: "javascript:alert(1)" }),
    'Its "jwks_uri" is no URL',
  ],
];

for (const [what, failure, complaint] of BROKEN) {
  Deno.test(`a provider that answers ${what} is in the log and on the login page, and heals by itself`, async () => {
    await using subject = await makeSubject({ prepare: (made) => void (made.failure = failure) });
    const { provider, clock, lines, method } = subject;
    await using _running = method.start?.();
    assert.equal(await whoHas(subject, await sign(provider)), UNREACHABLE);
    const source = provider.url + WELL_KNOWN;
    const begun = `The configuration of identity provider "acme": "${source}" cannot be read: `;
    assert.deepEqual(lines, [`error: ${begun}${complaint}`]);
    assert.deepEqual(method.notices?.(), [
      "ACME cannot be reached at the moment: logging in there may fail",
    ]);
    assert.equal(await begin(subject), "unavailable: ACME cannot be reached at the moment: try again later");
    provider.failure = undefined;
    clock.pass(5);
    await until(() => method.notices?.().length === 0);
    assert.equal(await begin(subject), "/authorize");
    assert.equal(await whoHas(subject, await sign(provider)), "anna");
    const again = `info: The configuration of identity provider "acme": "${source}" can be read again`;
    assert.deepEqual(lines.slice(1), [again]);
  });
}

Deno.test("a provider that fails is left alone for five seconds", async () => {
  const failure = () => new Response(null, { status: 500 });
  await using subject = await makeSubject({ prepare: (made) => void (made.failure = failure) });
  for (let attempt = 0; attempt < 3; attempt++) await begin(subject);
  assert.equal(subject.provider.asked.get(WELL_KNOWN), 1);
  subject.clock.pass(5);
  await begin(subject);
  assert.equal(subject.provider.asked.get(WELL_KNOWN), 2);
  assert.equal(subject.lines.length, 1, "the log has one failure once");
});

Deno.test("new keys that cannot be read are tried again beside the requests that the old ones do for", async () => {
  await using subject = await makeSubject();
  const { provider, clock, method } = subject;
  const token = await sign(provider);
  assert.equal(await whoHas(subject, token), "anna");
  provider.failure = () => new Response(null, { status: 500 });
  const key = await makeKey("RS256", "second");
  assert.equal(await whoHas(subject, await sign(provider, {}, { key })), UNFITTING);
  assert.equal(method.notices?.().length, 1);
  provider.failure = undefined;
  provider.keys.push(key.publicJwk);
  clock.pass(5);
  assert.equal(await whoHas(subject, token), "anna");
  await until(() => method.notices?.().length === 0);
  assert.equal(await whoHas(subject, await sign(provider, {}, { key })), "anna");
});

for (const missing of ["authorization_endpoint", "token_endpoint"]) {
  Deno.test(`a provider without ${missing} is in the log, and its tokens are good all the same`, async () => {
    await using subject = await makeSubject({
      prepare: (made) => void (made.metadata = { [missing]: undefined }),
    });
    assert.equal(await begin(subject), "unavailable: ACME cannot be reached at the moment: try again later");
    assert.deepEqual(subject.lines, [
      `error: Nobody can log in at identity provider "acme": it names no ${missing}`,
    ]);
    assert.equal(await whoHas(subject, await sign(subject.provider)), "anna");
  });
}

Deno.test("a failure to read the keys is told, too", async () => {
  await using subject = await makeSubject({ prepare: (made) => void (made.keys = []) });
  const { provider, lines } = subject;
  provider.metadata = { jwks_uri: "http://127.0.0.1:1/keys" };
  assert.equal(await whoHas(subject, await sign(provider)), UNREACHABLE);
  assert.match(
    lines.join("\n"),
    /^error: The keys of identity provider "acme": "http:\/\/127.0.0.1:1\/keys" /,
  );
  assert.equal(subject.method.notices?.().length, 1);
});

Deno.test("what a provider says of itself is not waited for at the start", async () => {
  const { promise: never } = Promise.withResolvers<Response>();
  await using subject = await makeSubject({ prepare: (made) => void (made.failure = () => never) });
  const running = subject.method.start?.();
  await running?.[Symbol.asyncDispose]();
  assert.deepEqual(subject.lines, [], "the end of the service is no failure of a provider");
});

Deno.test("providers may be described by files, whose keys are read again when there are new ones", async () => {
  using directory = new TestDirectory();
  await using provider = startProvider();
  const write = (name: string, value: unknown) =>
    Deno.writeTextFile(join(directory.path, name), JSON.stringify(value));
  const documents = { issuer: provider.url, jwks_uri: "http://127.0.0.1:1/" };
  await write("acme.json", documents);
  await write("keys.json", { keys: provider.keys });
  const block = blockFor(provider, "acme", {
    well_known_configuration: "acme.json",
    jwks_uri: join(directory.path, "keys.json"),
  });
  const host = hostOf({ users: USERS, changes: { now: () => NOW * 1000, directory: directory.path } });
  const method = await jwt.setup({ identity_providers: { acme: block } }, host);
  assert.equal(await whoHas({ method }, await sign(provider)), "anna");
  const key = await makeKey("RS256", "second");
  await write("keys.json", { keys: [key.publicJwk] });
  assert.equal(await whoHas({ method }, await sign(provider, {}, { key })), "anna");
  assert.equal(provider.asked.size, 0, "nothing is asked over the network");
});

const FILES:
  readonly (readonly [what: string, files: Record<string, string>, key: string, complaint: string])[] = [
    ["that is not there", {}, "well_known_configuration", "No such file or directory"],
    ["that is no JSON", { "acme.json": "{" }, "well_known_configuration", "It is no JSON"],
    ["without issuer", { "acme.json": "{}" }, "well_known_configuration", 'It has no text "issuer"'],
    [
      "of keys without keys",
      { "acme.json": '{"issuer": "x"}', "keys.json": "{}" },
      "jwks_uri",
      'It has no list "keys"',
    ],
  ];

for (const [what, files, key, complaint] of FILES) {
  Deno.test(`a file ${what} is named at the start by its key`, async () => {
    using directory = new TestDirectory();
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(join(directory.path, name), text);
    }
    const complaints: string[] = [];
    const host = hostOf({
      changes: {
        directory: directory.path,
        complain: (at, message) => void complaints.push(`${at}: ${message}`),
      },
    });
    const block = blockFor({ url: "" }, "acme", {
      well_known_configuration: "acme.json",
      jwks_uri: "keys.json",
    });
    const method = await jwt.setup({ identity_providers: { acme: block } }, host);
    assert.equal(complaints.length, 1);
    assert.match(complaints[0] ?? "", new RegExp(`^identity_providers\\.acme\\.${key}: .*${complaint}`));
    assert.deepEqual(method.buttons?.({ next: "/" }), []);
  });
}

Deno.test("authorization_endpoint of the configuration goes before the provider's own", async () => {
  await using subject = await makeSubject({ block: { authorization_endpoint: "http://127.0.0.1:1/other" } });
  assert.equal(await begin(subject), "/other");
});

Deno.test("jwks_uri of the configuration goes before the provider's own", async () => {
  await using other = startProvider();
  await using subject = await makeSubject({ block: { jwks_uri: `${other.url}/keys` } });
  assert.equal(await whoHas(subject, await sign(subject.provider)), "anna");
  assert.deepEqual([...other.asked.keys()], ["/keys"]);
  assert.equal(subject.provider.asked.has("/keys"), false);
});
