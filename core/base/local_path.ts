/**
 * Paths of this service that a browser may be sent to. Pure.
 *
 * @module
 */

/** No page has a longer path, and the cookie of a login that has begun has room for it. */
const LONGEST = 2000;
/** Stands for this service; the domain `.invalid` is reserved and never exists. */
const HERE = "http://service.invalid";
/** Pages that are useless as the destination of a login. */
const PASSING = /^\/(login|logout|first-run)(?=$|[/?#.])/;

/**
 * Reads a text as a path of this service, in the form that a browser would write; undefined when
 * it leads anywhere else. It includes `prefix`, the path of the base URL. Every doubtful form is
 * refused: browsers read `//host`, `/\host` and tabs between slashes as another host, and
 * proxies may decode `%2F` and fold dots.
 */
export function localPath(text: string, prefix: string): string | undefined {
  if (text.length > LONGEST || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(text)) return undefined;
  const url = URL.parse(text, HERE);
  if (!url || url.origin !== HERE) return undefined;
  const path = url.pathname;
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
  const below = path.slice(prefix.length);
  if (/^\/*(\/|%2f|%5c){2}/i.test(below) || PASSING.test(below)) return undefined;
  const encoded = `${path}${url.search}${url.hash}`;
  return encoded.length > LONGEST ? undefined : encoded;
}
