/**
 * The few pages of HTML that no format writes: forms that send themselves, on the way to and from identity providers.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Onward } from "@/plugins/contract.ts";

/** Names of parameters come from the address, so they become fields and never markup. */
const FRAGMENT_SCRIPT = `const form = document.forms[0];
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const input = document.createElement("input");
  input.type = "hidden";
  input.name = name;
  input.value = value;
  form.append(input);
}
history.replaceState(null, "", location.pathname + location.search);
HTMLFormElement.prototype.submit.call(form);
`;

/** Allows this script, and nothing else that a page of this service may not do. */
export const FRAGMENT_POLICY =
  `default-src 'none'; script-src 'sha256-${
    hash("sha256", FRAGMENT_SCRIPT, "base64")
  }'; form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'";

/**
 * Sends what stands behind `#` in the address to `to`, a path of this service. Only the browser knows that part, and some
 * identity providers answer there.
 */
export function fragmentPage(to: string): Response {
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<title>Log in</title>\n</head>\n<body>\n<p>You are being logged in.</p>\n` +
    `<noscript><p>This identity provider answers in a way that needs JavaScript.</p></noscript>\n` +
    `<form method="post" action="${
      escapeAttribute(to)
    }"></form>\n<script>${FRAGMENT_SCRIPT}</script>\n</body>\n</html>\n`;
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** What is sent, and whether a frame may do it. */
export type Sending = Pick<Extract<Onward, { kind: "send" }>, "to" | "fields" | "inFrame">;

const SENDING_SCRIPT = "HTMLFormElement.prototype.submit.call(document.forms[0]);\n";

/** The page, and the content security policy that it needs. */
export interface SendingPage {
  readonly response: Response;
  readonly policy: string;
}

/** Sends the fields to another server by POST, as identity providers may want it. Without scripts it has a button. */
export function sendingPage({ to, fields, inFrame }: Sending): SendingPage {
  const inputs = Object.entries(fields).map(([name, value]) =>
    `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">`
  );
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<meta name="viewport" content="width=device-width">\n<title>One moment</title>\n</head>\n<body>\n` +
    `<form method="post" action="${escapeAttribute(to)}">\n${inputs.join("\n")}\n` +
    `<p>You are being sent to ${escapeAttribute(URL.parse(to)?.host ?? "another server")}.</p>\n` +
    `<noscript><button>Go on</button></noscript>\n</form>\n<script>${SENDING_SCRIPT}</script>\n</body>\n</html>\n`;
  const response = new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
  return { response, policy: policyFor(to, inFrame === true) };
}

/** A text as it may stand in an attribute's double quotes, or between tags. */
function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/**
 * Allows this script and this form. Browsers hold redirects of the other server against the same rule, and it may send
 * people from one of its hosts to another.
 */
function policyFor(to: string, inFrame: boolean): string {
  const schemes = to.startsWith("https:") ? "https:" : "http: https:";
  return `default-src 'none'; script-src 'sha256-${hash("sha256", SENDING_SCRIPT, "base64")}'; ` +
    `form-action ${schemes}; base-uri 'none'; frame-ancestors ${inFrame ? schemes : "'none'"}`;
}
