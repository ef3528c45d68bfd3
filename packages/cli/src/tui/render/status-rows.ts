/** Renders the rows around the composer: the activity and the footer. Pure. */

import type { ApprovalMode, RetryValue } from '@castor/core';
import { sanitizeLine } from '../../sanitize.ts';
import type { FooterItem } from '../../footer-item-names.ts';
import { cutRow, graphemesIn, rowWidth, shortenRow } from '../terminal/row-width.ts';
import type { Styles } from '../theme/styles.ts';

export interface LoadingState {
  /** One of `SPINNER`. */
  readonly frame: string;
  readonly thought: string | undefined;
  readonly retry: RetryValue | undefined;
  readonly elapsedSeconds: number;
  /** The keys meanwhile, besides Esc; omitted where there is no room. */
  readonly keyHints?: readonly string[];
  /** What Esc does, where it does not cancel. */
  readonly escapes?: string | undefined;
}

export const SPINNER: readonly string[] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Columns from which there is room for more than how to cancel. */
const ROOM_FOR_HINTS = 70;

export function renderLoading(
  { frame, thought, retry, elapsedSeconds, keyHints = [], escapes = 'to cancel' }: LoadingState,
  styles: Styles,
  width: number,
): string {
  const text = retry ? describeRetry(retry) : sanitizeLine(thought ?? '') || 'Thinking...';
  const hints = [`esc ${escapes}`, ...(width < ROOM_FOR_HINTS ? [] : keyHints)];
  const hint = styles.secondary(` (${hints.join(', ')}, ${formatSeconds(elapsedSeconds)})`);
  const available = Math.max(width - rowWidth(hint) - 2, 8);
  const style = retry && !retry.isLoading ? styles.warning : styles.primary;
  return `${styles.accent(frame)} ${style(shortenRow(text, available))}${hint}`;
}

function describeRetry(retry: RetryValue): string {
  if (retry.isLoading) return 'Loading the model…';
  return `Attempt ${retry.attempt} of ${retry.maxAttempts} failed; ${nextOf(retry)}: ${sanitizeLine(retry.error.message)}`;
}

/** A switch to another model does not wait. */
function nextOf({ delayMs }: RetryValue): string {
  return delayMs > 0 ? `next in ${formatSeconds(Math.ceil(delayMs / 1000))}` : 'trying again now';
}

export interface FooterState {
  readonly folder: string;
  readonly branch: string | undefined;
  readonly model: string;
  /** From 0 to 1; undefined before the first answer. */
  readonly contextUsed: number | undefined;
  readonly mode: ApprovalMode;
  readonly isTrusted: boolean;
  readonly queued: number;
  /** Commands that run in the background. */
  readonly inBackground?: number;
  /** In their order. */
  readonly items: readonly FooterItem[];
  /** The values of the items besides the above; absent when disabled. */
  readonly more?: Readonly<Partial<Record<FooterItem, string>>>;
}

const MODE_TEXTS: Readonly<Record<ApprovalMode, string>> = {
  default: '',
  autoEdit: 'accepting edits',
  yolo: 'YOLO mode',
  plan: 'plan mode',
};

/** Short, on the left, least important last: parts that do not fit are omitted from the end. */
export function renderFooter(state: FooterState, styles: Styles, width: number): string {
  const { mode, isTrusted, queued, inBackground = 0, items } = state;
  const parts: FooterPart[] = [
    [MODE_TEXTS[mode], mode === 'yolo' ? styles.error : styles.warning],
    ...items.map((item) => renderFooterItem(item, state, styles)),
    [isTrusted ? '' : 'untrusted', styles.warning],
    [inBackground === 0 ? '' : `${inBackground} in background`, styles.accent],
    [queued === 0 ? '' : `${queued} queued`, styles.accent],
  ];
  const shown = parts.filter(([text]) => text !== '');
  let row = '';
  for (const [text, style] of shown) {
    const next = row === '' ? `  ${style(text)}` : `${row}${styles.secondary(' · ')}${style(text)}`;
    if (rowWidth(next) > width && row !== '') break;
    row = next;
  }
  return cutRow(row, width);
}

/** Limits for the folder and its branch together. */
const MOST_FOLDER_CELLS = 44;
const MOST_BRANCH_CELLS = 24;

type FooterPart = [text: string, style: (text: string) => string];

function renderFooterItem(item: FooterItem, state: FooterState, styles: Styles): FooterPart {
  const { folder, branch, model, contextUsed, items, more } = state;
  const named = branch === undefined ? '' : sanitizeLine(branch);
  switch (item) {
    case 'workspace': {
      const suffix = named !== '' && items.includes('git-branch') ? ` (${shortenRow(named, MOST_BRANCH_CELLS)})` : '';
      return [`${shortenPath(sanitizeLine(folder), MOST_FOLDER_CELLS - rowWidth(suffix))}${suffix}`, styles.link];
    }
    case 'git-branch':
      // Beside the folder it is part of that item.
      return [items.includes('workspace') ? '' : named, styles.link];
    case 'model-name':
      return [sanitizeLine(model), styles.secondary];
    case 'context-used':
      return [
        contextUsed === undefined ? '' : `${Math.round(contextUsed * 100)}% used`,
        contextUsed !== undefined && contextUsed > 0.8 ? styles.warning : styles.secondary,
      ];
    default:
      return [sanitizeLine(more?.[item] ?? ''), styles.secondary];
  }
}

/** The end of a path is more useful than its beginning. */
function shortenPath(path: string, cells: number): string {
  if (rowWidth(path) <= cells) return path;
  let rest = path;
  while (rowWidth(rest) >= cells) rest = rest.slice([...graphemesIn(rest.slice(0, 64))][0]?.length ?? 1);
  return `…${rest}`;
}

export function formatSeconds(seconds: number): string {
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m ${whole % 60}s`;
}
