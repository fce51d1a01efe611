/**
 * Reads the headers of a signature and writes the text that it covers, as RFC 9421 tells. One signature per
 * request, of whole headers and of the request's own parts; any other form is refused.
 *
 * @module
 */

/** The parts of a request that a signature may cover. */
export interface SignedRequest {
  /** `POST`. */
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Headers;
  readonly isHttps: boolean;
}

/** A signature as the headers tell it; nothing of it is proved. */
export interface Signature {
  readonly components: readonly string[];
  readonly keyid: string;
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Absent: when the method says. */
  readonly expires?: number;
  /** Absent: that of the key. */
  readonly alg?: string;
  readonly bytes: Uint8Array;
  /** The components and parameters as sent, which are covered as well. */
  readonly parameters: string;
}

/** These have to be covered: a signature must not count for another request, nor at another service. */
const REQUIRED: readonly string[] = ["@method", "@authority", "@path", "@query"];
/** Characters of each header. */
const LONGEST = 4096;

const ITEM = /"[a-z0-9@*_.-]+"/;
const PARAMETER = /;[a-z]+=(?:"[\x20\x21\x23-\x5b\x5d-\x7e]*"|\d{1,12})/;
const INPUT = new RegExp(
  `^([a-z][a-z0-9_-]*)=(\\((${ITEM.source}(?: ${ITEM.source})*)\\)((?:${PARAMETER.source})*))$`,
);

/** The signature of the headers, or what is wrong with them; undefined without any. */
export function readSignature(headers: Headers): Signature | string | undefined {
  const [input, signature] = [headers.get("signature-input"), headers.get("signature")];
  if (input === null && signature === null) return undefined;
  if (input === null || signature === null) return "Signature and Signature-Input belong together";
  if (input.length > LONGEST || signature.length > LONGEST) return "a signature that is too long";
  const [, label, parameters = "", items = "", rest = ""] = INPUT.exec(input) ?? [];
  if (label === undefined) return "a Signature-Input in another form";
  const components = items.split(" ").map((item) => item.slice(1, -1));
  const missing = REQUIRED.filter((name) => !components.includes(name));
  if (missing.length > 0) return `a signature that does not cover ${missing.join(", ")}`;
  if (new Set(components).size < components.length) return "a signature that covers a part twice";
  const facts = readParameters(rest);
  if (typeof facts === "string") return facts;
  const bytes = signature.startsWith(`${label}=:`) && signature.endsWith(":")
    ? bytesOf(signature.slice(label.length + 2, -1))
    : undefined;
  return bytes ? { ...facts, components, bytes, parameters } : "a Signature in another form";
}

function readParameters(text: string): Omit<Signature, "components" | "bytes" | "parameters"> | string {
  const found = new Map<string, string | number>();
  for (const [parameter] of text.matchAll(new RegExp(PARAMETER, "g"))) {
    const equals = parameter.indexOf("=");
    const [name, value] = [parameter.slice(1, equals), parameter.slice(equals + 1)];
    if (found.has(name)) return `the parameter ${name} twice`;
    found.set(name, value.startsWith('"') ? value.slice(1, -1) : Number(value));
  }
  const [keyid, nonce, alg] = ["keyid", "nonce", "alg"].map((name) => found.get(name));
  const [created, expires] = [found.get("created"), found.get("expires")];
  if (typeof keyid !== "string") return "no keyid";
  if (typeof nonce !== "string" || nonce.length < 16 || nonce.length > 128) {
    return "no nonce of 16 to 128 characters";
  }
  if (typeof created !== "number") return "no created";
  if (expires !== undefined && typeof expires !== "number") return "expires is no number";
  if (alg !== undefined && typeof alg !== "string") return "alg is no text";
  return {
    ...{ keyid, nonce, created },
    ...(expires === undefined ? {} : { expires }),
    ...(alg === undefined ? {} : { alg }),
  };
}

/** The text that is signed, or what it lacks. */
export function signatureBase(
  { components, parameters }: Pick<Signature, "components" | "parameters">,
  request: SignedRequest,
): string | { readonly missing: string } {
  const lines: string[] = [];
  for (const name of components) {
    const value = valueOf(name, request);
    if (value === undefined) return { missing: name };
    lines.push(`"${name}": ${value}`);
  }
  return [...lines, `"@signature-params": ${parameters}`].join("\n");
}

/** The value of a component; undefined for one that the request does not have. */
function valueOf(name: string, { method, target, headers, isHttps }: SignedRequest): string | undefined {
  const question = target.indexOf("?");
  switch (name) {
    case "@method":
      return method;
    case "@authority":
      return headers.get("host")?.toLowerCase().replace(isHttps ? /:443$/ : /:80$/, "");
    case "@path":
      return question < 0 ? target : target.slice(0, question);
    case "@query":
      return question < 0 ? "?" : target.slice(question);
    default:
      return name.startsWith("@") ? undefined : headers.get(name) ?? undefined;
  }
}

/** A digest of the body, as `Content-Digest` (RFC 9530) tells it. */
export interface ToldDigest {
  readonly algorithm: "sha-256" | "sha-512";
  readonly bytes: Uint8Array;
}

/** The first digest that is known; undefined without one. */
export function readDigest(header: string): ToldDigest | undefined {
  for (const member of header.split(",")) {
    const [, algorithm, text = ""] = /^ *(sha-256|sha-512)=:([A-Za-z0-9+/=]*): *$/.exec(member) ?? [];
    const bytes = bytesOf(text);
    if ((algorithm === "sha-256" || algorithm === "sha-512") && bytes) return { algorithm, bytes };
  }
  return undefined;
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
