import assert from "node:assert/strict";
import { createAuthHost } from "@/core/login/auth_host.ts";
import type { Service } from "@/core/service.ts";
import type { Settings } from "@/config/settings.ts";
import { SILENT } from "@/core/storage/log.ts";

Deno.test("a method may take its host apart during setup, before there is a service", async () => {
  const running: Pick<Service, "throttle">[] = [];
  const { throttle, sessions } = createAuthHost("shared_secret", {
    service: () => {
      const [service] = running;
      if (!service) throw new Error("The service does not run");
      return service as Service;
    },
    settings: {} as Settings,
    prefix: "",
    log: SILENT,
    directory: "/",
    complain: () => {},
  });
  assert.equal(typeof sessions.resume, "function");
  await assert.rejects(async () => await throttle.countMessage("192.0.2.1"), /does not run/);
  const counted: string[] = [];
  const countMessage = (network: string) => Promise.resolve(void counted.push(network));
  running.push({ throttle: { countMessage } as unknown as Service["throttle"] });
  await throttle.countMessage("192.0.2.1");
  assert.deepEqual(counted, ["192.0.2.1"]);
});
