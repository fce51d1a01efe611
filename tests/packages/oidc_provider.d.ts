import type { IncomingMessage, ServerResponse } from "node:http";

/** What the tests use of the package, which brings no types. */
export class Provider {
  constructor(issuer: string, configuration: Configuration);
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  readonly Grant: new (of: { readonly accountId: string; readonly clientId: string }) => Grant;
}

export interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

export interface Interaction {
  readonly prompt: { readonly name: string };
  readonly params: Readonly<Record<string, unknown>>;
  readonly session?: { readonly accountId: string };
}

export interface Account {
  readonly accountId: string;
  claims(): Readonly<Record<string, unknown>>;
}

export interface Configuration {
  readonly interactions: { url(context: unknown, interaction: { readonly uid: string }): string };
  findAccount(context: unknown, id: string): Account;
  readonly [member: string]: unknown;
}
