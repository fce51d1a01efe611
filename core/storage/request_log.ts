/**
 * The running requests and the last answered ones, for `/reqstatus`, and counters of all requests, for
 * `/metrics`. It is on the path of every request, so it only keeps data that costs no time.
 *
 * @module
 */

/** Answered requests that are remembered. */
export const REMEMBERED = 200;
/** Upper bounds of the duration histogram, in seconds. */
export const DURATIONS: readonly number[] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

/** Different answers that are counted apart; only a hostile client causes more. */
const MOST_COUNTS = 600;

/** The answers of one kind. */
interface AnswerCount {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** The durations of the answers of one route. */
export interface Durations {
  /** Number of answers per interval of {@link DURATIONS}; the last one is for longer answers. */
  readonly counts: number[];
  /** Total duration, in seconds. */
  seconds: number;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]);

const OTHER = { route: "other", method: "other", status: "other", format: "other" };

/** A request; its optional members are set once they are known. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query as sent; credentials are removed when it is shown. */
  readonly target: string;
  /** Milliseconds since the start of the process. */
  readonly began: number;
  /** False for probes, which would fill the list. */
  readonly isListed: boolean;
  user?: string | undefined;
  status?: number;
  milliseconds?: number;
}

/** Refused logins that are remembered. */
const REMEMBERED_REFUSALS = 50;

/** A person whom an identity provider has logged in, but who matches no single user here. */
export interface RefusedLogin {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly address: string;
  readonly requestId: string;
  readonly reason: string;
  /** The name that the provider gave. */
  readonly value: string;
}

/** In memory, for one process. */
export class RequestLog {
  readonly #running = new Set<LoggedRequest>();
  readonly #ring: LoggedRequest[] = [];
  #next = 0;
  /** Answers by route, method, status and format. */
  readonly counts = new Map<string, AnswerCount>();
  readonly durations = new Map<string, Durations>();
  /** The latest first. */
  refusals: readonly RefusedLogin[] = [];

  /**
   * `target`: path and query as sent; credentials are removed when it is shown. A request
   * that is not listed is only counted.
   */
  begin(method: string, target: string, isListed = true): LoggedRequest {
    const request: LoggedRequest = { method, target, began: performance.now(), isListed };
    if (isListed) this.#running.add(request);
    return request;
  }

  /** Called once, when the answer's status is known; `user` is absent if no user was recognised. */
  end(
    request: LoggedRequest,
    { status, user, route, format }: {
      readonly status: number;
      readonly user: string | undefined;
      readonly route: string;
      readonly format: string;
    },
  ): void {
    const milliseconds = performance.now() - request.began;
    this.#running.delete(request);
    request.user = user;
    request.status = status;
    request.milliseconds = milliseconds;
    if (request.isListed) {
      this.#ring[this.#next] = request;
      this.#next = (this.#next + 1) % REMEMBERED;
    }
    this.#count(request.method, status, route, format);
    this.#measure(route, milliseconds / 1000);
  }

  noteRefusal(login: RefusedLogin): void {
    this.refusals = [login, ...this.refusals].slice(0, REMEMBERED_REFUSALS);
  }

  /** The oldest first. */
  get running(): readonly LoggedRequest[] {
    return [...this.#running];
  }

  /** The latest first. */
  get recent(): readonly LoggedRequest[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)].toReversed();
  }

  #count(sent: string, status: number, route: string, format: string): void {
    const key = `${route} ${sent} ${status} ${format}`;
    const known = this.counts.get(key);
    if (known) {
      known.value++;
      return;
    }
    const method = METHODS.has(sent) ? sent : "other";
    const isOne = this.counts.size < MOST_COUNTS;
    const labels = isOne ? { route, method, status: `${status}`, format } : OTHER;
    const merged = Object.values(labels).join(" ");
    const other = this.counts.get(merged);
    if (other) other.value++;
    else this.counts.set(merged, { labels, value: 1 });
  }

  #measure(route: string, seconds: number): void {
    const known = this.durations.getOrInsertComputed(route, noDurations);
    known.seconds += seconds;
    const position = DURATIONS.findIndex((bound) => seconds <= bound);
    const bucket = position < 0 ? DURATIONS.length : position;
    known.counts[bucket] = (known.counts[bucket] ?? 0) + 1;
  }
}

const noDurations = (): Durations => ({ counts: Array<number>(DURATIONS.length + 1).fill(0), seconds: 0 });
