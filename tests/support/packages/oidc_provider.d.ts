import type { IncomingMessage, ServerResponse } from "node:http";

/** Types for the part of the package that the tests use; it has none. */
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

/** A user's consent to a client; `save` returns its id. */
export interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

/** The provider's pending step: a login, or consent. */
export interface Interaction {
  readonly prompt: { readonly name: string };
  readonly params: Readonly<Record<string, unknown>>;
  readonly session?: { readonly accountId: string };
}

/** A user as the provider knows them; claims by their names. */
export interface Account {
  readonly accountId: string;
  claims(): Readonly<Record<string, unknown>>;
}

/** The options that the tests set, and any others. */
export interface Configuration {
  readonly interactions: { url(context: unknown, interaction: { readonly uid: string }): string };
  findAccount(context: unknown, id: string): Account;
  readonly [member: string]: unknown;
}
