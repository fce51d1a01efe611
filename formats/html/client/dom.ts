/**
 * What several scripts do with elements.
 *
 * @module
 */

/** An element with these properties. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties);
}

/** A page of the service as a document. */
export async function fetchPage(address: string | URL, request?: RequestInit): Promise<Document> {
  const answer = await fetch(address, request);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
