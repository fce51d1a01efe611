import assert from "node:assert/strict";
import { SETTING_PATTERNS, SETTINGS } from "@/config/settings.ts";
import { startProcess } from "@/tests/support/process.ts";
import { startService } from "@/tests/support/service.ts";
import { ACCESS } from "./access.ts";
import { ANSWERS } from "./answers.ts";
import { LOGINS } from "./logins.ts";
import { checkEntrance, ENTRANCE_EFFECTS } from "./sessions.ts";
import { CACHE_EFFECTS } from "./shared_caches.ts";
import { SIGHT } from "./sight.ts";
import { SIGN_ON } from "./sign_on.ts";
import { STOPPING } from "./stopping.ts";
import { STREAMS } from "./streams.ts";
import { SURROUNDINGS } from "./surroundings.ts";
import { THROTTLE } from "./throttle.ts";

const EFFECTS = [
  ...ANSWERS,
  ...STREAMS,
  ...ACCESS,
  ...SURROUNDINGS,
  ...SIGHT,
  ...THROTTLE,
  ...LOGINS,
  ...SIGN_ON,
  ...STOPPING,
];
const WITHOUT_SERVICE = [...ENTRANCE_EFFECTS, ...CACHE_EFFECTS];
const ALL_KEYS = [...EFFECTS, ...WITHOUT_SERVICE].flatMap(({ keys }) => keys);

for (const { keys, title, ini, start, isProcess, check } of EFFECTS) {
  Deno.test(`${keys.join(", ")} ${title}`, async () => {
    const files = { "config/service.ini": ["[service]", ...ini, ""].join("\n"), ...start?.files };
    await using service = await (isProcess ? startProcess : startService)({ ...start, files });
    await check(service);
  });
}

for (const effect of WITHOUT_SERVICE) {
  Deno.test(`${effect.keys.join(", ")} ${effect.title}`, () => checkEntrance(effect));
}

Deno.test("every setting has a test of its effect, or says why it has none yet", () => {
  const settings = Object.entries<{ readonly effect?: string }>(SETTINGS);
  const needTest = settings.filter(([, { effect }]) => effect === undefined).map(([key]) => key);
  const tested = new Set<string>(ALL_KEYS);
  const expected = [...needTest, ...SETTING_PATTERNS.map(({ key }) => key)];
  assert.deepEqual(expected.filter((key) => !tested.has(key)), []);
});

Deno.test("no setting has both a test of its effect and a note that it has none", () => {
  const settings = Object.entries<{ readonly effect?: string }>(SETTINGS);
  const noted = new Set(settings.filter(([, { effect }]) => effect !== undefined).map(([key]) => key));
  assert.deepEqual(ALL_KEYS.filter((key) => noted.has(key)), []);
});
