/**
 * Reads the fields that a browser sends for an unchanged form.
 *
 * @module
 */

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** The fields of the first form that posts; without those that are not sent, such as files. */
export function sentForm(page: string): URLSearchParams {
  const [form = ""] = /<form method="post".*?<\/form>/s.exec(page) ?? [];
  const tags = form.matchAll(
    /<input [^>]*>|<textarea [^>]*>\n?([^<]*)<\/textarea>|<select [^>]*>(.*?)<\/select>/gs,
  );
  return new URLSearchParams([...tags].flatMap(([tag, area, options]) => {
    const name = attribute(tag, "name");
    const value = area === undefined
      ? options === undefined ? inputValue(tag) : optionValue(options)
      : decode(area);
    return name === undefined || value === undefined ? [] : [[lines(name), lines(value)]];
  }));
}

/** Every line break, in names, too, is sent as two characters. */
function lines(text: string): string {
  return text.replace(/\r\n?|\n/g, "\r\n");
}

function inputValue(tag: string): string | undefined {
  const type = attribute(tag, "type") ?? "text";
  const value = attribute(tag, "value") ?? "";
  if (type === "file") return undefined;
  if (type === "checkbox" || type === "radio") return / checked="/.test(tag) ? value : undefined;
  if (type === "date") return isDay(value) ? value : "";
  return type === "text" ? value.replace(/[\r\n]/g, "") : value;
}

function optionValue(options: string): string {
  const [chosen = ""] = /<option [^>]*selected="[^>]*>/.exec(options) ?? /<option [^>]*>/.exec(options) ?? [];
  return attribute(chosen, "value") ?? "";
}

function isDay(value: string): boolean {
  const time = Date.parse(value);
  return !Number.isNaN(time) && !value.startsWith("0000") && new Date(time).toISOString().startsWith(value);
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : decode(found);
}

function decode(text: string): string {
  return text.replaceAll("\0", "\ufffd")
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&(amp|lt|gt|quot);/g, (all, name) => ENTITIES[name] ?? all);
}
