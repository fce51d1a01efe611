import assert from "node:assert/strict";
import { settlesWithin } from "@/plugins/kit/deadline.ts";

Deno.test("work is done in time, is late, or fails", async () => {
  const late = Promise.withResolvers<void>();
  assert.equal(await settlesWithin(Promise.resolve("done"), 1000), true);
  assert.equal(await settlesWithin(late.promise, 10), false);
  await assert.rejects(settlesWithin(Promise.reject(new Error("refused")), 1000), { message: "refused" });
  // A failure after the time is not reported to anybody.
  late.reject(new Error("late"));
});
