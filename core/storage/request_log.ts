/**
 * The requests that are running and the last ones that were answered, for `/reqstatus`, and counts of all, for `/metrics`.
 * Every request passes here, so what is kept of one is what costs nothing to keep.
 *
 * @module
 */

/** Answered requests that are remembered. */
const REMEMBERED = 200;
/** Upper bounds in seconds of what durations are counted by. */
export const DURATIONS: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** A request; its members are set as they become known. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query as they were sent; shown only after credentials were taken out. */
  readonly target: string;
  /** Milliseconds since the process began. */
  readonly began: number;
  user?: string | undefined;
  status?: number;
  milliseconds?: number;
}

/** Refused logins that are remembered. */
const REMEMBERED_REFUSALS = 50;

/** Somebody whom an identity provider has logged in, and who is no one user here. */
export interface RefusedLogin {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly address: string;
  readonly requestId: string;
  readonly reason: string;
  /** What the provider said. */
  readonly value: string;
}

/** Kept in memory, for one process. */
export class RequestLog {
  readonly #running = new Set<LoggedRequest>();
  readonly #ring: LoggedRequest[] = [];
  #next = 0;
  /** How many answers there were, by status. */
  readonly counts = new Map<number, number>();
  /** How many took at most as long as each of {@link DURATIONS}, and longer than the one before; last, longer than all. */
  readonly durations: number[] = Array<number>(DURATIONS.length + 1).fill(0);
  #seconds = 0;
  #refusals: readonly RefusedLogin[] = [];

  /** `target` is path and query as they came; credentials are taken out when it is shown. */
  begin(method: string, target: string): LoggedRequest {
    const request: LoggedRequest = { method, target, began: performance.now() };
    this.#running.add(request);
    return request;
  }

  /** Called once, when the answer's status is known; `user` is absent when nobody was recognised. */
  end(request: LoggedRequest, status: number, user: string | undefined): void {
    const milliseconds = performance.now() - request.began;
    this.#running.delete(request);
    request.user = user;
    request.status = status;
    request.milliseconds = milliseconds;
    this.#ring[this.#next] = request;
    this.#next = (this.#next + 1) % REMEMBERED;
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    this.#count(milliseconds / 1000);
  }

  /** Remembers a login that was refused. */
  noteRefusal(login: RefusedLogin): void {
    this.#refusals = [login, ...this.#refusals].slice(0, REMEMBERED_REFUSALS);
  }

  /** The last first. */
  get refusals(): readonly RefusedLogin[] {
    return this.#refusals;
  }

  /** Seconds that all answers took together. */
  get seconds(): number {
    return this.#seconds;
  }

  /** The oldest first. */
  get running(): readonly LoggedRequest[] {
    return [...this.#running];
  }

  /** The last first. */
  get recent(): readonly LoggedRequest[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)].toReversed();
  }

  #count(seconds: number): void {
    this.#seconds += seconds;
    const position = DURATIONS.findIndex((bound) => seconds <= bound);
    const bucket = position < 0 ? DURATIONS.length : position;
    this.durations[bucket] = (this.durations[bucket] ?? 0) + 1;
  }
}
