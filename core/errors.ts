/**
 * Refusals with their codes, the one table from codes to HTTP status, and the texts of errors. It imports
 * nothing.
 *
 * @module
 */

/** Error codes and the HTTP status of each. */
export const STATUS = {
  "bad-request": 400,
  "licence": 402,
  "forbidden": 403,
  "not-found": 404,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  "slow-request": 408,
  "conflict": 409,
  "precondition-failed": 412,
  "too-large": 413,
  "unsupported-media-type": 415,
  "update-conflict": 422,
  "too-many-requests": 429,
  "internal": 500,
  "not-implemented": 501,
  "unavailable": 503,
  "timeout": 504,
} as const;

/** The status of a request whose client has left before its answer, as in the logs of nginx. Never sent. */
export const CLIENT_LEFT = 499;

/** A code in {@link STATUS}. */
export type ErrorCode = keyof typeof STATUS;

/** Parts of a refusal beside its message. */
interface RefusalOptions {
  /** For the log only; the caller never sees it. */
  readonly cause?: unknown;
  /** Additional headers of the answer: `Allow`, `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** All mistakes in a body; the message is the first of them. */
  readonly errors?: readonly string[] | undefined;
  /** The mistakes by record and column, for forms. */
  readonly complaints?: readonly RecordComplaint[] | undefined;
  /** A name of the path that does not exist, and similar names that do. */
  readonly nearest?: Nearest | undefined;
  /** Pages from which a person can go on. */
  readonly links?: readonly PageLink[] | undefined;
}

interface PageLink {
  readonly label: string;
  readonly href: string;
}

/** A mistake in one record of a body. */
export interface RecordComplaint {
  /** The position in the body, from 0. */
  readonly record: number;
  /** Absent: the record as a whole. */
  readonly column?: string;
  readonly sentence: string;
}

/** A mistake of which programs see a text of its own. */
export interface ToldComplaint extends RecordComplaint {
  readonly text: string;
}

/** A name as the caller wrote it, decoded, and similar ones, the best first. */
interface Nearest {
  readonly wanted: string;
  readonly names: readonly string[];
}

/**
 * A refusal whose message the caller sees, so it must not contain secrets or names that the caller may not
 * see. Values in it are quoted with {@link quote}.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly string[] | undefined;
  readonly complaints: readonly RecordComplaint[];
  readonly nearest: Nearest | undefined;
  readonly links: readonly PageLink[];

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
    this.complaints = options.complaints ?? [];
    this.nearest = options.nearest;
    this.links = options.links ?? [];
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** 400. */
export function badRequest(message: string, options?: RefusalOptions): ServiceError {
  return new ServiceError("bad-request", message, options);
}

/** 400 with all mistakes in a body. */
export function badRecords(complaints: readonly ToldComplaint[], cause?: unknown): ServiceError {
  const errors = complaints.map(({ text }) => text);
  return badRequest(errors[0] ?? "", { errors, complaints, cause });
}

/** 404. */
export function notFound(message: string, options?: RefusalOptions): ServiceError {
  return new ServiceError("not-found", message, options);
}

/** 503 for what may go well after so many seconds. */
export function tryLater(message: string, seconds: number, cause?: unknown): ServiceError {
  return new ServiceError("unavailable", message, { headers: { "Retry-After": String(seconds) }, cause });
}

/** A refusal that says what to do; the text is the same for every mistake in the credentials. */
export function forbidden(reason: string, options: { readonly cause?: unknown } = {}): ServiceError {
  return new ServiceError("forbidden", `${reason}: log in, or resend with a valid API key`, options);
}

/** Which record of a body with several the words behind it are about; empty for a single one. */
export function nodeOf(record: number | undefined): string {
  return record === undefined ? "" : `error at node '/${record}': `;
}

/** The message of an error without what is for programs: pages show in other ways what to do. */
export function messageForPeople({ message }: ServiceError): string {
  return message.replace(/: log in, or resend with a valid API key.*$/s, "")
    .replace(/^Commit failed during update: /, "The database refuses this: ");
}

/** What an error says, or whatever else has been thrown. Never throws: a plugin may throw anything. */
export function messageIn(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something that cannot be shown";
  }
}

/** Like {@link messageIn}; a mistake in the code of a plugin also has its place. */
export function messageWithPlace(error: unknown): string {
  const message = messageIn(error);
  const isMistake = error instanceof TypeError || error instanceof ReferenceError;
  const [place] = isMistake ? /file:\/\/\S+:\d+:\d+/.exec(error.stack ?? "") ?? [] : [];
  return place === undefined || message.includes(place) ? message : `${message} (${place})`;
}

/** Quotes a value from outside for a message: JSON escapes, ASCII only, at most 80 characters. */
export function quote(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return ascii(JSON.stringify(cut.toWellFormed()));
}

/** Writes characters beyond ASCII as `\uXXXX`, so that the text fits into a header. */
export function ascii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
