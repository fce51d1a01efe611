/**
 * API keys: one parameter (`apikey`), or two (`appid` and `apikey`) for users with an application id. In
 * headers, or in the query string if allowed.
 *
 * @module
 */

import type {
  AuthHost,
  AuthMethod,
  AuthPlugin,
  AuthRequest,
  AuthResult,
  PluginSettings,
  SettingValues,
} from "@/plugins/contract.ts";

const NAME = {
  type: "text",
  pattern: "[A-Za-z0-9_-]+",
  expected: "a name of letters, digits, - and _",
} as const;
const SETTINGS = {
  appid_name: {
    ...NAME,
    sentence: "Header and query parameter of the application id. Unset: `appid_name` of service.ini.",
  },
  apikey_name: {
    ...NAME,
    sentence: "Header and query parameter of the API key. Unset: `apikey_name` of service.ini.",
  },
} as const satisfies PluginSettings;

export default {
  contract: 2,
  kind: "auth",
  name: "apikey",
  settings: SETTINGS,
  setup(section: SettingValues<typeof SETTINGS>, host: AuthHost): AuthMethod {
    const names = {
      appid: section.appid_name ?? host.setting("appid_name"),
      apikey: section.apikey_name ?? host.setting("apikey_name"),
    };
    if (names.appid.toLowerCase() === names.apikey.toLowerCase()) {
      throw new Error(`apikey_name must be another name than appid_name, found "${names.apikey}" for both`);
    }
    return {
      opensSession: true,
      queryParameters: [names.appid, names.apikey],
      notices: () => [`Programs send an API key with each request, in the header "${names.apikey}".`],
      clientSettings: { appid_name: names.appid, apikey_name: names.apikey },
      ...describeSecurity(names, host.setting("allow_apikey_in_query_string")),
      authenticate: (request) => authenticate(request, names, host),
    };
  },
} satisfies AuthPlugin;

interface Names {
  readonly appid: string;
  readonly apikey: string;
}

/** Headers, and the query string if allowed; the key alone, or both for users with an application id. */
function describeSecurity(
  { apikey, appid }: Names,
  inQuery: boolean,
): Required<Pick<AuthMethod, "securitySchemes" | "securityRequirements">> {
  const described = { type: "apiKey", description: "The API key of a user." } as const;
  const application = { type: "apiKey", description: "The application id, for users who have one." } as const;
  const header = {
    apikey: { ...described, in: "header", name: apikey },
    appid: { ...application, in: "header", name: appid },
  };
  const query = {
    apikey_query: { ...described, in: "query", name: apikey },
    appid_query: { ...application, in: "query", name: appid },
  };
  return {
    securitySchemes: inQuery ? { ...header, ...query } : header,
    securityRequirements: [
      ["apikey"],
      ["apikey", "appid"],
      ...(inQuery ? [["apikey_query"], ["apikey_query", "appid_query"]] : []),
    ],
  };
}

/** The number of characters from which on guessing a random key is hopeless. */
const UNGUESSABLE = 32;

function authenticate(
  { headers, credentials, client }: AuthRequest,
  names: Names,
  host: AuthHost,
): AuthResult {
  const isInQuery = credentials.has(names.apikey) || credentials.has(names.appid);
  if (isInQuery && !host.setting("allow_apikey_in_query_string")) {
    const tell = `API keys are not accepted in the query string: use the header "${names.apikey}"`;
    return { outcome: "rejected", reason: "a key in the query string", tell };
  }
  const key = headers.get(names.apikey) ?? credentials.get(names.apikey);
  const id = headers.get(names.appid) ?? credentials.get(names.appid);
  if (key === undefined) {
    return id === undefined
      ? { outcome: "absent" }
      : { outcome: "rejected", reason: `${names.appid} without ${names.apikey}` };
  }
  const user = host.findUserByApiKey(key);
  // A right key of this length is accepted even while its address has to wait because of wrong keys.
  const isCertain = user !== undefined && user.appid === undefined && key.length >= UNGUESSABLE;
  if (!isCertain) host.throttle.requireTurn(client);
  if (!user) return { outcome: "rejected", reason: "an unknown key" };
  if (user.appid !== undefined && user.appid !== id) {
    return { outcome: "rejected", reason: `a missing or wrong ${names.appid} for user ${user.login}` };
  }
  return { outcome: "accepted", user };
}
