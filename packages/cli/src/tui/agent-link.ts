/**
 * The agent behind the screen: opened in the background after the first frame, replaced
 * when the person goes on with another session, ended with the program.
 */

import { setImmediate as afterInput } from 'node:timers/promises';
import type { OpenedSession, Part, SessionEvent, WorkspaceAgent } from '@castor/core';
import type { Start } from '../start/start.ts';
import { beginSession, endSession } from './session-hooks.ts';
import type { SessionOccasion } from './session-hooks.ts';

export interface AgentLinkOptions {
  readonly onWarning: (message: string) => void;
  readonly onInfo: (message: string) => void;
  /** Something happened between two prompts. */
  readonly onEvent: (event: SessionEvent) => void;
  /** Lends the terminal to another program. */
  readonly suspend: (run: () => Promise<void>) => Promise<void>;
  readonly onOpened: (opened: OpenedAgent) => void;
}

export interface OpenedAgent {
  readonly agent: WorkspaceAgent;
  readonly session: OpenedSession;
  /** What got no answer and is sent again, where that was asked for. */
  readonly interrupted?: readonly Part[] | undefined;
}

export interface SessionWish {
  /** See OpenSessionOptions. */
  readonly resume?: string;
  readonly fork?: boolean;
  readonly sessionId?: string | undefined;
  readonly sessionFile?: string | undefined;
  /** The prompt that was interrupted goes on by itself. */
  readonly goesOn?: boolean;
}

export class AgentLink {
  private readonly options: AgentLinkOptions;
  private opening: Promise<WorkspaceAgent> | undefined;
  /** Present while SessionStart hooks run. */
  private starting: AbortController | undefined;

  constructor(options: AgentLinkOptions) {
    this.options = options;
  }

  /** The agent, once it was asked for by `open`. */
  current(): Promise<WorkspaceAgent> {
    return this.opening ?? Promise.reject(new Error('The agent is not open yet.'));
  }

  /** Ends the one before. */
  open(start: Start, wish: SessionWish): Promise<WorkspaceAgent> {
    const before = this.opening;
    const isNew = wish.resume === undefined && wish.sessionFile === undefined;
    const opening = (async () => {
      await this.end(before, isNew ? 'clear' : 'other', new AbortController().signal);
      return this.create(start, wish, isNew ? (before ? 'clear' : 'startup') : 'resume');
    })();
    this.opening = opening;
    // Callers that wait for the agent receive the error; there may be none yet.
    opening.catch(() => {});
    return opening;
  }

  /** Hooks that hold up the beginning of a session are ended, and it begins without them. */
  skipStartHooks(): void {
    if (!this.starting || this.starting.signal.aborted) return;
    this.starting.abort();
    this.options.onWarning('Castor ended the SessionStart hooks; the session starts without them.');
  }

  /** Once `hurry` is aborted, hooks have two more seconds. */
  async dispose(hurry: AbortSignal): Promise<void> {
    this.starting?.abort();
    await this.end(this.opening, 'exit', hurry);
  }

  private async create(start: Start, wish: SessionWish, occasion: SessionOccasion): Promise<WorkspaceAgent> {
    await afterInput();
    const { openAgent } = await import('./open-agent.ts');
    const opened = await openAgent(start, wish, this.options);
    const { agent } = opened;
    if (agent.hooks) this.starting = new AbortController();
    await beginSession(agent, occasion, this.starting?.signal ?? new AbortController().signal);
    this.starting = undefined;
    this.options.onOpened(opened);
    void this.follow(agent);
    return agent;
  }

  private async follow({ session }: WorkspaceAgent): Promise<void> {
    for await (const event of session.events()) this.options.onEvent(event);
  }

  private async end(
    opening: Promise<WorkspaceAgent> | undefined,
    reason: 'exit' | 'clear' | 'other',
    hurry: AbortSignal,
  ): Promise<void> {
    const agent = await opening?.catch(() => undefined);
    if (!agent) return;
    await endSession(agent, reason, hurry);
    await agent.dispose();
  }
}
