/**
 * Links the screen to the agent: opens it in the background after the first frame, replaces it when the user continues
 * with another session, and closes it with the program.
 */

import { setImmediate as afterInput } from 'node:timers/promises';
import type { SessionEvent, WorkspaceAgent } from '@castor/core';
import type { Start } from '../../start/start.ts';
import type { LiveSession, SessionEnd } from '../../surface/session-lifecycle.ts';
import { occasionOf } from '../../surface/session-wish.ts';
import type { AgentLinkOptions } from './agent-link-options.ts';
import type { SessionOccasion, SessionWish } from '../../surface/session-wish.ts';

/** A user who leaves does not wait longer than this for SessionEnd hooks. */
const LIMIT_MS = 10_000;

export class AgentLink {
  private readonly options: AgentLinkOptions;
  private opening: Promise<LiveSession> | undefined;
  private readonly firstOpened = Promise.withResolvers<void>();
  /** Warnings shown so far, and by which session. */
  private readonly tellers = new Map<string, string>();
  /** Present while SessionStart hooks run. */
  private starting: AbortController | undefined;

  constructor(options: AgentLinkOptions) {
    this.options = options;
  }

  /** Resolves once a session is being opened: settings and trust are decided then. */
  get asked(): Promise<void> {
    return this.firstOpened.promise;
  }

  /** The session, once it is open; rejects when it cannot be opened. */
  async live(): Promise<LiveSession> {
    await this.asked;
    return this.opening!;
  }

  async current(): Promise<WorkspaceAgent> {
    return (await this.live()).agent;
  }

  /** Closes the previous session. */
  open(start: Start, wish: SessionWish): Promise<LiveSession> {
    const before = this.opening;
    const occasion = occasionOf(wish);
    const opening = (async () => {
      await this.end(before, occasion === 'startup' ? 'clear' : 'other', new AbortController().signal);
      return this.create(start, wish, occasion === 'startup' && before ? 'clear' : occasion);
    })();
    this.opening = opening;
    this.firstOpened.resolve();
    // A caller that waits for the session gets the error; there may be none yet.
    opening.catch(() => undefined);
    return opening;
  }

  /** Cancels hooks that delay the start of a session, and starts it without them. */
  skipStartHooks(): void {
    if (!this.starting || this.starting.signal.aborted) return;
    this.starting.abort();
    this.options.onWarning('Castor ended the SessionStart hooks; the session starts without them.');
  }

  /** After `hurry` is aborted, hooks have two more seconds. */
  async dispose(hurry: AbortSignal): Promise<void> {
    this.starting?.abort();
    await this.end(this.opening, 'exit', hurry);
  }

  private async create(start: Start, wish: SessionWish, occasion: SessionOccasion): Promise<LiveSession> {
    await afterInput();
    const { openLive } = await import('./open-agent.ts');
    const live = await openLive(start, wish, this.options);
    if (live.agent.hooks) this.starting = new AbortController();
    await live.begin(occasion, this.starting?.signal ?? new AbortController().signal);
    this.starting = undefined;
    await this.options.onOpened(live);
    live.follow((event) => this.tell(event, live.agent.session.sessionId));
    return live;
  }

  /** A warning of the previous session's start, such as a failed import, is not repeated. */
  private tell(event: SessionEvent, sessionId: string): void {
    const isWarning = event.type === 'notice' && event.level === 'warning';
    if (!isWarning || this.isFirstToTell(event.message, sessionId)) this.options.onEvent(event);
  }

  private isFirstToTell(message: string, sessionId: string): boolean {
    const teller = this.tellers.get(message) ?? sessionId;
    this.tellers.set(message, teller);
    return teller === sessionId;
  }

  private async end(
    opening: Promise<LiveSession> | undefined,
    reason: SessionEnd['reason'],
    hurry: AbortSignal,
  ): Promise<void> {
    const live = await opening?.catch(() => undefined);
    await live?.end({ reason, limitMs: LIMIT_MS, hurry });
  }
}
