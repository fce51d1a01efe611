/**
 * Reads the header of HTTP Basic.
 *
 * @module
 */

/** The login and password of a header. */
export interface Credentials {
  readonly login: string;
  readonly password: string;
}

/** Largest header value; no real password needs more. */
const LONGEST = 8192;

/** Login and password of `Basic <base64 of login:password>`, in UTF-8; undefined for any other header. */
export function parseBasic(header: string): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim())?.[1];
  const text = encoded === undefined || encoded.length > LONGEST ? undefined : decode(encoded);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon < 0) return undefined;
  return { login: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(encoded);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
