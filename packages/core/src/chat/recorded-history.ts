/**
 * RecordedHistory: the history of a chat, which reports every change to the recorder as it happens, and the size of
 * the last request, which is unknown after the history was replaced. It sends nothing.
 */

import { estimateHistoryTokenCount } from '../provider/token-estimate.ts';
import type { Content } from '../protocol/content.ts';
import type { ChatRecorder, RecordedAnswer } from './chat-recorder.ts';
import { History } from './history.ts';
import type { HistoryMark } from './history.ts';
import { separatePlayedMedia } from './played-media.ts';

export class RecordedHistory {
  private readonly history: History;
  private readonly recorder: ChatRecorder | undefined;
  private tokenCount: number | undefined;

  constructor(initial: readonly Content[] | undefined, recorder: ChatRecorder | undefined) {
    this.history = new History(initial);
    this.recorder = recorder;
  }

  /** Read-only; the methods below change the history. */
  get view(): Pick<History, 'comprehensive' | 'curated' | 'contents' | 'last' | 'assertLegal'> {
    return this.history;
  }

  /** As counted by the service; a local estimate until then. */
  get promptTokenCount(): number {
    this.tokenCount ??= estimateHistoryTokenCount(this.history.comprehensive);
    return this.tokenCount;
  }

  /** A message is about to be sent. Returns the position in the history before it. */
  send(content: Content, prompt_id: string): HistoryMark {
    const mark = this.history.mark();
    for (const turn of separatePlayedMedia(content)) {
      this.history.append(turn);
      this.recorder?.sent(turn, prompt_id);
    }
    return mark;
  }

  /** Undefined when a request need not wait for the recorder. */
  settled(): Promise<void> | undefined {
    return this.recorder?.settled?.();
  }

  /** The message was never accepted. */
  withdraw(content: Content, mark: HistoryMark, error: unknown): void {
    this.history.rollback(mark);
    if (this.recorder?.failed) this.recorder.failed(content, error);
    else this.recorder?.withdrawn(content);
  }

  answer(answer: RecordedAnswer, prompt_id: string): void {
    this.history.append(answer.content);
    this.tokenCount = answer.usageMetadata?.promptTokenCount ?? this.tokenCount;
    this.recorder?.answered(answer, prompt_id);
  }

  add(content: Content): void {
    this.history.append(content);
    this.recorder?.added(content);
  }

  replace(turns: readonly Content[]): void {
    this.history.replace(turns);
    this.tokenCount = undefined;
    this.recorder?.replaced(turns);
  }

  /** Removes this turn and all after it; false when the history does not contain it. */
  rewindTo(content: Content): boolean {
    const index = this.history.comprehensive.indexOf(content);
    if (index < 0) return false;
    this.history.replace(this.history.comprehensive.slice(0, index));
    this.tokenCount = undefined;
    this.recorder?.withdrawn(content);
    return true;
  }
}
