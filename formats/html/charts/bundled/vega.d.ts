/**
 * The used part of Vega and Vega-Lite.
 *
 * @module
 */

/** A compiled chart. */
export type Spec = Readonly<Record<string, unknown>>;

/** Compiles a chart of Vega-Lite to Vega. */
export function compile(spec: Spec, options: { readonly logger: Logger }): { readonly spec: Spec };

/** Takes messages. */
export interface Logger {
  level(level?: number): number | Logger;
  error(...messages: readonly unknown[]): Logger;
  warn(...messages: readonly unknown[]): Logger;
  info(...messages: readonly unknown[]): Logger;
  debug(...messages: readonly unknown[]): Logger;
}

/** The level of no messages. */
export const None: number;

/** The data flow of a chart. */
export interface Runtime {
  readonly operators: readonly unknown[];
}

/** Makes the data flow. */
export function parse(spec: Spec): Runtime;

/** A text of a chart. */
export interface TextItem {
  readonly fontSize: number;
  /** The most pixels of a text, which is cut. Absent or 0: any. */
  readonly limit?: number;
}

/** How Vega finds the sizes of texts. */
export const textMetrics: { width(item: TextItem, text: string): number };

/** Runs the data flow. */
export class View {
  constructor(runtime: Runtime, options: { readonly renderer: "none"; readonly logLevel: number });
  /** Draws. */
  toSVG(): Promise<string>;
  /** Ends timers and listeners. */
  finalize(): View;
}
