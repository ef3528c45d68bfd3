/**
 * What the commands of a sandbox tried to reach: each attempt with its call, its host and the decision. It announces them
 * to the gate of the process, on behalf of the call that started the program.
 */

import { currentActor, noteOutgoing } from '../../util/outgoing.ts';
import type { Actor } from '../../util/outgoing.ts';

export interface NetworkAttempt {
  /** The name of the call, from its proxy address; undefined where the program did not use the proxy. */
  call: string | undefined;
  host: string;
  /** 0 for a question about a name. */
  port: number;
  isAllowed: boolean;
  why: string;
  /** No grant would open it: an address of this computer, or what is no name at all. */
  isFinal?: boolean | undefined;
}

/** More than a session makes in a reasonable time; the oldest are forgotten. */
const MAX_ATTEMPTS = 2000;

export class NetworkLog {
  private attempts: NetworkAttempt[] = [];
  private dropped = 0;
  private readonly actors = new Map<string, Actor>();
  private readonly onAttempt: ((attempt: NetworkAttempt) => void) | undefined;

  constructor(onAttempt?: (attempt: NetworkAttempt) => void) {
    this.onAttempt = onAttempt;
  }

  /** From now on attempts under this name are those of the running call. */
  expect(call: string): void {
    this.actors.set(call, currentActor());
  }

  add(attempt: NetworkAttempt): void {
    this.attempts.push(attempt);
    const { call, host, port, isAllowed, why } = attempt;
    const actor = call === undefined ? undefined : this.actors.get(call);
    noteOutgoing({ host, port, why: 'sandbox proxy', ...actor, ...(!isAllowed && { refusal: why }) });
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
