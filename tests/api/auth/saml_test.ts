import saml from "@/auth/saml/mod.ts";
import { cookieOf } from "@/auth/saml/begin_login.ts";
import { sealNote } from "@/plugins/kit/providers/provider_login.ts";
import { type Attempt, testAuth } from "@/tests/conformance/auth.ts";
import { clientOf } from "@/tests/conformance/auth_attempt.ts";
import { hostOf } from "@/tests/conformance/auth_host.ts";
import { userOf } from "@/tests/conformance/users.ts";
import { makeIdentity } from "./saml/certificate.ts";
import { blockOf } from "./saml/home.ts";

const ORIGIN = "http://service.example";
const NOW = Date.now();
const key = await makeIdentity("provider");

// Several tests make the same attempt, so single-use names can be repeated here.
const host = hostOf({
  users: [userOf("anna", { email: "anna@example.com" })],
  changes: { now: () => NOW, once: () => Promise.resolve(true) },
});

const CALLBACK = "/sso/callback/saml/{idp_id}";
const acme = { idp_id: "acme" };
const sender = { headers: new Headers(), client: clientOf() };
const [cookie = ""] = cookieOf(host).give({ idp: "acme", id: "_begun", next: "/db" }, sender).split(";");

/** Members of the note of a response. */
interface Note {
  readonly kind?: string;
  readonly idp?: string;
  readonly request?: string;
  readonly login?: string;
  readonly rejection?: string;
  readonly refusal?: string;
}

/** A browser comes back with the note of a response. */
function arriving(name: string, note: Note, headers: Record<string, string> = { cookie }): Attempt {
  const sealed = sealNote({ kind: "login", idp: "acme", ...note }, host);
  return {
    name,
    headers,
    route: { method: "GET", path: CALLBACK, parameters: acme, query: { note: sealed } },
    secrets: [sealed],
  };
}

const right = { request: "_begun", login: "anna" };

testAuth("saml", () => saml, {
  section: { identity_providers: { acme: blockOf(ORIGIN, "acme", { key }) } },
  host,
  accepted: [{ ...arriving("a response to what was begun here", right), login: "anna" }],
  rejected: [
    arriving("a response to another login", { ...right, request: "_other" }),
    arriving("a response in another browser", right, {}),
    arriving("a response of another provider", { ...right, idp: "other" }),
    arriving("a response that was not accepted", { rejection: "a response without signature" }),
    arriving("a login that was given up", { refusal: "AuthnFailed" }),
    arriving("a user who is gone", { ...right, login: "gone" }),
    arriving("a request to log out", { ...right, kind: "logout" }),
    {
      name: "a response that is none",
      route: { method: "POST", path: CALLBACK, parameters: acme },
      fields: { RelayState: "abracadabra" },
      secrets: ["abracadabra"],
    },
  ],
});
