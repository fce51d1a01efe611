/**
 * HTML pages that no format writes: forms that submit themselves, on the way to and from identity providers.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Onward } from "@/plugins/contract.ts";

/** Names of parameters come from the address, so they become form fields and never markup. */
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

/**
 * Sends the fragment of the address (after `#`) to `to`, a path of this service. Browsers do not send the
 * fragment, and some identity providers answer in it.
 */
export function fragmentPage(to: string): Response {
  return page({
    head: "<title>Log in</title>",
    body: `<p>You are being logged in.</p>\n` +
      `<noscript><p>This identity provider answers in a way that needs JavaScript.</p></noscript>\n` +
      `<form method="post" action="${escapeAttribute(to)}"></form>`,
    script: FRAGMENT_SCRIPT,
    formAction: "'self'",
    frameAncestors: "'none'",
  });
}

/** The fields, their destination, and whether a frame may send them. */
export type Sending = Pick<Extract<Onward, { kind: "send" }>, "to" | "fields" | "inFrame">;

/**
 * Sends the fields to another server by POST, as some identity providers require.
 * Without scripts the page has a button.
 */
export function sendingPage({ to, fields, inFrame }: Sending): Response {
  const inputs = Object.entries(fields).map(([name, value]) =>
    `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">`
  );
  // Browsers apply the rule to redirects of the other server, too, which may lead
  // from one of its hosts to another.
  const schemes = to.startsWith("https:") ? "https:" : "http: https:";
  return page({
    head: `<meta name="viewport" content="width=device-width">\n<title>One moment</title>`,
    body: `<form method="post" action="${escapeAttribute(to)}">\n${inputs.join("\n")}\n` +
      `<p>You are being sent to ${escapeAttribute(URL.parse(to)?.host ?? "another server")}.</p>\n` +
      `<noscript><button>Go on</button></noscript>\n</form>`,
    script: "HTMLFormElement.prototype.submit.call(document.forms[0]);\n",
    formAction: schemes,
    frameAncestors: inFrame ? schemes : "'none'",
  });
}

/** The policy allows this script and this form, and otherwise only what every page of this service may do. */
function page(
  { head, body, script, formAction, frameAncestors }: Readonly<
    Record<"head" | "body" | "script" | "formAction" | "frameAncestors", string>
  >,
): Response {
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${head}\n</head>\n` +
    `<body>\n${body}\n<script>${script}</script>\n</body>\n</html>\n`;
  const policy = `default-src 'none'; script-src 'sha256-${hash("sha256", script, "base64")}'; ` +
    `form-action ${formAction}; base-uri 'none'; frame-ancestors ${frameAncestors}`;
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy };
  return new Response(html, { headers });
}

/** Escapes a text for double-quoted attributes and for element content. */
function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
