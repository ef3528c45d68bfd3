/**
 * Renders a finished item as the lines that go into the scrollback. Answer text is not here: it arrives in pieces and
 * belongs to the printer. All text from outside is sanitised. Pure.
 */

import { assertNever } from '@castor/core';
import type { TranscriptItem } from '@castor/core';
import { readableCount } from '../../readable-numbers.ts';
import { sanitize } from '../../sanitize.ts';
import type { Style, Styles } from '../theme/styles.ts';
import { isSlashText } from '../../prompt/prompt-signs.ts';
import type { Grammars } from '../render/highlight.ts';
import { renderFailure } from './failure-rows.ts';
import { renderToolCall } from './tool-call.ts';
import { shortenRow } from '../text/row-width.ts';
import { withTilde } from '../text/with-tilde.ts';
import { withoutDots } from '../text/without-dots.ts';
import { expandTabs, proseWidth, wrapRows } from '../text/wrap-rows.ts';

export interface ItemOptions {
  readonly styles: Styles;
  readonly width: number;
  readonly show: ShownKinds;
  /** The key that shows long results in full. */
  readonly moreKey?: string | undefined;
  readonly grammars?: Grammars | undefined;
  /** How long a call took, in words. */
  readonly tookOf?: ((callId: string) => string | undefined) | undefined;
  /** The home folder: notes name its files with a tilde. */
  readonly home?: string | undefined;
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
/** A prompt of more rows is not bold: it would be a block of bold text. */
const STRONG_ROWS = 3;
const THOUGHT_ROWS = 3;
/** Words that begin with a path name no command. */
const PATH = /^\s*\/[^\s/]+\//;

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
        return renderToolCall(call, {
          ...{ styles, width, maxRows, moreKey, lineNumbers: show.lineNumbers, isWhole: !show.isCompact },
          grammars: options.grammars,
          took: options.tookOf?.(call.callId),
        });
      });
    case 'info':
      return renderNote('·', noteOf(item, options), styles.secondary, width, styles.isSpoken);
    case 'warning':
      return renderNote('!', noteOf(item, options), styles.warning, width, styles.isSpoken);
    case 'error': {
      const told = item.error && renderFailure({ error: item.error, model: item.model }, options);
      return told ?? renderNote('✗', item.text, styles.error, width, styles.isSpoken);
    }
    case 'cancelled':
      return renderNote('·', item.text, styles.secondary, width, styles.isSpoken);
    case 'withdrawn':
      return renderNote('!', item.text, styles.warning, width, styles.isSpoken);
    case 'compression':
      return renderNote('·', item.text, styles.secondary, width, styles.isSpoken);
    case 'model':
      return show.model
        ? renderNote('·', `Responding with ${item.model}`, styles.secondary, width, styles.isSpoken)
        : [];
    case 'citation':
      return show.citations ? renderNote('·', item.text, styles.secondary, width, styles.isSpoken) : [];
    default:
      return assertNever(item);
  }
}

function noteOf({ text, about }: { text: string; about: string }, { home = '' }: ItemOptions): string {
  return withTilde(namingHook(text, about), home);
}

/** Only a hook stops or blocks an agent: the user reads who it was. */
function namingHook(text: string, about: string): string {
  if (about === 'agent_execution_blocked') return text.replace(/^Agent execution blocked:/, 'A hook refused this:');
  if (about === 'agent_execution_stopped')
    return text.replace(/^Agent execution stopped:(?: Agent execution stopped by hook:)?/, 'A hook stopped this:');
  return text;
}

const SPOKEN_MARKS: Readonly<Record<string, string>> = { '!': 'Warning: ', '✗': 'Error: ' };

/** A note of our own: a mark, and text of any length. */
export function renderNote(mark: string, text: string, style: Style, width: number, isSpoken = false): string[] {
  if (isSpoken) return sanitize(`${SPOKEN_MARKS[mark] ?? ''}${withoutDots(text.trim())}`).split('\n');
  const words = style(sanitize(expandTabs(text)).trim());
  return wrapRows(words, { width: proseWidth(width), first: style(`${mark} `), rest: '  ', hasColumns: true });
}

/** A prompt too long to read again, such as a pasted file, is shown by its beginning and its end. */
export function renderUser(text: string, { styles, width }: Pick<ItemOptions, 'styles' | 'width'>): string[] {
  if (styles.isSpoken) return wrapRows(sanitize(expandTabs(text)), { width, first: 'You: ', rest: '' });
  const { sign, body, look } = kindOf(text, styles);
  const render = (piece: string, first: string) =>
    wrapRows(sanitize(expandTabs(piece)), { width: proseWidth(width), first, rest: '  ' });
  const head = render(body.slice(0, LONGEST_PROMPT).toWellFormed(), sign);
  if (body.length <= LONGEST_PROMPT && head.length <= PROMPT_ROWS.head + PROMPT_ROWS.tail)
    return head.map((row) => look(row, head.length <= STRONG_ROWS));
  const tail = render(body.slice(-LONGEST_PROMPT).toWellFormed(), '  ').slice(-PROMPT_ROWS.tail);
  const mark = styles.secondary(`  … ${readableCount(text.length)} characters in all`);
  return [...head.slice(0, PROMPT_ROWS.head), mark, ...tail].map((row) => look(row, false));
}

interface UserKind {
  readonly sign: string;
  readonly body: string;
  readonly look: (row: string, isStrong: boolean) => string;
}

/** Words to the model stand out most; a command of the user is one too, a slash command is no turn. */
function kindOf(text: string, styles: Styles): UserKind {
  if (isSlashText(text) && !PATH.test(text)) return { sign: '❯ ', body: text, look: (row) => styles.secondary(row) };
  const band = (row: string, isStrong: boolean) => styles.message(isStrong ? styles.bold(row) : row);
  if (text.startsWith('!')) return { sign: styles.warning('! '), body: text.slice(1).trimStart(), look: band };
  return { sign: styles.accent('❯ '), body: text, look: band };
}

function renderThought(
  { subject, description }: { subject: string; description: string },
  { styles, width }: ItemOptions,
): string[] {
  const words = sanitize(expandTabs(description)).trim().replaceAll(/\s+/g, ' ');
  if (styles.isSpoken) return sayThought(sanitize(subject), words);
  const text = [subject === '' ? '' : styles.italic(sanitize(subject)), words].filter(Boolean).join('  ');
  if (text === '') return [];
  const rows = wrapRows(styles.secondary(text), {
    width: proseWidth(width),
    first: styles.secondary('· '),
    rest: '  ',
  });
  return rows.length <= THOUGHT_ROWS
    ? rows
    : [...rows.slice(0, THOUGHT_ROWS - 1), shortenRow(`${rows[THOUGHT_ROWS - 1]}${styles.secondary(' …')}`, width)];
}

/** Whole: a voice cannot see the part that was cut. */
function sayThought(subject: string, words: string): string[] {
  const said = [subject, words].filter(Boolean).join('. ');
  return said === '' ? [] : [`Thinking: ${said}`];
}
