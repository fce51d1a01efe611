/**
 * The style sheet of every page. It is part of the page, which therefore also works when saved.
 *
 * @module
 */

/** Without `<` and `&`: it is inserted into the page unescaped. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #f3f5f8; --line: #d5dae2;
  --quiet: #596372; --link: #0b57d0; --field: #767f8c; --alert: #a4161a; --on-link: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --paper: #14181e; --soft: #1e242c; --line: #38414d; --quiet: #9aa6b5; --link: #8ab4f8;
    --field: #8893a1; --alert: #ff9a9a; --on-link: #0d1117; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header, main, footer { padding: 0.75rem 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between;
  background: var(--soft); border-bottom: 1px solid var(--line); }
header p { margin: 0; color: var(--quiet); }
header p a { margin-left: 0.75rem; }
footer { border-top: 1px solid var(--line); }
h1 { margin: 0.25rem 0 1rem; font-size: 1.5rem; overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, input:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
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
.form { max-width: 24rem; }
label { display: block; margin: 0.75rem 0 0.25rem; font-weight: 600; }
input { width: 100%; padding: 0.5rem 0.625rem; border: 1px solid var(--field); border-radius: 4px;
  background: var(--paper); color: var(--ink); font: inherit; }
.hint { margin: 0.25rem 0 0; color: var(--quiet); font-size: 0.875rem; }
.problem { padding: 0.5rem 0.75rem; border: 1px solid var(--alert); border-left-width: 5px; border-radius: 4px;
  color: var(--alert); }
button, .button { display: block; width: 100%; margin: 1rem 0 0; padding: 0.625rem 1rem; border: 1px solid var(--link);
  border-radius: 4px; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button { background: var(--link); color: var(--on-link); }
.button { background: var(--paper); color: var(--link); }
.buttons { margin: 0; padding: 0; list-style: none; }
dt { font-weight: 600; }
dd { margin: 0 0 0.5rem 1.5rem; overflow-wrap: anywhere; }
`;
