/** Renders a call for the user: its mark, its action, its result; short. Pure. */

import type { ShownResult, ToolCallStatus, ToolCallView } from '@castor/core';
import { sanitize, sanitizeLine } from '../../sanitize.ts';
import { cutRow, shortenRow } from '../terminal/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import { keyHint, renderDiff } from './diff.ts';
import { liveTail } from './live-tail.ts';
import type { ScreenPicture } from './screen-rows.ts';
import { windowOf } from './screen-window.ts';
import { renderTodos } from './todos.ts';
import { expandTabs, wrapRows } from './wrap-rows.ts';
import { countOf } from '@castor/core/program';

export interface ToolCallOptions {
  readonly styles: Styles;
  readonly width: number;
  /** Rows of a result; the rest is counted. */
  readonly maxRows: number;
  /** The key that shows the rest. */
  readonly moreKey?: string | undefined;
  /** Before the lines of a diff. Default true. */
  readonly lineNumbers?: boolean;
  /** Replaces the mark of a running call. */
  readonly spinner?: string;
  /** The screen of the command it runs; shown instead of its output. */
  readonly screen?: ScreenPicture | undefined;
}

/** So few lines are a message rather than a listing. */
const FEW_LINES = 2;
const MOST_ROWS_OF_FEW = 4;

const MARKS: Readonly<Record<ToolCallStatus, string>> = {
  validating: 'o',
  scheduled: 'o',
  awaiting_approval: '?',
  executing: '⊷',
  success: '✓',
  cancelled: '-',
  error: '✗',
};

export function renderToolCall(call: ToolCallView, options: ToolCallOptions): string[] {
  return [renderHead(call, options), ...renderBody(call, options).map((row) => `  ${row}`)];
}

export function renderHead(
  { status, name, display, failure }: ToolCallView,
  { styles, width, spinner }: ToolCallOptions,
): string {
  const seen = failure === undefined ? status : 'error';
  const mark = status === 'executing' && spinner !== undefined ? spinner : MARKS[seen];
  // Visible at any width: it explains the mark of the call.
  const ending = failure === undefined ? '' : ` ${sanitizeLine(failure)}`;
  const title = sanitizeLine(display.name || name);
  const whole = sanitizeLine(display.description);
  // Many descriptions begin with the tool's own name: once is enough.
  const description = whole.startsWith(`${title} `) ? whole.slice(title.length + 1) : whole;
  const styled = status === 'cancelled' ? styles.strike(title) : styles.bold(title);
  const head = `${markStyle(seen, styles)(mark)} ${styled} ${styles.secondary(description)}`.trimEnd();
  const row = shortenRow(head, Math.max(width - ending.length, 1));
  return ending === '' ? row : `${row}${styles.error(ending)}`;
}

function markStyle(status: ToolCallStatus, styles: Styles): (text: string) => string {
  if (status === 'success') return styles.success;
  if (status === 'error') return styles.error;
  if (status === 'awaiting_approval') return styles.warning;
  return status === 'executing' ? styles.link : styles.secondary;
}

function renderBody(
  { status, result, output, omittedOutput, error, outputFile }: ToolCallView,
  options: ToolCallOptions,
): string[] {
  const { styles } = options;
  const width = Math.max(options.width - 2, 10);
  const rows: string[] = [];
  if (result !== undefined) rows.push(...renderResult(result, { ...options, width }, status === 'error'));
  else if (options.screen) rows.push(...renderScreen(options.screen, { ...options, width }));
  else if (output !== '') rows.push(...renderTail(output, { ...options, width }, omittedOutput));
  const message = error?.message.trim();
  if (message && status !== 'cancelled' && result !== message) {
    rows.push(...wrapRows(styles.error(sanitize(expandTabs(message))), { width }).slice(0, options.maxRows));
  }
  if (outputFile !== undefined) rows.push(shortenRow(styles.secondary(`full output: ${sanitize(outputFile)}`), width));
  return rows;
}

function renderResult(result: ShownResult, options: ToolCallOptions, isError: boolean): string[] {
  const { styles, width } = options;
  if (typeof result === 'string') return renderText(result, options, isError);
  if ('fileDiff' in result)
    return renderDiff(result.fileDiff, {
      styles,
      width,
      maxRows: Math.max(options.maxRows * 2, 12),
      moreKey: options.moreKey,
      lineNumbers: options.lineNumbers ?? true,
    });
  if ('todos' in result) return renderTodos(result.todos, { styles, width });
  return wrapRows(styles.secondary(sanitize(result.summary)), { width });
}

/** The beginning and the end: the result of a command stands last. */
function renderText(text: string, { styles, width, maxRows, moreKey }: ToolCallOptions, isError: boolean): string[] {
  const lines = sanitize(expandTabs(text)).trim().split('\n');
  const style = isError ? styles.error : styles.secondary;
  const show = (some: readonly string[]) => some.map((line) => style(shortenRow(line, width)));
  if (lines.length === 1 && lines[0] === '') return [];
  if (lines.length <= FEW_LINES) return lines.flatMap((line) => wrapFew(line, width, maxRows).map((row) => style(row)));
  if (lines.length <= maxRows) return show(lines);
  const head = Math.floor(maxRows / 3);
  const tail = Math.max(maxRows - head - 1, 1);
  const left = lines.length - head - tail;
  return [
    ...show(lines.slice(0, head)),
    styles.secondary(`… ${countOf(left, 'more line')}${keyHint(moreKey)} …`),
    ...show(lines.slice(-tail)),
  ];
}

/**
 * Short messages are shown to their end, such as why something was not done; of a long text the beginning is enough.
 */
function wrapFew(line: string, width: number, maxRows: number): string[] {
  const most = Math.max(Math.min(maxRows, MOST_ROWS_OF_FEW), 1);
  // No more than is visible, and one row to detect that there is more.
  const rows = wrapRows(line.slice(0, (most + 1) * width).toWellFormed(), { width });
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), shortenRow(`${rows[most - 1]}…`, width)];
}

/** For a running call the end matters. */
function renderTail(output: string, { styles, width, maxRows }: ToolCallOptions, omitted: number): string[] {
  const { lines, isCut } = liveTail(output.trimEnd(), { rows: maxRows, width });
  const shown = lines.map((line) => styles.secondary(shortenRow(line, width)));
  return isCut || omitted > 0 ? [styles.secondary('…'), ...shown.slice(-Math.max(maxRows - 1, 1))] : shown;
}

function renderScreen(screen: ScreenPicture, { styles, width, maxRows }: ToolCallOptions): string[] {
  const { rows, isCut } = windowOf(screen, maxRows);
  const shown = rows.map((row) => cutRow(row, width));
  return isCut ? [styles.secondary('…'), ...shown.slice(-Math.max(maxRows - 1, 1))] : shown;
}
