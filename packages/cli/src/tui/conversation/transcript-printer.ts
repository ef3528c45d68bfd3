/**
 * Prints a transcript: the lines that became final since the last call, each once, and the rows of the answer that may
 * still change. Lines of an answer are final as soon as they end, long before the transcript commits their paragraph;
 * if the attempt is then abandoned, a note reports it. The cost depends on the new text only.
 */

import type { ToolCallView, Transcript, TranscriptItem } from '@castor/core';
import { TerminalSanitizer } from '../../sanitize.ts';
import { isCurrent, isText, lastAnswerRows, nameSpeaker, openStream } from './answer-stream.ts';
import type { AnswerStream, TextItem } from './answer-stream.ts';
import { isToldBy, refusalOf } from './call-title.ts';
import { KeptLines } from './kept-lines.ts';
import type { PrinterOptions } from './printer-options.ts';
import { noteOf, standTogether, toNote } from './note-kinds.ts';
import type { Note } from './note-kinds.ts';
import { isPage, renderOutcome, renderPage } from './outcome-rows.ts';
import { isOpenRead, isQuietRead, renderReads } from './read-group.ts';
import { Receipt } from './receipt.ts';
import { renderItem, renderNote, renderUser } from './transcript-item.ts';
import type { ItemOptions } from './transcript-item.ts';
import { rowWidth } from '../text/row-width.ts';
import type { Style } from '../theme/styles.ts';

/** The running answer. */
interface Answer {
  stream: AnswerStream;
  readonly sanitizer: TerminalSanitizer;
  /** The item whose text is being printed, and how much of it was. */
  itemId: number;
  taken: number;
  /** Whether the transcript has committed the item. */
  isCommitted: boolean;
  hasPrinted: boolean;
}

const VOID = 'The text above was withdrawn: the attempt failed and the answer starts again.';

export class TranscriptPrinter {
  private readonly options: PrinterOptions;
  private printed = 0;
  private receipt = new Receipt();
  private readonly kept = new KeptLines();
  /** Reads in a row: one block, printed when anything else begins. */
  private reads: ToolCallView[] = [];
  private answer: Answer | undefined;
  private last: TranscriptItem['type'] | undefined;
  private lastLine: string | undefined;
  /** The kind of the last final item, if it is a note. */
  private lastNote: Note | undefined;
  /** Whether the user refused one of the last calls. */
  private isRefused = false;
  /** Whether `pendingRows` returned all rows. */
  private hasAllRows = true;

  constructor(options: PrinterOptions) {
    this.options = options;
  }

  /** Counts what the next prompt does, and adds the files it changes. */
  beginReceipt(changedFiles = this.options.changedFiles): void {
    this.receipt = new Receipt(changedFiles);
  }

  /** What the prompt did; undefined where that is not worth a row. */
  tellReceipt(spent: { ms: number; usd: number | undefined }): string | undefined {
    return this.receipt.tell(spent);
  }

  /** A note of our own as rows. */
  note(mark: string, text: string, style: Style): string[] {
    return renderNote(mark, text, style, this.options.width(), this.options.isSpoken?.());
  }

  /** What a slash command answered, as rows below it. */
  outcome(text: string): string[] {
    const look = { styles: this.options.styles(), width: this.options.width() };
    return isPage(text) ? ['', ...renderPage(text, look)] : renderOutcome(text, look);
  }

  /** Words of the user as rows. */
  user(text: string): string[] {
    return renderUser(text, { styles: this.options.styles(), width: this.options.width() });
  }

  /** Whether the last line that became final is empty. */
  get endsInGap(): boolean {
    return this.lastLine === '';
  }

  /** The lines that became final. */
  take(transcript: Transcript): string[] {
    const lines: string[] = [];
    if (transcript.committed.length > this.printed) {
      for (const item of transcript.committed.slice(this.printed)) lines.push(...this.takeCommitted(item));
      this.printed = transcript.committed.length;
    }
    const { pendingText } = transcript;
    if (this.answer && !this.answer.isCommitted && pendingText?.id !== this.answer.itemId)
      lines.push(...this.withdraw());
    if (!transcript.prompt || transcript.pendingGroup?.calls.some((call) => !isOpenRead(call)))
      lines.push(...this.endReads());
    if (pendingText) lines.push(...this.takeText(pendingText, false));
    // A call or the end of the prompt: the answer is complete.
    else if (this.answer?.isCommitted && (transcript.pendingGroup || !transcript.prompt))
      lines.push(...this.endAnswer());
    this.noteLines(lines);
    if (lines.length > 0) this.lastNote = toNote(this.last);
    return lines;
  }

  /**
   * The current rendering of the rest of the answer; its last rows. While lines flow, only rows that will not change.
   */
  pendingRows(maxRows: number, isFlowing = false): string[] {
    const { stream } = this.answer ?? {};
    const rows = (isFlowing ? stream?.settled() : stream?.pending()) ?? [];
    this.hasAllRows = rows.length <= maxRows;
    return this.hasAllRows ? rows : rows.slice(rows.length - maxRows);
  }

  /** The block of reads that may still grow. */
  heldRows(): string[] {
    const { styles, width } = this.options;
    return renderReads(this.reads, { styles: styles(), width: width() });
  }

  /** How far the rows of `pendingRows` are final; undefined if nowhere. */
  pendingSeam(): { row: number; column: number } | undefined {
    const settled = (this.hasAllRows && this.answer?.stream.settled()) || [];
    return settled.length === 0 ? undefined : { row: settled.length - 1, column: rowWidth(settled.at(-1) ?? '') };
  }

  /** The part before the seam is in the scrollback and is not printed again. False if it will be. */
  leaveSettled(): boolean {
    const { answer } = this;
    if (!answer?.stream.leave()) return false;
    answer.hasPrinted = true;
    return true;
  }

  /** The rows of the last answer again, in the current form. */
  lastAnswer(transcript: Transcript): string[] {
    return lastAnswerRows(transcript, this.options);
  }

  /** The final lines so far and lines of others after them; an answer that continues below them gets a gap, too. */
  takeWith(transcript: Transcript, lines: readonly string[], kind?: 'turn'): string[] {
    const ours = [...this.take(transcript), ...this.endReads()];
    const note = kind === 'turn' ? undefined : noteOf(lines);
    const isFollowing = standTogether(this.lastNote, note);
    const theirs = (this.lastLine === '' || isFollowing) && lines[0] === '' ? lines.slice(1) : lines;
    if (theirs.length > 0) this.lastNote = note;
    const all = [...ours, ...theirs, ...(this.answer && theirs.length > 0 ? [''] : [])];
    this.noteLines(all);
    return all;
  }

  private noteLines(lines: readonly string[]): void {
    this.lastLine = lines.at(-1) ?? this.lastLine;
  }

  /** Starts over, for another session. Printed lines stay. */
  reset(): void {
    this.printed = 0;
    this.answer = undefined;
    this.last = undefined;
    this.reads = [];
  }

  private takeCommitted(given: TranscriptItem): string[] {
    const item = this.kept.take(given);
    this.options.onItem?.(item);
    if (item.type === 'tool_group') {
      this.receipt.note(item.calls);
      this.isRefused = item.calls.some((call) => refusalOf(call) !== undefined);
    }
    // The row of a refused call has said it.
    if (item.type === 'cancelled' && this.isRefused && this.last === 'tool_group') return [];
    if (item.type === 'user' && isToldBy(item.text, this.lastLine)) return [];
    if (isText(item)) return this.takeText(item, true);
    // The transcript itself reports that the text is void.
    if (item.type === 'withdrawn' && this.answer) this.answer.hasPrinted = false;
    if (item.type === 'tool_group' && this.folds) return this.takeCalls(item);
    const rendered = renderItem(item, this.itemOptions());
    if (rendered.length === 0) return [];
    // An event beside the prompt is committed while the answer is unfinished: the answer continues below it, and is not
    // printed again.
    const goesOn = this.answer !== undefined && !this.answer.isCommitted;
    const rest = [...this.endReads(), ...(goesOn ? [] : this.endAnswer())];
    const lines = [...rest, ...this.gapBefore(item), ...rendered, ...(goesOn ? [''] : [])];
    this.last = item.type;
    this.lastNote = toNote(item.type);
    this.lastLine = lines.at(-1);
    return lines;
  }

  private itemOptions(): ItemOptions {
    const { styles, width, show, moreKey, grammars, tookOf, home } = this.options;
    const looks = { styles: styles(), width: width(), show: show() };
    return { ...looks, moreKey: moreKey?.(), grammars: grammars?.(), tookOf, home };
  }

  /** To a voice each call is said once; in full each is shown. */
  private get folds(): boolean {
    return this.options.show().isCompact && !this.options.isSpoken?.();
  }

  private takeCalls(item: Extract<TranscriptItem, { type: 'tool_group' }>): string[] {
    const lines: string[] = this.endAnswer();
    for (const call of item.calls) {
      if (isQuietRead(call)) {
        this.reads.push(call);
        continue;
      }
      lines.push(...this.endReads(), ...this.gapBefore(item));
      lines.push(...renderItem({ ...item, calls: [call] }, this.itemOptions()));
      this.noteCalls(lines);
    }
    return lines;
  }

  private endReads(): string[] {
    if (this.reads.length === 0) return [];
    const rows = this.heldRows();
    this.reads = [];
    const isFollowing = this.last === 'tool_group' || this.lastLine === '';
    const lines = isFollowing ? rows : ['', ...rows];
    this.noteCalls(lines);
    return lines;
  }

  private noteCalls(lines: readonly string[]): void {
    this.last = 'tool_group';
    this.lastNote = undefined;
    this.noteLines(lines);
  }

  private takeText(item: TextItem, isCommitted: boolean): string[] {
    const lines: string[] = [];
    if (item.type === 'gemini' && this.answer && this.answer.itemId !== item.id) lines.push(...this.endAnswer());
    if (!this.answer) {
      lines.push(...this.endReads());
      this.answer = this.begin(item.id);
      lines.push('');
    }
    const { answer } = this;
    if (answer.itemId !== item.id) {
      answer.itemId = item.id;
      answer.taken = 0;
    }
    answer.isCommitted = isCommitted;
    if (!isCurrent(answer.stream, this.options)) {
      lines.push(...answer.stream.end());
      answer.stream = openStream(this.options);
    }
    const more = item.text.slice(answer.taken);
    answer.taken = item.text.length;
    const written = more === '' ? [] : answer.stream.write(answer.sanitizer.write(more));
    const rows = this.named(answer, written);
    if (rows.length > 0) answer.hasPrinted = true;
    this.last = item.type;
    if (rows.length > 0) this.lastLine = rows.at(-1);
    return [...lines, ...rows];
  }

  private begin(itemId: number): Answer {
    const stream = openStream(this.options);
    return { stream, sanitizer: new TerminalSanitizer(), itemId, taken: 0, isCommitted: false, hasPrinted: false };
  }

  private endAnswer(): string[] {
    const { answer } = this;
    this.answer = undefined;
    if (!answer) return [];
    const rest = [...answer.stream.write(answer.sanitizer.end()), ...answer.stream.end()];
    const lines = this.named(answer, rest);
    this.noteLines(lines);
    return lines;
  }

  private named({ hasPrinted }: Answer, rows: string[]): string[] {
    return this.options.isSpoken?.() && !hasPrinted ? nameSpeaker(rows) : rows;
  }

  /** The pending text is gone and was never committed. */
  private withdraw(): string[] {
    const hasPrinted = this.answer?.hasPrinted ?? false;
    this.answer = undefined;
    return hasPrinted
      ? renderNote('!', VOID, this.options.styles().warning, this.options.width(), this.options.styles().isSpoken)
      : [];
  }

  /** Calls of one group stand together, and so do warnings and notes; everything else has a gap around it. */
  private gapBefore(item: TranscriptItem): string[] {
    const isFollowing =
      standTogether(this.lastNote, toNote(item.type)) || (item.type === 'tool_group' && this.last === 'tool_group');
    return isFollowing || this.lastLine === '' ? [] : [''];
  }
}
