/**
 * How long the stages of a request take: spans for Deno's own exporter
 * (`OTEL_DENO=true`), and the header `Server-Timing`.
 *
 * @module
 */

type Facts = Readonly<Record<string, string>>;

/** The part of OpenTelemetry's interface that this module uses; its package has the same. */
interface Span {
  updateName(name: string): void;
  setAttributes(attributes: Facts): void;
  end(): void;
}

interface Tracer {
  startSpan(name: string, options: { readonly startTime?: number; readonly attributes?: Facts }): Span;
}

/** Knows the running request, also after a wait. */
interface Context {
  getValue(key: symbol): Span | undefined;
  setValue(key: symbol, value: Span): Context;
}

/** Where OpenTelemetry keeps the span of a request. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

const isOn = /^(true|1)$/i.test(tracingVariable());
const telemetry = isOn
  ? Deno.telemetry as unknown as {
    readonly tracerProvider: { getTracer(name: string): Tracer };
    readonly contextManager: { active(): Context; with<T>(context: Context, work: () => T): T };
  }
  : undefined;
const tracer = telemetry?.tracerProvider.getTracer("rowhouse");

function tracingVariable(): string {
  const { state } = Deno.permissions.querySync({ name: "env", variable: "OTEL_DENO" });
  return state === "granted" ? Deno.env.get("OTEL_DENO") ?? "" : "";
}

/** Records a span of the running request, from `began` (`performance.now()`) until now. */
export function trace(name: string, began: number, facts: () => Facts = () => ({})): void {
  tracer?.startSpan(name, { startTime: performance.timeOrigin + began, attributes: facts() }).end();
}

/** Spans of requests that this module has begun. */
const own = new WeakSet<Span>();

/** Runs the work of a request within its span. `Deno.serve` has begun one, Node's server has not. */
export function traceRequest<T>(work: () => T): T {
  if (!telemetry || !tracer) return work();
  const context = telemetry.contextManager.active();
  if (context.getValue(SPAN)) return work();
  const span = tracer.startSpan("request", {});
  own.add(span);
  return telemetry.contextManager.with(context.setValue(SPAN, span), work);
}

/** Runs work later as a part of the request that runs now. */
export function requestScope(): <T>(work: () => T) => T {
  const manager = telemetry?.contextManager;
  if (!manager) return (work) => work();
  const context = manager.active();
  return (work) => manager.with(context, work);
}

/** Names the span of the running request, which has been answered. */
export function nameRequest(method: string, route: string): void {
  const span = telemetry?.contextManager.active().getValue(SPAN);
  if (!span) return;
  span.updateName(`${method} ${route}`);
  span.setAttributes({ "http.route": route });
  if (own.has(span)) span.end();
}

/** The stages of one request. */
export class Stages {
  /** The value of `Server-Timing`: milliseconds of each stage that has ended. */
  timing = "";
  #began: number;

  private constructor(began: number) {
    this.#began = began;
  }

  /** Undefined if nothing uses the times. `began`: `performance.now()` at the start of the request. */
  static begin(began: number, isShown: boolean): Stages | undefined {
    return isShown || tracer !== undefined ? new Stages(began) : undefined;
  }

  /** Notes the end of a stage; the next one begins. */
  end(name: string): void {
    const now = performance.now();
    this.timing += `${this.timing === "" ? "" : ", "}${name};dur=${(now - this.#began).toFixed(1)}`;
    trace(name, this.#began);
    this.#began = now;
  }
}
