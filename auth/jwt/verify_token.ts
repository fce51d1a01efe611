/**
 * Verifies ID tokens: signature by a key of the provider, permitted algorithm, audience, and time.
 *
 * @module
 */

import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from "jose";
import type { AuthHost } from "@/plugins/contract.ts";
import { readWithKeys } from "@/plugins/kit/providers/identity_providers.ts";
import { Expired, OtherKey, Rejection, require } from "@/plugins/kit/providers/login_failure.ts";
import type { Metadata } from "./metadata.ts";
import type { Keys, Provider } from "./provider.ts";

/** The context of verifying a token. */
interface Verification {
  readonly provider: Provider;
  readonly host: Pick<AuthHost, "now" | "setting">;
}

/** Largest token, as large as forms may be: some have all groups of a person. */
const LONGEST = 65_536;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The claims of a token. Throws {@link Rejection}, or `Unreachable` while the provider's keys cannot be read.
 */
export async function verifyToken(token: string, verification: Verification): Promise<JWTPayload> {
  require(token.length <= LONGEST, `a token of more than ${LONGEST} characters`);
  require(TOKEN.test(token), "a token that is no signed JSON Web Token");
  const { provider } = verification;
  const metadata = await provider.metadata();
  checkHeader(token, metadata);
  const claims = await verifySignature(token, metadata, verification);
  checkClaims(claims, verification);
  return claims;
}

/** Keys inside a token or behind its URLs are ignored; critical extensions are unknown here and refused. */
function checkHeader(token: string, { id_token_signing_alg_values_supported: algorithms }: Metadata): void {
  const { alg, crit, typ } = headerOf(token);
  require(alg !== undefined && algorithms.includes(alg), "an algorithm that is not one of the provider's");
  require(crit === undefined, "a header with critical extensions");
  // The same keys also sign access tokens and logout tokens.
  const isIdToken = typ === undefined || (typeof typ === "string" && /^(application\/)?jwt$/i.test(typ));
  require(isIdToken, "a token of another type");
}

function headerOf(token: string) {
  try {
    return decodeProtectedHeader(token);
  } catch (error) {
    if (error instanceof TypeError) throw new Rejection("a header that cannot be read");
    throw error;
  }
}

async function verifySignature(
  token: string,
  metadata: Metadata,
  { provider, host }: Verification,
): Promise<JWTPayload> {
  const options: JWTVerifyOptions = {
    algorithms: metadata.id_token_signing_alg_values_supported,
    issuer: metadata.issuer,
    audience: provider.settings.clientId,
    clockTolerance: host.setting("clock_skew"),
    currentDate: new Date(host.now()),
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
  };
  // A provider may publish another key under a new name or the same.
  const keys = await provider.keys();
  const renewable = { keys, renew: () => provider.renewedKeys(keys) };
  return await readWithKeys(renewable, (each) => verifyWith(each, token, options));
}

const UNFITTING = "no key of the provider fits";

async function verifyWith(keys: Keys, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return await verifyWithAny(error, token, options);
    throw rejectionOf(error);
  }
}

/** For a token without key id, from a provider with several keys. */
async function verifyWithAny(
  fitting: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let last: unknown = new OtherKey(UNFITTING);
  for await (const key of fitting) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      // All keys but one fail; the error of the right one is the reason.
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) last = error;
    }
  }
  throw rejectionOf(last);
}

/** Messages of jose name claims and never show values. */
function rejectionOf(error: unknown): unknown {
  if (error instanceof errors.JWKSNoMatchingKey) return new OtherKey(UNFITTING);
  if (error instanceof errors.JWSSignatureVerificationFailed) return new OtherKey(error.message);
  if (error instanceof errors.JWTExpired) return new Expired(error.message);
  if (error instanceof errors.JOSEError) return new Rejection(error.message);
  // The platform's errors for unusable keys.
  if (error instanceof TypeError || error instanceof DOMException) {
    return new Rejection("a key of the provider that cannot be used");
  }
  return error;
}

function checkClaims(claims: JWTPayload, { provider, host }: Verification): void {
  const { aud, azp, iat = 0, events } = claims;
  const { clientId } = provider.settings;
  const isForOthers = Array.isArray(aud) && aud.length > 1;
  require(azp === undefined ? !isForOthers : azp === clientId, "a token that was issued to another client");
  require(iat <= host.now() / 1000 + host.setting("clock_skew"), "a token from the future");
  require(events === undefined, "a token that is about an event");
}
