/**
 * The token by which a form proves that a page of this service has sent it.
 *
 * @module
 */

import type { Sender } from "@/plugins/contract.ts";
import { crossSite, siteOf, type SiteRules } from "./cross_site.ts";
import { resumeSession, type SessionPlace } from "./sessions/browser_sessions.ts";
import type { FormTokens } from "./sessions/csrf_tokens.ts";
import { isSame } from "./sessions/secret.ts";

/**
 * Throws 403 unless the token belongs to the session of the sender, or was issued to this browser before a
 * login. The second does not count if a browser says that the page of another site has sent the request.
 */
export async function requirePageToken(
  token: string | undefined,
  sender: Sender,
  service: SessionPlace & SiteRules & { readonly formTokens: FormTokens },
): Promise<void> {
  if (token === undefined) throw crossSite();
  if (siteOf(sender, service) === "unknown" && service.formTokens.fits(token, sender)) return;
  const { session } = await resumeSession(sender, service);
  if (!session || !isSame(token, session.csrfToken)) throw crossSite();
}
