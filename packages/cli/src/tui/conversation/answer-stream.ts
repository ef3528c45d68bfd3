/** Opens the stream that turns an answer into rows, rendered or raw, and renders an answer that is complete. */

import type { Transcript, TranscriptItem } from '@castor/core';
import { sanitize } from '../../sanitize.ts';
import { MarkdownStream } from '../render/markdown-stream.ts';
import { RawStream } from '../render/raw-stream.ts';
import type { PrinterOptions } from './printer-options.ts';

export type TextItem = Extract<TranscriptItem, { type: 'gemini' | 'gemini_content' }>;
export type AnswerStream = MarkdownStream | RawStream;

export function isText(item: TranscriptItem): item is TextItem {
  return item.type === 'gemini' || item.type === 'gemini_content';
}

export function openStream({ styles: now, width, createHighlighter, isSpoken, isRaw }: PrinterOptions): AnswerStream {
  const styles = now();
  if (isRaw?.()) return new RawStream({ styles, width });
  return new MarkdownStream({ styles, width, highlight: createHighlighter(styles), isSpoken: isSpoken?.() ?? false });
}

/** To a voice an answer begins with whose words they are. */
export function nameSpeaker(rows: readonly string[]): string[] {
  const first = rows.findIndex((row) => row.trim() !== '');
  return rows.map((row, index) => (index === first ? `Castor: ${row}` : row));
}

/** Whether the stream has the form that is asked for now. */
export function isCurrent(stream: AnswerStream, { isRaw }: PrinterOptions): boolean {
  return stream instanceof RawStream === (isRaw?.() ?? false);
}

/** The rows of the last answer again, in the current form; none without an answer. */
export function lastAnswerRows({ committed }: Transcript, options: PrinterOptions): string[] {
  let text = '';
  for (let index = committed.length - 1; index >= committed.firstIndex; index--) {
    const item = committed.at(index);
    const isPart = item !== undefined && isText(item);
    if (isPart) text = item.text + text;
    if (text !== '' && item?.type !== 'gemini_content') break;
  }
  const stream = openStream(options);
  return text === '' ? [] : ['', ...stream.write(sanitize(text)), ...stream.end()];
}
