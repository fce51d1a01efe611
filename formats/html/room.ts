/**
 * The room on the page of a list: a browser gets 300 KB at most. Rows that do not fit are on further pages.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Page } from "@/plugins/contract.ts";

/** Bytes of a page, as UTF-8. */
const MOST = 300 * 1024;
/** Bytes of the pager and of the requests for programs, which come after the rows. */
const BEHIND = 8 * 1024;
/** Addresses in them. */
const ADDRESSES = 20;
/** Most bytes of a code unit of UTF-16. */
const WIDEST = 3;

/** The rows that a page has, as long as they fit. */
export class Room {
  /** The number of rows that were taken. */
  rows = 0;
  /** A row did not fit, so none behind it is on the page. */
  isFull = false;
  /** The text so far. Its bytes are counted only if it could be too long. */
  #text: string;
  #bytes: number | undefined;
  readonly #most: number;

  /** `around`: the HTML of the page without its rows, as far as it is known. */
  constructor(around: string, page: Page) {
    this.#text = around;
    this.#most = MOST - BEHIND - ADDRESSES * page.link("html", {}).length;
  }

  /** The row, or an empty text if it does not fit. The first one always does: an empty page leads nowhere. */
  take(row: string): string {
    if (this.isFull || !(this.#fits(row) || this.rows === 0)) {
      this.isFull = true;
      return "";
    }
    this.rows++;
    return row;
  }

  #fits(row: string): boolean {
    if (this.#bytes === undefined) {
      const text = this.#text + row;
      if (text.length * WIDEST <= this.#most) {
        this.#text = text;
        return true;
      }
      this.#bytes = Buffer.byteLength(this.#text);
    }
    const bytes = this.#bytes + Buffer.byteLength(row);
    if (bytes > this.#most) return false;
    this.#bytes = bytes;
    return true;
  }
}
