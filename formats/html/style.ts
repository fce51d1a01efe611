/**
 * The style sheet of every page. Nothing is loaded, so a page works alone and saved.
 *
 * @module
 */

/** Holds no `<` and no `&`: it stands in the page as it is. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #f3f5f8; --line: #d5dae2;
  --quiet: #596372; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --paper: #14181e; --soft: #1e242c; --line: #38414d; --quiet: #9aa6b5; --link: #8ab4f8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header, main, footer { padding: 0.75rem 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between;
  background: var(--soft); border-bottom: 1px solid var(--line); }
header p { margin: 0; color: var(--quiet); }
footer { border-top: 1px solid var(--line); }
h1 { margin: 0.25rem 0 1rem; font-size: 1.5rem; overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav ol, nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0; padding: 0; list-style: none; }
nav ol { gap: 0.25rem; }
nav ol li { overflow-wrap: anywhere; }
nav ol li + li::before { content: "/"; margin-right: 0.25rem; color: var(--quiet); }
.scroll { overflow-x: auto; }
table { width: max-content; border-collapse: collapse; font-size: 0.9375rem; }
caption { padding: 0.25rem 0; text-align: left; color: var(--quiet); }
th, td { padding: 0.375rem 0.625rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); }
td { max-width: 36rem; white-space: pre-wrap; overflow-wrap: break-word; }
td:has(table) { max-width: none; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.null, .none { color: var(--quiet); font-style: italic; }
.null { font-size: 0.8125em; letter-spacing: 0.05em; }
.binary { color: var(--quiet); }
dt { font-weight: 600; }
dd { margin: 0 0 0.5rem 1.5rem; overflow-wrap: anywhere; }
`;
