/**
 * The cookies of a browser.
 *
 * @module
 */

/** Keeps the cookies of answers, for any path, until an answer ends them. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Values by name. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  /** The value of the header `Cookie`; empty without cookies. */
  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** Takes the cookies of an answer. */
  keep(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/; Max-Age=0(;|$)/.test(cookie)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}
