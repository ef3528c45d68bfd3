/**
 * Renders a finished item as the lines that go into the scrollback. Answer text is not here: it arrives in pieces and
 * belongs to the printer. All text from outside is sanitised. Pure.
 */

import { assertNever } from '@castor/core';
import type { TranscriptItem } from '@castor/core';
import { sanitize } from '../../sanitize.ts';
import type { Styles } from '../theme/styles.ts';
import { renderToolCall } from './tool-call.ts';
import { expandTabs, wrapRows } from './wrap-rows.ts';

export interface ItemOptions {
  readonly styles: Styles;
  readonly width: number;
  readonly show: ShownKinds;
  /** The key that shows long results in full. */
  readonly moreKey?: string | undefined;
}

/** What users may show or hide. */
export interface ShownKinds {
  /** `ui.inlineThinkingMode` is `full`. */
  readonly thinking: boolean;
  /** `ui.showCitations`. */
  readonly citations: boolean;
  /** `ui.showModelInfoInChat`. */
  readonly model: boolean;
  /** `ui.showLineNumbers`, in diffs. */
  readonly lineNumbers: boolean;
  /** `ui.compactToolOutput`. */
  readonly isCompact: boolean;
}

type TextItem = Extract<TranscriptItem, { type: 'gemini' | 'gemini_content' }>;

/** Rows of a result in the scrollback. */
const RESULT_ROWS = 12;
const MOST_RESULT_ROWS = 500;
/** Rows of a prompt in the scrollback. */
const PROMPT_ROWS = { head: 20, tail: 5 };
const LONGEST_PROMPT = 4_000;

export function renderItem(item: Exclude<TranscriptItem, TextItem>, options: ItemOptions): string[] {
  const { styles, width, show, moreKey } = options;
  switch (item.type) {
    case 'user':
      return renderUser(item.text, options);
    case 'thinking':
      return show.thinking ? renderThought(item.thought, options) : [];
    case 'tool_group':
      return item.calls.flatMap((call) => {
        const maxRows = show.isCompact ? RESULT_ROWS : MOST_RESULT_ROWS;
        return renderToolCall(call, { styles, width, maxRows, moreKey, lineNumbers: show.lineNumbers });
      });
    case 'info':
      return renderNote('ℹ', item.text, styles.secondary, width);
    case 'warning':
      return renderNote('⚠', item.text, styles.warning, width);
    case 'error':
      return renderNote('✗', item.text, styles.error, width);
    case 'cancelled':
      return renderNote('ℹ', item.text, styles.warning, width);
    case 'withdrawn':
      return renderNote('↺', item.text, styles.warning, width);
    case 'compression':
      return renderNote('✦', item.text, styles.accent, width);
    case 'model':
      return show.model ? renderNote('ℹ', `Responding with ${item.model}`, styles.secondary, width) : [];
    case 'citation':
      return show.citations ? renderNote('ℹ', item.text, styles.secondary, width) : [];
    default:
      return assertNever(item);
  }
}

/** A note of our own: a mark, and text of any length. */
export function renderNote(mark: string, text: string, style: (text: string) => string, width: number): string[] {
  const words = style(sanitize(expandTabs(text)).trim());
  return wrapRows(words, { width, first: style(`${mark} `), rest: '  ', hasColumns: true });
}

/** A prompt too long to read again, such as a pasted file, is shown by its beginning and its end. */
export function renderUser(text: string, { styles, width }: Pick<ItemOptions, 'styles' | 'width'>): string[] {
  const render = (piece: string, first: string) =>
    wrapRows(styles.secondary(sanitize(expandTabs(piece))), { width, first, rest: '  ' });
  const head = render(text.slice(0, LONGEST_PROMPT).toWellFormed(), styles.accent('> '));
  if (text.length <= LONGEST_PROMPT && head.length <= PROMPT_ROWS.head + PROMPT_ROWS.tail) return head;
  const tail = render(text.slice(-LONGEST_PROMPT).toWellFormed(), '  ').slice(-PROMPT_ROWS.tail);
  const mark = styles.secondary(`  … ${text.length} characters in all …`);
  return [...head.slice(0, PROMPT_ROWS.head), mark, ...tail];
}

function renderThought(
  { subject, description }: { subject: string; description: string },
  { styles, width }: ItemOptions,
): string[] {
  const rows =
    subject === ''
      ? []
      : wrapRows(styles.italic(sanitize(subject)), { width, first: styles.secondary('💭 '), rest: '   ' });
  const words = sanitize(expandTabs(description)).trim();
  return words === '' ? rows : [...rows, ...wrapRows(styles.secondary(words), { width, first: '   ' })];
}
