/**
 * Servers that listen again after too many connections: when the process has no descriptor left, the listener
 * of `Deno.serve` ends and that of Node's server stops accepting for ever.
 *
 * @module
 */

import type { Server as NodeServer } from "node:http";
import { Server as NetServer } from "node:net";
import { CutOffs } from "@/core/base/tally.ts";
import type { Log } from "@/plugins/contract.ts";
import { type ConnectionLimit, countOpenFiles, openFiles } from "./connection_limit.ts";

const PATIENCE = 10_000;
/** Milliseconds between two attempts to listen. */
const PAUSE = 10;
/** Milliseconds between two checks of the open files. */
const LOOK = 250;

type DenoServer = Deno.HttpServer<Deno.NetAddr>;

/** The limits at which a server listens again, and its log. */
interface RenewalOptions {
  readonly limit: ConnectionLimit;
  readonly log: Log;
  /** Milliseconds after which an unavailable port is given up. Default: 10,000. */
  readonly patience?: number;
}

interface NodeAddress {
  readonly host: string;
  readonly port: number;
  readonly reusePort: boolean;
}

interface RenewingServerOptions extends RenewalOptions {
  serve(port: number): DenoServer;
  readonly port: number;
}

/**
 * Listens from its construction on. `Deno.serve` neither counts nor limits connections, so the open
 * files of the process are checked: above the limit the server is replaced, which closes idle
 * connections and finishes running requests.
 */
export class RenewingServer {
  readonly port: number;
  readonly #options: RenewingServerOptions;
  readonly #lost = Promise.withResolvers<Error>();
  /** Resolves with the reason when the port becomes unavailable. */
  readonly lost: Promise<Error> = this.#lost.promise;
  readonly #ending = new Set<Promise<void>>();
  readonly #watch: ReturnType<typeof setInterval>;
  /** Undefined between two servers, and at the end. */
  #server: DenoServer | undefined;
  readonly #renewals: CutOffs;
  /**
   * Open files without idle connections: those of databases, of processes and of running requests. Undefined:
   * the next look counts them.
   */
  #own: number | undefined;
  #hasEnded = false;

  constructor(options: RenewingServerOptions) {
    this.#options = options;
    this.#renewals = renewalsOf(options);
    const server = this.#server = this.#serve(options.port);
    this.port = server.addr.port;
    this.#watch = setInterval(() => this.#look(), LOOK);
  }

  /** Stops accepting and waits for running requests. May be called again. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearInterval(this.#watch);
    this.#renewals[Symbol.dispose]();
    if (this.#server) this.#shutDown(this.#server);
    this.#server = undefined;
    await Promise.all(this.#ending);
  }

  #serve(port: number): DenoServer {
    const server = this.#options.serve(port);
    server.finished.catch((error: unknown) => this.#renew(server, String(error)));
    return server;
  }

  #look(): void {
    const { limit } = this.#options;
    this.#own ??= countOpenFiles();
    const files = openFiles();
    if (!this.#server || files <= Math.min(this.#own + limit.all, limit.files)) return;
    this.#own = undefined;
    void this.#renew(this.#server, `${files} files are open`);
  }

  async #renew(server: DenoServer, reason: string): Promise<void> {
    if (server !== this.#server || this.#hasEnded) return;
    this.#server = undefined;
    this.#renewals.note(reason);
    this.#shutDown(server);
    const deadline = performance.now() + (this.#options.patience ?? PATIENCE);
    while (!this.#server && !this.#hasEnded) {
      try {
        this.#server = this.#serve(this.port);
      } catch (cause) {
        if (performance.now() > deadline) return this.#giveUp(cause);
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  #shutDown(server: DenoServer): void {
    const ending = server.shutdown().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #giveUp(cause: unknown): void {
    clearInterval(this.#watch);
    this.#lost.resolve(lostPort(this.port, cause));
  }
}

/**
 * Node's server counts its connections, so that those above the limit are closed; it
 * listens again whenever it was full.
 */
export class NodeRenewal implements Disposable {
  readonly #server: NodeServer;
  readonly #address: NodeAddress;
  readonly #options: RenewalOptions;
  readonly #lost = Promise.withResolvers<Error>();
  /** Resolves with the reason when the port becomes unavailable. */
  readonly lost: Promise<Error> = this.#lost.promise;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #renewals: CutOffs;
  readonly #refused: CutOffs;
  #isFull = false;
  #failingSince: number | undefined;

  /** `server` already listens on `address`. */
  constructor(server: NodeServer, address: NodeAddress, options: RenewalOptions) {
    const { connections } = options.limit;
    this.#server = server;
    this.#address = address;
    this.#options = options;
    this.#renewals = renewalsOf(options);
    this.#refused = new CutOffs("connection", (count) => {
      options.log.warn(`There are ${connections} connections, no more are taken: ${count} closed at once`);
    });
    // `maxConnections` would silently drop the connections after which the listener stops accepting.
    server.on("connection", (socket) => {
      server.getConnections((_error, count) => {
        if (count > connections) {
          this.#refused.note();
          socket.destroy();
        }
        this.#isFull ||= count >= connections || openFiles() >= options.limit.files;
      });
    });
    server.on("listening", () => this.#failingSince = undefined);
    server.on("error", (error) => this.#fail(error));
    this.#watch = setInterval(() => this.#look(), LOOK);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch);
    this.#renewals[Symbol.dispose]();
    this.#refused[Symbol.dispose]();
  }

  #look(): void {
    const files = openFiles();
    if (!this.#isFull && files < this.#options.limit.files) return;
    // A listener without a descriptor for its first connection would stop accepting, too:
    // it is renewed at the next check.
    this.#isFull = files >= this.#options.limit.files;
    this.#renewals.note(`${files} files are open`);
    // Unlike the method of HTTP servers, this one keeps closing incomplete requests.
    NetServer.prototype.close.call(this.#server);
    this.#server.closeIdleConnections();
    this.#server.listen(this.#address);
  }

  /** Tries again at the next check. */
  #fail(cause: Error): void {
    this.#isFull = true;
    const now = performance.now();
    this.#failingSince ??= now;
    const patience = this.#options.patience ?? PATIENCE;
    if (now - this.#failingSince > patience) this.#lost.resolve(lostPort(this.#address.port, cause));
  }
}

function lostPort(port: number, cause: unknown): Error {
  return new Error(`Cannot listen on port ${port} any more: ${cause}`, { cause });
}

/** Tells of listeners that were replaced. */
function renewalsOf({ log }: RenewalOptions): CutOffs {
  return new CutOffs("listener", (_count, reason) => {
    log.warn(`There are too many connections, idle ones are closed: ${reason}`);
  });
}
