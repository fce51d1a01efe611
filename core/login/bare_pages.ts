/**
 * A page whose script sends what stands behind `#` in its address to this service. Only the browser knows that part, and
 * some identity providers answer there.
 *
 * @module
 */

import { hash } from "node:crypto";
import { escapeAttribute } from "./escape_attribute.ts";

/** Names of parameters come from the address, so they become fields and never markup. */
const SCRIPT = `const form = document.forms[0];
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
  `default-src 'none'; script-src 'sha256-${hash("sha256", SCRIPT, "base64")}'; form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'";

/** Sends the fields to `to`, a path of this service. */
export function fragmentPage(to: string): Response {
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<title>Log in</title>\n</head>\n<body>\n<p>You are being logged in.</p>\n` +
    `<noscript><p>This identity provider answers in a way that needs JavaScript.</p></noscript>\n` +
    `<form method="post" action="${
      escapeAttribute(to)
    }"></form>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });
}
