/** The interface between a conversation and its surface. Types only. */

import type { AgentEvent, AgentSession, Outcome, Part, ProposedCall } from '@castor/core';
import type { LiveSession } from './session-lifecycle.ts';

export interface GivenPrompt {
  readonly text: string;
  /** Entered in shell mode: a command, whatever the text looks like. */
  readonly isShell?: boolean;
}

/** A prompt for the model. */
export interface PreparedTurn {
  readonly parts: readonly Part[];
  /** The text the user sees. */
  readonly text?: string;
  /** Whether the user has already seen it, as the command it came from. */
  readonly isShown?: boolean;
  /** A call that the user is asked about first; nothing else is sent. */
  readonly proposal?: ProposedCall;
}

/** An answer of the surface without a model, shown as a prompt with its end. */
export interface PreparedAnswer {
  readonly answer: string;
  readonly ending?: Parameters<AgentSession['answer']>[1];
}

/** An action of the user that no prompt may interrupt. */
export type Occupation = (signal: AbortSignal) => Promise<void>;

/** `ran`; `waits`: a command that needs an idle agent; `words`: not a command. */
export type BesideAnswer = 'ran' | 'waits' | 'words';

export interface ConversationPorts {
  /** The session, once it is open. */
  readonly live: () => Promise<LiveSession>;
  /** Parses a text; undefined when the surface handled it and nothing is sent. */
  readonly read: (given: GivenPrompt, signal: AbortSignal) => Promise<PreparedTurn | PreparedAnswer | undefined>;
  /** Takes every event; resolves when the next one may follow. */
  readonly show: (event: AgentEvent) => Promise<void> | undefined;
  /** Explains an error of reading or sending. Rethrows it to end the conversation. */
  readonly onError: (error: unknown, signal: AbortSignal) => void;
  /** Ends the conversation. */
  readonly signal?: AbortSignal;
  /** A user's queued texts become one prompt; by default each text is a prompt of its own, as programs expect. */
  readonly joinsQueue?: boolean;
  readonly onChange?: () => void;
  /** The conversation is idle; with the ending of the last prompt, undefined when nothing was sent. */
  readonly onIdle?: (outcome: Outcome | undefined) => void;
  /** Text that could not be sent; it must not be lost. */
  readonly onUnsent?: (text: string) => void;
  /** Whether the current reading ends by itself when it is cancelled, as a dialog does. */
  readonly endsItself?: () => boolean;
  /** The user's words when they declined a call and thereby ended the prompt. */
  readonly takeFeedback?: () => string | undefined;
  /** The model was stopped because it repeated itself; true to send the prompt again. */
  readonly onLoop?: (signal: AbortSignal) => Promise<boolean>;
  /** Runs a command beside the running prompt, where that is possible; without it all commands wait. */
  readonly runBeside?: (text: string) => Promise<BesideAnswer>;
  /** A command that needs an idle agent was not run. */
  readonly onWaits?: (text: string) => void;
  /** Whether text submitted while a prompt runs steers that prompt. */
  readonly steers?: () => boolean;
  /** Text is on its way to the running prompt. */
  readonly onSteered?: (text: string) => void;
}
