/**
 * Files that everybody may load: those of pages, and the operator's below `/static/` (the setting
 * `static_path`): regular files inside the directory after following symbolic links, and nothing else.
 *
 * @module
 */

import { getMimeType } from "hono/utils/mime";
import { join, sep } from "node:path";
import { notFound, quote, type ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { sendBody, type Source } from "@/core/respond/send_body.ts";
import { SLICE } from "@/core/respond/write_body.ts";
import { matchesTag } from "@/core/tables/etag.ts";
import { codeOf } from "@/plugins/kit/database_failure.ts";

/** Path of the files below the prefix. */
export const STATIC = "/static/";

/** Answers GET and HEAD for the file that the target names after `/static/`. Throws 404. */
export async function serveStatic(
  { method, headers, target, log }: Pick<Exchange, "method" | "headers" | "target" | "log">,
  directory: string,
): Promise<Response> {
  const [path = ""] = target.slice(target.indexOf(STATIC) + STATIC.length).split("?", 1);
  const file = await fileAt(directory, path);
  const { size, mtime } = await Deno.stat(file);
  const changed = Math.floor((mtime?.getTime() ?? 0) / 1000) * 1000;
  const facts = {
    "ETag": `"${size.toString(36)}-${(mtime?.getTime() ?? 0).toString(36)}"`,
    "Last-Modified": new Date(changed).toUTCString(),
    "Content-Type": getMimeType(file) ?? "application/octet-stream",
  };
  if (isKnown(headers, facts.ETag, changed)) return new Response(null, { status: 304, headers: facts });
  const answer = { headers: { ...facts, "Content-Length": `${size}` } };
  if (method === "HEAD") return new Response(null, answer);
  return new Response(sendBody(sourceOf(await Deno.open(file)), { log }), answer);
}

function sourceOf(file: Deno.FsFile): Source {
  return {
    async next() {
      const piece = new Uint8Array(SLICE);
      const count = await file.read(piece);
      return count === null ? undefined : piece.subarray(0, count);
    },
    end: () => file.close(),
  };
}

/** The codes of paths that lead to no file. */
const BAD_PATH = /^(ENOENT|ENOTDIR|EACCES|EPERM|ELOOP|ENAMETOOLONG)$/;

/** The real path of a regular file inside the directory; anything else is 404. */
async function fileAt(directory: string, path: string): Promise<string> {
  try {
    const name = decodeURIComponent(path);
    const parts = name.split("/");
    // Hidden files are not served; a backslash is a separator on some systems.
    if (/[\0\\]/.test(name) || parts.some((part) => part.startsWith("."))) throw missing(path);
    const root = await Deno.realPath(directory);
    const file = await Deno.realPath(join(root, ...parts));
    if (file.startsWith(root + sep) && (await Deno.stat(file)).isFile) return file;
  } catch (error) {
    if (!(error instanceof URIError) && !BAD_PATH.test(codeOf(error))) throw error;
  }
  throw missing(path);
}

function missing(path: string): ServiceError {
  return notFound(`Cannot find file ${quote(path)}`);
}

/** `If-None-Match` takes precedence over `If-Modified-Since`, as in HTTP. */
function isKnown(headers: Headers, etag: string, changed: number): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return matchesTag(tags, etag);
  const since = Date.parse(headers.get("if-modified-since") ?? "");
  return since >= changed;
}

/** Seconds of a year. */
const LONGEST_AGE = 31_536_000;

/** Answers GET and HEAD. Throws 404 for a name or hash that this version does not have. */
export function serveAsset(exchange: Exchange, parameters: ReadonlyMap<string, string>): Response {
  const { method, headers, service: { assets } } = exchange;
  const key = `${parameters.get("hash")}/${parameters.get("name")}`;
  const asset = assets.files.get(key);
  if (!asset) throw notFound(`Cannot find file ${quote(key)}: load the page again`);
  const etag = `"${key}"`;
  const facts = {
    "ETag": etag,
    "Cache-Control": `public, max-age=${LONGEST_AGE}, immutable`,
    "Content-Type": asset.contentType,
  };
  const known = headers.get("if-none-match");
  if (known !== null && matchesTag(known, etag)) return new Response(null, { status: 304, headers: facts });
  const body = method === "HEAD" ? undefined : asset.bytes;
  exchange.written = body;
  return new Response(body, { headers: facts });
}
