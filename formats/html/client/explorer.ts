/**
 * The explorer of the API: Swagger UI with the caller's own session.
 *
 * @module
 */

import { swagger, type SwaggerState, type SwaggerSystem } from "./swagger.ts";

/** Filter, credentials and operations: the page around it has the rest. */
function layout({ React, getComponent }: SwaggerSystem): object {
  const show = (name: string, isContainer: boolean) =>
    React.createElement(getComponent(name, isContainer), null);
  return {
    components: {
      HouseLayout: ({ specSelectors }: SwaggerState) =>
        React.createElement(
          "div",
          { className: "swagger-ui" },
          show("errors", true),
          ...(specSelectors.loadingStatus() === "success"
            ? ["FilterContainer", "AuthorizeBtnContainer", "operations"].map((name) => show(name, true))
            : []),
        ),
    },
  };
}

/**
 * Descriptions as text, with code between backticks. They have names and texts of databases: as Markdown
 * these could load a picture from an address that changes something, with the session of the reader.
 */
function plainText({ React }: SwaggerSystem): object {
  return {
    wrapComponents: {
      Markdown: () => ({ source = "" }: { readonly source?: string }) =>
        React.createElement(
          "p",
          null,
          ...source.split("`").map((text, index) =>
            index % 2 === 0 ? text : React.createElement("code", null, text)
          ),
        ),
    },
  };
}

/** Gives names to what Swagger UI leaves without one. */
function nameParts(host: Element): void {
  host.querySelector(".operation-filter-input")?.setAttribute("aria-label", "Narrow the operations");
  // The keyboard reaches elements that scroll.
  for (const text of host.querySelectorAll<HTMLElement>("pre.microlight")) text.tabIndex = 0;
  for (const field of host.querySelectorAll("select:not([aria-label]), textarea:not([aria-label])")) {
    const name = field.closest("tr")?.querySelector(".parameter__name")?.textContent;
    field.setAttribute("aria-label", name ?? field.closest("label")?.textContent ?? "Content");
  }
}

/** Swagger UI has a class for dark colours. */
function followColours(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

/** A session has to show that a request comes from a page of the service. */
function explore(host: HTMLElement): void {
  const { document: url = "", token } = host.dataset;
  new MutationObserver(() => nameParts(host)).observe(host, { childList: true, subtree: true });
  swagger({
    url,
    domNode: host,
    docExpansion: "none",
    validatorUrl: null,
    filter: true,
    layout: "HouseLayout",
    plugins: [layout, plainText],
    requestInterceptor(request) {
      if (token !== undefined && request.method !== "GET") request.headers["X-CSRF-Token"] = token;
      return request;
    },
  });
}

followColours();
for (const host of document.querySelectorAll<HTMLElement>("[data-document]")) explore(host);
