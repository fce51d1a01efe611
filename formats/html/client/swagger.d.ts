/** Types for the part of Swagger UI that the explorer uses; the package has none. */

/** A request that the explorer is about to send. */
export interface SwaggerRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
}

/** What plugins are given. */
export interface SwaggerSystem {
  readonly React: {
    createElement(type: unknown, properties: object | null, ...children: readonly unknown[]): unknown;
  };
  getComponent(name: string, isContainer: boolean): unknown;
}

/** What layouts are given. */
export interface SwaggerState {
  readonly specSelectors: { loadingStatus(): string };
}

/** The used options. */
export interface SwaggerOptions {
  readonly url: string;
  readonly domNode: Element;
  readonly docExpansion: "none" | "list";
  readonly validatorUrl: null;
  readonly filter: boolean;
  readonly layout: string;
  readonly plugins: readonly ((system: SwaggerSystem) => object)[];
  readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
}

/** Draws the explorer. */
declare function swagger(options: SwaggerOptions): void;
export default swagger;
