/** What a conversation asks of its surface, and what it is given. Types only. */

import type { AgentEvent, AgentSession, Outcome, Part } from '@castor/core';
import type { LiveSession } from './session-lifecycle.ts';

export interface GivenPrompt {
  readonly text: string;
  /** Entered in a shell mode: a command, whatever the text looks like. */
  readonly isShell?: boolean;
}

/** Something to send to the model. */
export interface PreparedTurn {
  readonly parts: readonly Part[];
  /** What the user is shown of it. */
  readonly text?: string;
  /** Whether the user has been shown it already, as the command it came from. */
  readonly isShown?: boolean;
}

/** Something the surface answers without a model, shown as a prompt with its end. */
export interface PreparedAnswer {
  readonly answer: string;
  readonly ending?: Parameters<AgentSession['answer']>[1];
}

/** Something of the user's own that no prompt may interrupt. */
export type Occupation = (signal: AbortSignal) => Promise<void>;

/** `ran`; `waits`: a command that needs the agent at rest; `words`: not a command. */
export type BesideAnswer = 'ran' | 'waits' | 'words';

export interface ConversationPorts {
  /** The session, once it is open. */
  readonly live: () => Promise<LiveSession>;
  /** What a text stands for; undefined when the surface dealt with it and nothing is sent. */
  readonly read: (given: GivenPrompt, signal: AbortSignal) => Promise<PreparedTurn | PreparedAnswer | undefined>;
  /** Takes every event; resolves when the next one may come. */
  readonly show: (event: AgentEvent) => Promise<void> | undefined;
  /** Explains what reading or sending threw. Throws it again to end the conversation. */
  readonly onError: (error: unknown, signal: AbortSignal) => void;
  /** Ends the conversation. */
  readonly signal?: AbortSignal;
  /** A user's words that waited are one prompt; by default each text is a prompt of its own, as programs expect. */
  readonly joinsQueue?: boolean;
  readonly onChange?: () => void;
  /** Nothing is under way any more; how the last of it ended, undefined when nothing was sent. */
  readonly onIdle?: (outcome: Outcome | undefined) => void;
  /** Words that could not be sent; they must not be lost. */
  readonly onUnsent?: (text: string) => void;
  /** Whether what is being read ends by itself when it is cancelled, as a dialog does. */
  readonly endsItself?: () => boolean;
  /** What the user said when they declined a call that the prompt then ended with. */
  readonly takeFeedback?: () => string | undefined;
  /** The model was stopped because it repeated itself; true to send the prompt again. */
  readonly onLoop?: (signal: AbortSignal) => Promise<boolean>;
  /** Runs a command beside the prompt under way, where that is possible; without it all commands wait. */
  readonly runBeside?: (text: string) => Promise<BesideAnswer>;
  /** A command that needs the agent at rest was not run. */
  readonly onWaits?: (text: string) => void;
  /** Whether words submitted while a prompt runs are for that prompt. */
  readonly steers?: () => boolean;
  /** Words are on their way to the prompt under way. */
  readonly onSteered?: (text: string) => void;
}
