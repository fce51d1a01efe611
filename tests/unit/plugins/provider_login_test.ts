import assert from "node:assert/strict";
import { OvertakenLogin } from "@/plugins/kit/providers/login_failure.ts";
import {
  type Finishing,
  type Flow,
  FlowCookie,
  openNote,
  requireOwn,
  sealNote,
} from "@/plugins/kit/providers/provider_login.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";

const host = hostOf();

/** A browser at the callback of "acme", with this login in its cookie. */
function finishing(flow: Flow): Finishing {
  const settings = { id: "acme", name: "ACME", visible: true };
  const provider = {
    settings,
    isFailing: false,
    warmUp: () => Promise.resolve(),
    mistakes: () => Promise.resolve([]),
  };
  return { provider, host, flow, cookie: new FlowCookie("test", host) } as unknown as Finishing;
}

Deno.test("attack: an answer without a name answers no login, not even one without a name", async () => {
  const begun = { idp: "acme", next: "/" } as Flow;
  await assert.rejects(requireOwn(finishing(begun), ""), OvertakenLogin);
  await assert.rejects(requireOwn(finishing({ ...begun, id: "" }), ""), OvertakenLogin);
});

Deno.test("attack: a login is finished once, by the answer of its provider that names it", async () => {
  const flow = { idp: "acme", id: "name", next: "/" };
  await assert.rejects(requireOwn(finishing({ ...flow, idp: "other" }), "name"), OvertakenLogin);
  await assert.rejects(requireOwn(finishing(flow), "other"), OvertakenLogin);
  assert.equal(await requireOwn(finishing(flow), "name"), flow);
  await assert.rejects(requireOwn(finishing(flow), "name"), { message: "an answer that was used before" });
});

Deno.test("attack: a note is opened for its own kind and provider only", () => {
  const note = { kind: "login", idp: "acme" };
  const sealed = sealNote(note, host);
  assert.deepEqual(openNote(sealed, note, host), note);
  assert.equal(openNote(sealed, { ...note, kind: "logout" }, host), undefined);
  assert.equal(openNote(sealed, { ...note, idp: "other" }, host), undefined);
  assert.equal(openNote(host.seal(JSON.stringify(note), 60), note, host), undefined);
});
