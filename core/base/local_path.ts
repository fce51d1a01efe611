/**
 * Paths of this service that a browser may be sent to. Pure.
 *
 * @module
 */

/** Longer ones are no page that anybody was on. */
const LONGEST = 2000;
/** Stands for this service; `.invalid` is nobody's. */
const HERE = "http://service.invalid";
/** After a login nobody wants to log in or out. */
const PASSING = /^\/(login|logout|first-run)(?=$|[/?#.])/;

/**
 * A text as a path of this service, as a browser would write it; undefined when it leads anywhere else or nowhere. It
 * includes `prefix`, the path of the base URL. Whatever is not plainly a path is refused: browsers read `//host`, `/\host`
 * and tabs between slashes as another host, proxies may decode `%2F` and fold dots.
 */
export function localPath(text: string, prefix: string): string | undefined {
  if (text.length > LONGEST || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(text)) return undefined;
  const url = URL.parse(text, HERE);
  if (!url || url.origin !== HERE) return undefined;
  const path = url.pathname;
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
  const below = path.slice(prefix.length);
  if (/^\/*(\/|%2f|%5c){2}/i.test(below) || /^\/(%2f|%5c)/i.test(below) || PASSING.test(below)) {
    return undefined;
  }
  return `${path}${url.search}${url.hash}`;
}
