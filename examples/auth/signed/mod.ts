/**
 * Requests that are signed by a secret or a private key (RFC 9421). The signature covers method, host, path,
 * query and body, counts for a minute and only once.
 *
 * @module
 */

import { timingSafeEqual } from "node:crypto";
import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  AuthRequest,
  AuthResult,
  SettingValues,
} from "@/plugins/contract.ts";
import { readSettings, SETTINGS, type Settings } from "./settings.ts";
import { readDigest, readSignature, type Signature, signatureBase, type ToldDigest } from "./signature.ts";

const HEADERS = {
  signature: "Signature",
  signature_input: "Signature-Input",
  content_digest: "Content-Digest",
};

export default {
  contract: 2,
  kind: "auth",
  name: "signed",
  settings: SETTINGS,
  setup(section: SettingValues<typeof SETTINGS>, host: AuthHost): AuthMethod {
    const settings = readSettings(section, (key, message) => host.complain(key, message));
    const schemes = Object.entries(HEADERS).map(([scheme, name]) => {
      return [scheme, { type: "apiKey", in: "header", name, description: "A signed request, RFC 9421." }];
    });
    return {
      securitySchemes: Object.fromEntries(schemes),
      securityRequirements: [["signature", "signature_input"], Object.keys(HEADERS)],
      authenticate(request) {
        const signature = readSignature(request.headers);
        if (signature === undefined) return { outcome: "absent" };
        host.throttle.requireTurn(request.client);
        return typeof signature === "string"
          ? { outcome: "rejected", reason: signature }
          : verify(signature, request, settings, host);
      },
    };
  },
} satisfies AuthPlugin;

/** First everything that the headers prove, last the body: strangers get none read. */
async function verify(
  signature: Signature,
  request: AuthRequest,
  { keys, maxAge }: Settings,
  host: AuthHost,
): Promise<AuthResult> {
  const { keyid, nonce, components } = signature;
  const key = keys.get(keyid);
  if (!key) return rejected("an unknown key");
  const { user: login } = key;
  if (signature.alg !== undefined && signature.alg !== key.alg) {
    return rejected("another algorithm than that of the key");
  }
  const { method, target, headers, client } = request;
  const base = signatureBase(signature, { method, target, headers, isHttps: client.isHttps });
  if (typeof base !== "string") return rejected(`the request lacks ${base.missing}`);
  if (!key.fits(base, signature.bytes)) return rejected("a wrong signature");
  const skew = host.setting("clock_skew");
  const late = untimely(signature, host.now() / 1000, { maxAge, skew });
  if (late !== undefined) return rejected(late, login);
  const digest = components.includes("content-digest")
    ? readDigest(headers.get("content-digest") ?? "")
    : NO_BODY;
  if (!digest) return rejected("a Content-Digest without sha-256 or sha-512", login);
  const user = host.findUser(login);
  if (!user) return rejected("the user of the key is not there or disabled", login);
  if (!await host.once(`${keyid} ${nonce}`, maxAge + 2 * skew)) {
    return rejected("a nonce that was used before", login);
  }
  const body = await request.digest(digest.algorithm);
  const isSame = body.length === digest.bytes.length && timingSafeEqual(body, digest.bytes);
  return isSame ? { outcome: "accepted", user } : rejected("another body than the signed one", login);
}

/** The digest of no bytes: a request whose signature does not cover a digest has no body. */
const NO_BODY: ToldDigest = {
  algorithm: "sha-256",
  bytes: Uint8Array.fromHex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
};

/** Why a signature does not count at this moment, in seconds since 1970. */
function untimely(
  { created, expires }: Signature,
  now: number,
  { maxAge, skew }: { readonly maxAge: number; readonly skew: number },
): string | undefined {
  if (created > now + skew) return "a signature of the future";
  if (created < now - maxAge - skew || (expires !== undefined && expires < now - skew)) {
    return "an old signature";
  }
  return undefined;
}

function rejected(reason: string, login?: string): AuthResult {
  return { outcome: "rejected", reason, ...(login === undefined ? {} : { login }) };
}
