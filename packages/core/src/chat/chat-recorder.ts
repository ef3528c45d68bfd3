/** The port through which a chat's turns are recorded. Recording may fail; it never fails a turn. */

import type { Content, UsageMetadata } from '../protocol/content.ts';
import type { ThoughtSummary } from '../protocol/events.ts';

export interface RecordedAnswer {
  content: Content;
  thoughts: ThoughtSummary[];
  model: string;
  usageMetadata?: UsageMetadata;
}

/** Called in the order things happen, before the caller sees them. Must not throw. */
export interface ChatRecorder {
  /** A message is about to be sent. */
  sent(content: Content, prompt_id: string): void;
  /** The send of this message failed, and it left the history; `why` is a sentence. Absent: `withdrawn` is called. */
  failed?(content: Content, why: string): void;
  /** This message, and all after it, left the history again: the user went back. */
  withdrawn(content: Content): void;
  /** An attempt was accepted. */
  answered(answer: RecordedAnswer, prompt_id: string): void;
  /** A turn was added from outside (IDE context, a resumed record). */
  added(content: Content): void;
  /** The history was replaced (compression, rewind). */
  replaced(history: readonly Content[]): void;
  /** What a request must wait for: the record of effects it speaks of. Undefined: nothing. Must not reject. */
  settled?(): Promise<void> | undefined;
}
