/**
 * Lays the frame out as sections of rows, top to bottom, cut so that together they are never taller than the terminal.
 * It decides how many rows each section gets; it draws nothing itself. Pure.
 */

import { StreamingState } from '@castor/core';
import type { PendingCall, RetryValue, Todo } from '@castor/core';
import { sanitize } from '../sanitize.ts';
import type { Dialog, DialogView } from './dialogs/dialog.ts';
import type { ScreenPicture } from './render/screen-rows.ts';
import { SPINNER, renderFooter, renderLoading } from './render/status-rows.ts';
import type { FooterState } from './render/status-rows.ts';
import { renderTodos } from './render/todos.ts';
import { renderHead, renderToolCall } from './render/tool-call.ts';
import type { Size } from './terminal/painter.ts';
import { shortenRow } from './terminal/row-width.ts';
import type { Styles } from './theme/styles.ts';

export interface FrameState {
  readonly size: Size;
  readonly styles: Styles;
  /** All rows of the answer that may still change. */
  readonly answer: (maxRows: number) => readonly string[];
  /** The last row above the frame is empty. */
  readonly isBelowGap?: boolean;
  readonly calls: readonly PendingCall[];
  /** The screen of a command that has one, and has written to it. */
  readonly screenOf?: (call: PendingCall) => ScreenPicture | undefined;
  readonly streaming: StreamingState;
  /** The call shown elsewhere: its command has the focus. */
  readonly focusedCallId?: string | undefined;
  /** Further keys while it works. */
  readonly keyHints?: readonly string[];
  /** What Esc does, where it does not cancel. */
  readonly escapes?: string | undefined;
  /** Why the model cannot be asked. */
  readonly initError?: string | undefined;
  readonly thought: string | undefined;
  readonly retry: RetryValue | undefined;
  readonly elapsedMs: number;
  readonly showsSpinner: boolean;
  readonly dialog: Dialog | undefined;
  readonly todos: readonly Todo[];
  readonly queue: readonly string[];
  /** Text on its way that is not in the transcript yet. */
  readonly preparing?: string | undefined;
  /** Whether todos and queue stay visible beside a question. */
  readonly keepsDrawer: boolean;
  readonly toast: string | undefined;
  readonly footer: FooterState | undefined;
  /** Where the rows go that usually stand below the composer; see AGENTS.md. Default: below. */
  readonly statusPlace?: 'above' | 'below';
  /** Rows the composer takes. */
  readonly composerHeight: number;
}

export interface FrameSections {
  readonly answer: readonly string[];
  readonly calls: readonly string[];
  readonly todos: readonly string[];
  readonly loading: readonly string[];
  readonly queue: readonly string[];
  readonly above: readonly string[];
  /** Replaces the composer. */
  readonly dialog: DialogView | undefined;
  readonly below: readonly string[];
}

/**
 * Rows of an answer that may still change; mostly there is one. This also bounds what a resize may leave behind of
 * them.
 */
const MOST_ANSWER_ROWS = 4;
const MOST_QUEUED = 3;
/** In a lower terminal, an empty row is one row too many. */
const ROOM_FOR_GAPS = 12;
/** Rows below the caret are short; see AGENTS.md. */
const MOST_CELLS_BELOW = 70;
const SPINNER_MS = 100;

export function layoutFrame(state: FrameState): FrameSections {
  const { size, styles } = state;
  const width = size.columns - 1;
  const status = statusRows(state, width);
  const isAbove = state.statusPlace === 'above';
  const around = { above: isAbove ? status : [], below: isAbove ? [] : status };
  const isBusy = state.streaming !== StreamingState.Idle;
  const gap = size.rows < ROOM_FOR_GAPS ? [] : [''];
  const loading = isBusy && !state.dialog ? [...gap, renderLoading(loadingOf(state), styles, width)] : gap;
  let left = size.rows - 1 - status.length - loading.length;
  if (state.dialog) {
    const dialog = cutDialog(state.dialog.view({ styles, width, maxRows: Math.max(left, 3) }), Math.max(left, 3));
    left -= dialog.rows.length;
    const calls = renderCalls(state, width, Math.max(0, Math.min(left - 1, 6)));
    left -= calls.length;
    const queue = state.keepsDrawer ? renderQueue(state, width).slice(0, Math.max(left, 0)) : [];
    const todos = state.keepsDrawer ? todoRows(state, width, left - queue.length) : [];
    return { answer: [], calls: withOneGap(calls, state), todos, loading, queue, dialog, ...around };
  }
  left -= state.composerHeight;
  const queue = renderQueue(state, width).slice(0, Math.max(left, 0));
  left -= queue.length;
  const todos = todoRows(state, width, left - 4);
  left -= todos.length;
  const calls = renderCalls(state, width, Math.max(0, Math.min(left - 1, Math.ceil(size.rows / 2))));
  left -= calls.length;
  const answer = state.answer(Math.max(0, Math.min(left, MOST_ANSWER_ROWS, Math.ceil(size.rows / 4))));
  const below = answer.length > 0 ? calls : withOneGap(calls, state);
  return { answer, calls: below, todos, loading, queue, dialog: undefined, ...around };
}

/** The answers stand at the end: rows that do not fit are left out above. */
function cutDialog({ rows, caret }: DialogView, most: number): DialogView {
  const excess = Math.max(rows.length - most, 0);
  return { rows: rows.slice(excess), ...(caret && { caret: { ...caret, row: caret.row - excess } }) };
}

function todoRows({ todos, styles }: FrameState, width: number, most: number): string[] {
  return todos.length === 0
    ? []
    : ['', ...renderTodos(todos, { styles, width })].slice(0, Math.max(Math.min(most, 10), 0));
}

function loadingOf({ elapsedMs, thought, retry, showsSpinner, keyHints = [], escapes }: FrameState) {
  const frame = showsSpinner ? (SPINNER[Math.floor(elapsedMs / SPINNER_MS) % SPINNER.length] ?? '·') : '·';
  return { frame, thought, retry, keyHints, escapes, elapsedSeconds: elapsedMs / 1000 };
}

function statusRows({ toast, footer, initError, styles }: FrameState, width: number): string[] {
  if (toast !== undefined) return [shortenRow(styles.warning(`  ${toast}`), width)];
  if (initError !== undefined) {
    const reason = sanitize(initError).replaceAll(/\s+/g, ' ');
    return [shortenRow(styles.error(`  No agent: ${reason}`), Math.min(width, MOST_CELLS_BELOW))];
  }
  return footer ? [renderFooter(footer, styles, width)] : [];
}

function renderQueue({ queue, preparing, styles }: FrameState, width: number): string[] {
  // Only the visible part: it is drawn with every frame, and may be a pasted file.
  const toRow = (text: string) => {
    const words = sanitize(text.slice(0, width * 8).toWellFormed()).replaceAll(/\s+/g, ' ');
    return shortenRow(styles.secondary(`  ⧗ ${words}`), width);
  };
  const underWay = preparing === undefined ? [] : [toRow(preparing)];
  if (queue.length === 0) return underWay;
  const more = queue.length > MOST_QUEUED ? `${queue.length - MOST_QUEUED} more · ` : '';
  const hint = shortenRow(styles.secondary(`  ${more}enter: send now · up: edit`), width);
  return [...underWay, ...queue.slice(0, MOST_QUEUED).map(toRow), hint];
}

/** Every call gets at least its head while there is room; the remaining rows go to calls with output. */
function renderCalls(state: FrameState, width: number, most: number): string[] {
  const { calls, styles, elapsedMs, showsSpinner, focusedCallId, screenOf } = state;
  if (calls.length === 0 || most < 2) return [];
  const spinner = showsSpinner ? { spinner: SPINNER[Math.floor(elapsedMs / SPINNER_MS) % SPINNER.length] ?? '⊷' } : {};
  const heads = Math.min(calls.length, most - 1);
  const prints = ({ status, callId }: PendingCall) => status === 'executing' && callId !== focusedCallId;
  const running = calls.filter((call) => prints(call) && (call.output !== '' || hasRows(screenOf?.(call)))).length;
  const maxRows = running === 0 ? 0 : Math.max(0, Math.min(10, Math.floor((most - 1 - heads) / running)));
  const rows = calls.slice(0, heads).flatMap((call) => {
    const options = { styles, width, maxRows, ...spinner };
    if (maxRows === 0 || !prints(call)) return [renderHead(call, options)];
    return renderToolCall(call, { ...options, screen: screenOf?.(call) });
  });
  return ['', ...rows].slice(0, most);
}

function withOneGap(rows: readonly string[], { isBelowGap }: FrameState): readonly string[] {
  return isBelowGap && rows[0] === '' ? rows.slice(1) : rows;
}

function hasRows(screen: ScreenPicture | undefined): boolean {
  return screen !== undefined && screen.rows.length > 0;
}
