/** The port that records a chat's turns. A recording failure never fails a turn. */

import type { Content, UsageMetadata } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';

export interface RecordedAnswer {
  content: Content;
  thoughts: ThoughtSummary[];
  model: string;
  usageMetadata?: UsageMetadata;
}

/** Called in order of events, before the caller sees them. Must not throw. */
export interface ChatRecorder {
  /** A message is about to be sent. */
  sent(content: Content, prompt_id: string): void;
  /** The send of this message failed with `error` and removed it from the history. Absent: `withdrawn` is called. */
  failed?(content: Content, error: unknown): void;
  /** The user rewound: this message and all after it were removed from the history. */
  withdrawn(content: Content): void;
  /** An attempt was accepted. */
  answered(answer: RecordedAnswer, prompt_id: string): void;
  /** A turn was added from outside (IDE context, a resumed record). */
  added(content: Content): void;
  /** The history was replaced (compression, rewind). */
  replaced(history: readonly Content[]): void;
  /**
   * Resolves when the effects that a request mentions are recorded. Undefined: nothing to wait for. Must not reject.
   */
  settled?(): Promise<void> | undefined;
}
