/**
 * Tests of the suite in auth.ts about pages and routes of authentication methods.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AuthSubject } from "@/tests/conformance/auth.ts";
import { renewed, routeRequestOf } from "@/tests/conformance/auth_attempt.ts";
import { HOSTILE_TEXTS } from "@/tests/conformance/hostile.ts";

/** A path with names in braces. */
const PATH = /^(\/([A-Za-z0-9._~-]+|\{\w+\}))+$/;

const ELSEWHERE: readonly string[] = [
  "//evil.example",
  "/\\evil.example",
  "https://evil.example/",
  "https:evil.example",
  "/\t/evil.example",
  "javascript:alert(1)",
];

/** A route answers every body, and opens no session for nonsense. */
export async function keepsRoutes({ method, accepted }: AuthSubject): Promise<void> {
  const names = new Set([
    "login",
    "password",
    "next",
    ...accepted.flatMap(({ fields = {} }) => Object.keys(fields)),
  ]);
  for (const route of method.routes ?? []) {
    assert.match(route.path, PATH);
    assert.equal(["GET", "POST"].includes(route.method), true);
    assert.equal([undefined, "same-site", "any-site"].includes(route.from), true);
    assert.equal(Number.isInteger(route.maxBody ?? 1) && (route.maxBody ?? 1) > 0, true);
    for (const text of HOSTILE_TEXTS) {
      const fields = Object.fromEntries([...names].map((name) => [name, text]));
      for (const body of [fields, {}]) {
        const answer = await route.handle(routeRequestOf({ route, fields: body, headers: {} }));
        const { action, outcome } = "event" in answer ? answer.event ?? {} : {};
        assert.equal(action === "login" && outcome === "success", false, JSON.stringify(fields));
      }
    }
  }
}

/** Buttons and forms lead to this service only, and no password is filled in. */
export function describesItsForm({ method, host }: AuthSubject): void {
  const page = { next: `${host.prefix}/db` };
  for (const { label, href } of method.buttons?.(page) ?? []) {
    assert.notEqual(label.trim(), "");
    assertLocal(href, host.prefix);
  }
  for (const notice of method.notices?.() ?? []) assert.notEqual(notice.trim(), "");
  const form = method.form?.(page);
  if (!form) return;
  assertLocal(form.action, host.prefix);
  assert.notEqual(form.submit.trim(), "");
  const names = [...form.fields.map(({ name }) => name), ...Object.keys(form.hidden)];
  assert.equal(new Set(names).size, names.length, "no two fields have one name");
  for (const { kind, value, label, autocomplete } of form.fields) {
    assert.notEqual(label.trim(), "");
    assert.notEqual(autocomplete, "");
    if (kind === "password") assert.equal(value, undefined);
  }
}

/** A valid login with a hostile `next` ends on a page of this service. */
export async function findsItsWayBack({ method, accepted, host }: AuthSubject): Promise<void> {
  for (const attempt of accepted) {
    const { route } = attempt;
    const found = method.routes?.find(({ path, method: verb }) =>
      path === route?.path && verb === route.method
    );
    if (!route || !found) continue;
    for (const next of ELSEWHERE) {
      const fresh = await renewed(attempt);
      const answer = await found.handle(routeRequestOf({ ...fresh, fields: { ...fresh.fields, next } }));
      if (answer.kind !== "done" && answer.kind !== "redirect") assert.fail(`it answers with ${answer.kind}`);
      assertLocal(answer.to, host.prefix);
    }
  }
}

function assertLocal(path: string, prefix: string): void {
  const here = "http://service.example";
  assert.match(path, /^\/(?![/\\])[\x21-\x7e]*$/);
  assert.equal(new URL(path, here).origin, here);
  assert.equal(path === prefix || path.startsWith(`${prefix}/`), true);
}
