/**
 * LiveSession: manages the life of a session on a surface, from SessionStart to the last report of telemetry. Context
 * from SessionStart hooks precedes the first prompt that is sent, on every surface (docs/decisions/0029).
 */

import type { AgentEvent, OpenedSession, Part, SessionEvent, WorkspaceAgent } from '@castor/core';
import type { PreparedTurn } from './conversation-ports.ts';
import type { SessionOccasion } from './session-wish.ts';

export interface OpenedAgent {
  readonly agent: WorkspaceAgent;
  readonly session: OpenedSession;
  /** The unanswered prompt that is sent again, where that was requested. */
  readonly interrupted: Part[] | undefined;
  /**
   * Makes a model usable before the agent changes to it. Resolves to its full name; rejects with a sentence. Absent: the
   * generator serves every name.
   */
  readonly prepareModel?: (name: string) => Promise<string>;
}

export interface SessionEnd {
  readonly reason: 'exit' | 'clear' | 'other';
  /** The time limit of SessionEnd hooks; by default that of each hook. */
  readonly limitMs?: number;
  /** After an abort, hooks have two more seconds. */
  readonly hurry: AbortSignal;
  /** Runs once everything the session started has ended, whether or not that succeeded, before telemetry is closed. */
  readonly last?: () => Promise<void> | undefined;
}

export class LiveSession {
  readonly agent: WorkspaceAgent;
  readonly session: OpenedSession;
  readonly interrupted: Part[] | undefined;
  readonly prepareModel: NonNullable<OpenedAgent['prepareModel']>;
  /** Precedes the next prompt, and only that one. */
  private preface = '';
  /** The context of the SessionStart hooks. */
  private context = '';
  private following: Promise<void> | undefined;

  constructor({ agent, session, interrupted, prepareModel = async (name) => name }: OpenedAgent) {
    this.agent = agent;
    this.session = session;
    this.interrupted = interrupted;
    this.prepareModel = prepareModel;
  }

  /** Runs the SessionStart hooks. If aborted, the session begins without them. */
  async begin(occasion: SessionOccasion, signal: AbortSignal): Promise<void> {
    const { hooks } = this.agent;
    if (!hooks) return;
    try {
      const context = await hooks.sessionStart(occasion, signal);
      if (context) this.preface = `${context}\n\n`;
      this.context = context ?? '';
    } catch {
      // Only an abort is thrown, and the surface that aborted it has reported why.
    }
  }

  /** Shows what happens between prompts, until the session is closed. */
  follow(show: (event: SessionEvent) => void): void {
    this.following = followAll(this.agent.session.events(), show);
  }

  /** Sends a prompt, or proposes a call in its place. */
  prompt(
    parts: readonly Part[],
    signal: AbortSignal,
    { text, proposal }: Omit<PreparedTurn, 'parts'> = {},
  ): AsyncGenerator<AgentEvent, void> {
    const shown = text === undefined ? {} : { text };
    if (proposal) return this.agent.session.prompt([], signal, { ...shown, proposal });
    const request = withPreface(this.preface, parts);
    this.preface = '';
    return this.agent.session.prompt(request, signal, shown);
  }

  /** Call after a rewind: context that left the history with its prompt precedes the next one. */
  afterRewind(): void {
    const isKept = this.agent.chat
      .getHistory()
      .some(({ parts = [] }) => parts.some(({ text }) => text?.includes(this.context)));
    if (!isKept && this.context !== '') this.preface = `${this.context}\n\n`;
  }

  /** Runs the SessionEnd hooks and ends every process the session started. */
  async end({ reason, limitMs, hurry, last }: SessionEnd): Promise<void> {
    const { agent } = this;
    try {
      await agent.hooks?.sessionEnd(reason, { hurry, ...(limitMs !== undefined && { limitMs }) });
      await agent.dispose();
      await this.following;
    } finally {
      await last?.();
      await agent.telemetry?.shutdown();
    }
  }
}

async function followAll(events: AsyncIterable<SessionEvent>, show: (event: SessionEvent) => void): Promise<void> {
  for await (const event of events) show(event);
}

function withPreface(preface: string, parts: readonly Part[]): Part[] {
  if (preface === '') return [...parts];
  const [first, ...rest] = parts;
  return first?.text === undefined
    ? [{ text: preface.trimEnd() }, ...parts]
    : [{ ...first, text: `${preface}${first.text}` }, ...rest];
}
