/**
 * The location of a server, as `session.url` has it.
 *
 * @module
 */

/** Where a server is, and how to log in. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  /**
   * The certificate of the authority that the server's certificate must be
   * of, in PEM. Absent: the usual ones.
   */
  readonly ca?: string;
  /** Absent with a password: the user `default`. */
  readonly user?: string;
  readonly password?: string;
  /** The number of the database. */
  readonly database: number;
}

/**
 * The password ends at the last `@`, so that it may have any characters as they are. No message shows the
 * location: it may have a password.
 */
const LOCATION =
  /^(rediss?):\/\/(?:([^:]*):(.*)@)?([^\s:/?#@[\]]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?(?:\/(\d{0,4}))?(?:\?ca=([^&#]+))?$/s;
const DEFAULT_PORT = 6379;

/** Reads a location; `ca` is the name of a file as yet. Throws a sentence without the location. */
export function placeAt(location: string): Omit<Place, "ca"> & { readonly caFile?: string } {
  const match = LOCATION.exec(location);
  if (!match) {
    throw new Error(
      "expected redis://host:port, rediss://user:password@host:port/number, or the like (docs/operations.md)",
    );
  }
  const [, scheme, user = "", password = "", host = "", port, database, caFile] = match;
  if (caFile !== undefined && scheme === "redis") {
    throw new Error("ca has no meaning without TLS: use rediss://");
  }
  if (Number(port ?? "") > 65535) throw new Error("expected a port up to 65535");
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port: port === undefined ? DEFAULT_PORT : Number(port),
    isEncrypted: scheme === "rediss",
    database: Number(database ?? ""),
    ...(user === "" ? {} : { user: decoded(user) }),
    ...(password === "" ? {} : { password: decoded(password) }),
    ...(caFile === undefined ? {} : { caFile: decoded(caFile) }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The message of the error would show the text.
    throw new Error("a % that begins no percent-encoded character is to be written as %25");
  }
}
