/**
 * The settings of the method, in its block in auth.cfg.
 *
 * @module
 */

import type { PluginSettings, SettingValues } from "@/plugins/contract.ts";

const ADDRESS = {
  type: "text",
  pattern: "https?://\\S+",
  expected: "an address of http or https",
} as const;

/** A provider and this service's account there. */
export const SETTINGS = {
  label: { type: "text", default: "OAuth", sentence: "The text on the button." },
  client_id: { type: "text", required: true, sentence: "The service's name at the provider." },
  client_secret: { type: "text", required: true, secret: true, sentence: "The secret that goes with it." },
  authorize_url: { ...ADDRESS, required: true, sentence: "The page where people log in." },
  token_url: { ...ADDRESS, required: true, sentence: "Gives an access token for a code." },
  user_url: { ...ADDRESS, required: true, sentence: "Tells who the owner of an access token is." },
  member: {
    type: "text",
    default: "email",
    sentence: "The member of the answer of `user_url` that is the address of the person.",
  },
  logout_url: {
    ...ADDRESS,
    sentence: "The page of the provider where a logout goes on. Unset: the login there stays.",
  },
  scope: { type: "text", sentence: "The scope that is asked for. Unset: none." },
} as const satisfies PluginSettings;

/** Their values. */
export type Settings = SettingValues<typeof SETTINGS>;
