/**
 * A page with a form that sends itself to another server by POST, as identity providers may want it. Without scripts it has
 * a button.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Onward } from "@/plugins/contract.ts";
import { escapeAttribute } from "./escape_attribute.ts";

/** What is sent, and whether a frame may do it. */
export type Sending = Pick<Extract<Onward, { kind: "send" }>, "to" | "fields" | "inFrame">;

const SCRIPT = "HTMLFormElement.prototype.submit.call(document.forms[0]);\n";

/** The page, and the content security policy that it needs. */
export interface SendingPage {
  readonly response: Response;
  readonly policy: string;
}

/** Sends the fields to a URL. */
export function sendingPage({ to, fields, inFrame }: Sending): SendingPage {
  const inputs = Object.entries(fields).map(([name, value]) =>
    `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">`
  );
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<meta name="viewport" content="width=device-width">\n<title>One moment</title>\n</head>\n<body>\n` +
    `<form method="post" action="${escapeAttribute(to)}">\n${inputs.join("\n")}\n` +
    `<p>You are being sent to ${escapeAttribute(URL.parse(to)?.host ?? "another server")}.</p>\n` +
    `<noscript><button>Go on</button></noscript>\n</form>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
  const response = new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
  return { response, policy: policyFor(to, inFrame === true) };
}

/**
 * Allows this script and this form. Browsers hold redirects of the other server against the same rule, and it may send
 * people from one of its hosts to another.
 */
function policyFor(to: string, inFrame: boolean): string {
  const schemes = to.startsWith("https:") ? "https:" : "http: https:";
  return `default-src 'none'; script-src 'sha256-${hash("sha256", SCRIPT, "base64")}'; ` +
    `form-action ${schemes}; base-uri 'none'; frame-ancestors ${inFrame ? schemes : "'none'"}`;
}
