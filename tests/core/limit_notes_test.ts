import assert from "node:assert/strict";
import type { AuditEvent } from "@/core/audit.ts";
import { createLimitNotes } from "@/core/limit_notes.ts";

function notes() {
  const recorded: AuditEvent[] = [];
  const clock = { now: 1_000_000 };
  const note = createLimitNotes({
    audit: { record: (event) => void recorded.push(event) },
    now: () => clock.now,
  });
  const seen = () => recorded.map(({ address, user }) => [address, user]);
  return { note, seen, clock };
}

Deno.test("a network that tries too often has one line a minute, whomever it tries", () => {
  const { note, seen, clock } = notes();
  for (let count = 0; count < 50; count++) {
    note([{ kind: "form", network: "192.0.2.1" }, { kind: "login", login: `u${count}` }]);
    note([{ kind: "credentials", network: "192.0.2.2" }]);
  }
  assert.deepEqual(seen(), [["192.0.2.1", "u0"], ["192.0.2.2", undefined]]);
  clock.now += 59_999;
  note([{ kind: "credentials", network: "192.0.2.1" }]);
  assert.equal(seen().length, 2);
  clock.now += 1;
  note([{ kind: "credentials", network: "192.0.2.1" }]);
  assert.equal(seen().length, 3);
});

Deno.test("a clock that is set back hides nobody", () => {
  const { note, seen, clock } = notes();
  note([{ kind: "credentials", network: "192.0.2.1" }]);
  clock.now -= 500_000;
  note([{ kind: "credentials", network: "192.0.2.1" }]);
  assert.equal(seen().length, 2);
});
