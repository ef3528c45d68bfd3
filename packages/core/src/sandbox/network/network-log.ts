/** What the commands of a sandbox tried to reach: each attempt with its call, its host and the decision. */

export interface NetworkAttempt {
  /** The name of the call, from its proxy address; undefined where the program did not use the proxy. */
  call: string | undefined;
  host: string;
  /** 0 for a question about a name. */
  port: number;
  isAllowed: boolean;
  why: string;
}

/** More than a session makes in a reasonable time; the oldest are forgotten. */
const MAX_ATTEMPTS = 2000;

export class NetworkLog {
  private attempts: NetworkAttempt[] = [];
  private dropped = 0;
  private readonly onAttempt: ((attempt: NetworkAttempt) => void) | undefined;

  constructor(onAttempt?: (attempt: NetworkAttempt) => void) {
    this.onAttempt = onAttempt;
  }

  add(attempt: NetworkAttempt): void {
    this.attempts.push(attempt);
    if (this.attempts.length > MAX_ATTEMPTS) {
      this.attempts.shift();
      this.dropped++;
    }
    this.onAttempt?.(attempt);
  }

  /** The number of the next attempt. */
  get mark(): number {
    return this.dropped + this.attempts.length;
  }

  since(mark: number): NetworkAttempt[] {
    return this.attempts.slice(Math.max(0, mark - this.dropped));
  }
}
