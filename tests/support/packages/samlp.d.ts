import type { IncomingMessage } from "node:http";

/** Types for the part of the package that the tests use. The package is made for Express and has no types. */
export interface ExpressRequest extends IncomingMessage {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;
  readonly originalUrl: string;
  readonly protocol: string;
  readonly session: Record<string, unknown>;
}

/** The members of Express's response that the package calls. */
export interface ExpressResponse {
  set(name: string, value: string): void;
  send(statusOrBody: number | string, body?: string): void;
  redirect(url: string): void;
}

/** The result of most functions of the package. */
export type Middleware = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error: Error) => void,
) => void;

/** Options of most functions; certificate and key are PEM. */
export interface Options {
  readonly issuer: string;
  readonly cert: string;
  readonly key: string;
  readonly [option: string]: unknown;
}

/** A service that a browser is logged in at, as the package remembers it. */
export interface Participant {
  readonly serviceProviderId: string;
  readonly sessionIndex: string;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly serviceProviderLogoutURL: string;
  readonly binding: string;
  readonly cert?: string;
}

/** An identity provider in parts, each for its own route. */
export interface SamlpModule {
  auth(options: Options): Middleware;
  sendError(options: Options): Middleware;
  metadata(options: Options): Middleware;
  logout(options: Options): Middleware;
  parseRequest(
    request: ExpressRequest,
    options: unknown,
    callback: (error: Error | null, data?: Readonly<Record<string, string>>) => void,
  ): void;
}

declare const samlp: SamlpModule;
export default samlp;
