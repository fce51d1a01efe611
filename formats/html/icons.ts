/**
 * The icons of pages as inline SVG. They are decoration: a text beside them says the same.
 *
 * @module
 */

const PATHS = {
  add: "M12 5v14M5 12h14",
  column: "M4 5h16v14H4zM10 5v14M15 5v14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  done: "M5 12.5l4.5 4.5L19 7.5",
  down: "M6 9l6 6 6-6",
  export: "M12 4v11m0 0l-4-4m4 4l4-4M5 20h14",
  filter: "M4 5h16l-6 8v6l-4-2v-4z",
  house: "M3 21V9l4.5-4L12 9v12zM12 21V9l4.5-4L21 9v12zM7.500 13v3M16.500 13v3",
  open: "M12 8v8m-4-4h8M4 4h16v16H4z",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  remove: "M6 6l12 12M18 6L6 18",
  todo: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  up: "M6 15l6-6 6 6",
} as const;

type IconName = keyof typeof PATHS;

const ICONS = Object.fromEntries(
  Object.entries(PATHS).map(([name, path]) => [
    name,
    `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`,
  ]),
) as Readonly<Record<IconName, string>>;

/** An icon as large as the text beside it. */
export function icon(name: IconName): string {
  return ICONS[name];
}
