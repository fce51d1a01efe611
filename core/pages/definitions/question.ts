/**
 * The page that asks before something ends.
 *
 * @module
 */

import type { PageForm, PageView } from "@/plugins/contract.ts";

/** The question, and the form that answers yes. */
interface Question {
  readonly title: string;
  /** The consequences, in a sentence or two. */
  readonly lead: string;
  /** The label of the button. */
  readonly yes: string;
  readonly form: Pick<PageForm, "action" | "hidden" | "fields" | "problem"> & { readonly cancel: string };
}

/** The page of a question; Cancel leads back. */
export function questionView({ title, lead, yes, form }: Question): PageView {
  return { title, lead, blocks: [{ kind: "form", ...form, buttons: [{ label: yes, tone: "problem" }] }] };
}
