/**
 * Logins of a proxy in front of the service, which has authenticated the client and tells the login in a
 * header. The header counts only if it comes from the proxy: from an address in `trusted_proxies`, or with a
 * secret in another header, which then is the only proof. Other clients cannot claim a login.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  AuthRequest,
  PluginSettings,
  SettingValues,
} from "@/plugins/contract.ts";

const HEADER = { type: "text", pattern: "[A-Za-z0-9-]+", expected: "the name of a header" } as const;
const SETTINGS = {
  header: { ...HEADER, default: "X-Remote-User", sentence: "The header with the login." },
  user_config_attribute: {
    type: "text",
    values: ["login", "name", "email", "appid"],
    default: "login",
    sentence: "The member of the user in users.cfg that equals the header: an `email` in any case.",
  },
  secret_header: { ...HEADER, default: "X-Proxy-Secret", sentence: "The header with the secret." },
  secret: {
    type: "text",
    secret: true,
    // As many characters as 16 random bytes have in base64.
    pattern: ".{22,}",
    expected: "at least 22 random characters",
    sentence:
      "The secret that the proxy proves itself with. Unset: its address is the proof, in `trusted_proxies`.",
  },
} as const satisfies PluginSettings;

type Settings = SettingValues<typeof SETTINGS>;

export default {
  contract: 2,
  kind: "auth",
  name: "proxy",
  settings: SETTINGS,
  setup(settings: Settings, host: AuthHost): AuthMethod {
    return {
      isAmbient: true,
      authenticate(request) {
        const { headers, client } = request;
        const login = headers.get(settings.header);
        const secret = settings.secret === undefined ? null : headers.get(settings.secret_header);
        if (login === null && secret === null) return { outcome: "absent" };
        if (!isOfProxy(request, settings)) {
          // Only a request without the proof waits: the proof cannot be guessed.
          host.throttle.requireTurn(client);
          const reason = `the header with a login comes from ${client.peer.address}, not from the proxy`;
          return { outcome: "rejected", reason };
        }
        // The proxy lets requests through that it has not authenticated.
        if (login === null || login === "") return { outcome: "absent" };
        const attribute = settings.user_config_attribute;
        const users = host.findUsersBy(attribute, login, { ignoreCase: attribute === "email" });
        const [user] = users;
        if (user && users.length === 1) return { outcome: "accepted", user };
        const reason = `the proxy names ${user ? "several users" : "no user"} of users.cfg by ${attribute}`;
        // An answer with `tell` does not count as a failed attempt, so colleagues at the address do not wait.
        const tell =
          "The login at the proxy is that of no single account here: ask the administrator for one";
        return { outcome: "rejected", reason, login, tell };
      },
    };
  },
} satisfies AuthPlugin;

function isOfProxy({ headers, client }: AuthRequest, { secret, secret_header }: Settings): boolean {
  if (secret === undefined) return client.peer.isTrustedProxy;
  const sent = headers.get(secret_header);
  return sent !== null && timingSafeEqual(digestOf(sent), digestOf(secret));
}

/** Digests have one length, which the comparison needs. */
function digestOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
