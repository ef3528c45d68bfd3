/** Renders a call for the user: its head, and below it the part of its result that matters. Pure. */

import type { ShownResult, ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
import { sanitize } from '../../sanitize.ts';
import { liveTail } from '../command-screen/live-tail.ts';
import type { ScreenPicture } from '../command-screen/screen-rows.ts';
import { windowOf } from '../command-screen/screen-window.ts';
import { renderDiff } from '../render/diff.ts';
import { countChanges } from '../render/parse-diff.ts';
import type { Grammars } from '../render/highlight.ts';
import { cutRow, shortenRow } from '../text/row-width.ts';
import { breakRow, expandTabs, wrapRows } from '../text/wrap-rows.ts';
import type { Styles } from '../theme/styles.ts';
import { factsOfAgent } from './agent-row.ts';
import { isBareCancel, isPath, renderTitle, stateOf, titleOf, withoutStop } from './call-title.ts';
import { sayFold, sayHead } from './say-call.ts';
import { withWordsForUser } from './words-of-failure.ts';

export interface ToolCallOptions {
  readonly styles: Styles;
  readonly width: number;
  /** Rows of a result; the rest is counted. */
  readonly maxRows: number;
  /** Shows whole results up to `maxRows`, not only the part that matters. */
  readonly isWhole?: boolean;
  /** Long lines go on in the next row. Default: where results are whole; else they are cut. */
  readonly wraps?: boolean;
  /** The key that shows the rest. */
  readonly moreKey?: string | undefined;
  /** Before the lines of a diff. Default true. */
  readonly lineNumbers?: boolean;
  /** The screen of the command it runs; shown instead of its output. */
  readonly screen?: ScreenPicture | undefined;
  /** How long it took, in words; shown where it is long. */
  readonly took?: string | undefined;
  readonly grammars?: Grammars | undefined;
}

/** So few lines are a message rather than a listing. */
const FEW_LINES = 2;
const MOST_ROWS_OF_FEW = 4;
/** Rows of a result that worked, and of one that failed: first and last. */
const WORKED_ROWS = 4;
const FAILED_ROWS = { head: 2, tail: 8 };
/** Without what ends a sentence. */
const ABSOLUTE_PATH = /(?<!\S)(?:[A-Za-z]:)?[\\/]\S*[^\s.,;:]/g;
/** Lines that only a spinner wrote. */
const SPINNER_LINE = /^[\s⠀-⣿|/\\-]*$/u;

export function renderToolCall(call: ToolCallView, options: ToolCallOptions): string[] {
  if (options.styles.isSpoken) return sayCall(call, options);
  return [renderHead(call, options), ...renderBody(call, options)];
}

export function renderHead(given: ToolCallView, { styles, width, took }: ToolCallOptions): string {
  const call = withPlan(given);
  const changes = changesOf(call);
  const facts = call.name === 'invoke_agent' ? factsOfAgent(call, took) : took === undefined ? [] : [took];
  return renderTitle(call, { styles, width, facts, counts: changes ? countText(changes, styles) : '' });
}

/** A changed plan is one row: how far it is, and the step under way. */
function withPlan(call: ToolCallView): ToolCallView {
  const { result, display } = call;
  if (typeof result !== 'object' || !('todos' in result)) return call;
  const { todos } = result;
  const done = todos.filter(({ status }) => status === 'completed').length;
  const current = todos.find(({ status }) => status === 'in_progress')?.description;
  const description = [`${done} of ${todos.length}`, current].filter(Boolean).join(': ');
  return { ...call, display: { ...display, description: todos.length === 0 ? 'cleared' : description } };
}

/** `+62 −1`; an empty side is left out. */
export function countText({ added, removed }: { added: number; removed: number }, styles: Styles): string {
  const parts = [added > 0 && styles.success(`+${added}`), removed > 0 && styles.error(`−${removed}`)];
  return parts.filter(Boolean).join(' ');
}

export function changesOf({ result, status }: ToolCallView): { added: number; removed: number } | undefined {
  if (status !== 'success' || typeof result !== 'object' || !('fileDiff' in result)) return undefined;
  return countChanges(result.fileDiff);
}

function renderBody(given: ToolCallView, options: ToolCallOptions): string[] {
  const call = isToldAnew(given) ? toldAnew(given, options) : given;
  const { status, result, output, omittedOutput, error, outputFile } = call;
  const { styles } = options;
  const inner = { ...options, width: Math.max(options.width - 4, 10) };
  if (stateOf(call) === 'blocked' || isBareCancel(call)) return [];
  const isDiff = typeof result === 'object' && 'fileDiff' in result;
  if (isDiff && status === 'success') return renderDiffResult(result, { ...options, width: options.width - 2 });
  const rows: string[] = [];
  if (result !== undefined) rows.push(...renderResult(call, result, inner));
  else if (options.screen) rows.push(...renderScreen(options.screen, inner));
  else if (output !== '') rows.push(...renderTail(output, inner, omittedOutput));
  const message = error?.message.trim();
  if (message && status !== 'cancelled' && result !== message)
    rows.push(...wrapRows(styles.error(sanitize(expandTabs(message))), inner).slice(0, options.maxRows));
  if (outputFile !== undefined)
    rows.push(shortenRow(styles.secondary(`full output: ${sanitize(outputFile)}`), inner.width));
  return hang(rows, styles);
}

/** Of others the words are results: they are shown as they are. */
function isToldAnew({ status, name }: ToolCallView): boolean {
  return status === 'error' || name === 'exit_plan_mode';
}

function toldAnew(call: ToolCallView, { isWhole = false }: ToolCallOptions): ToolCallView {
  return withShortPath(isWhole ? call : withWordsForUser(call));
}

/** Its head names the file: its error need not tell where the workspace is. */
function withShortPath(call: ToolCallView): ToolCallView {
  const { object } = titleOf(call);
  if (!isPath(call) || object === '') return call;
  const shorten = (text: string) =>
    text.replaceAll(ABSOLUTE_PATH, (path) =>
      /[\\/]$/.test(path.slice(0, -object.length)) && path.endsWith(object) ? object : path,
    );
  const { result, error } = call;
  return {
    ...call,
    ...(typeof result === 'string' && { result: shorten(result) }),
    ...(error && { error: { ...error, message: shorten(error.message) } }),
  };
}

/** A result hangs under its call. */
export function hang(rows: readonly string[], styles: Styles): string[] {
  return rows.map((row, index) => (index === 0 ? `  ${styles.secondary('└')} ${row}` : `    ${row}`).trimEnd());
}

function renderDiffResult(result: Extract<ShownResult, { fileDiff: string }>, options: ToolCallOptions): string[] {
  const { styles, width, moreKey, lineNumbers = true, isWhole = false, maxRows, grammars } = options;
  const rows = renderDiff(result.fileDiff, {
    styles,
    width,
    moreKey,
    lineNumbers,
    grammars,
    fileName: result.fileName,
    wraps: isWhole,
    indent: '  ',
    maxRows: isWhole ? maxRows : Math.max(Math.min(maxRows * 3, 40), 12),
  });
  return rows;
}

function renderResult(call: ToolCallView, result: ShownResult, options: ToolCallOptions): string[] {
  const { styles, width } = options;
  if (typeof result === 'string') return renderText(call, withoutStop(result), options);
  if ('fileDiff' in result) return [];
  if ('todos' in result) return [];
  return wrapRows(styles.secondary(sanitize(result.summary)), { width });
}

function renderText(call: ToolCallView, text: string, options: ToolCallOptions): string[] {
  const { styles, width, maxRows, isWhole = false, wraps = isWhole } = options;
  const lines = trimLines(sanitize(expandTabs(text)).split('\n'));
  const style = call.status === 'error' ? styles.error : styles.secondary;
  const fit = (line: string) =>
    wraps ? breakRow(line.slice(0, maxRows * width).toWellFormed(), width) : [shortenRow(line, width)];
  const show = (some: readonly string[]) => some.flatMap((line) => fit(line).map((row) => style(row)));
  if (lines.length === 0) return [];
  if (lines.length <= FEW_LINES && !wraps)
    return lines.flatMap((line) => wrapFew(line, width, maxRows).map((row) => style(row)));
  const [head, tail] = rowsOf(call, isWhole, maxRows);
  const left = lines.length - head - tail;
  if (left <= 1) return show(lines);
  const fold = shortenRow(styles.secondary(`… ${countOf(left, 'line')}${keyHint(options.moreKey)}`), width);
  return [...show(lines.slice(0, head)), fold, ...(tail === 0 ? [] : show(lines.slice(-tail)))];
}

/** How many of its first and last rows are shown: the result of a command stands last, its failure needs more. */
function rowsOf(call: ToolCallView, isWhole: boolean, maxRows: number): [head: number, tail: number] {
  if (isWhole) return [Math.floor(maxRows / 3), Math.max(maxRows - Math.floor(maxRows / 3) - 1, 1)];
  if (stateOf(call) === 'failed') return [FAILED_ROWS.head, FAILED_ROWS.tail];
  return call.kind === undefined || call.kind === 'execute' ? [0, WORKED_ROWS] : [WORKED_ROWS, 0];
}

/** Without empty lines and those of a spinner at both ends. */
function trimLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => !SPINNER_LINE.test(line));
  const last = lines.findLastIndex((line) => !SPINNER_LINE.test(line));
  return first < 0 ? [] : lines.slice(first, last + 1);
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
  const { lines, hidden } = liveTail(output.trimEnd(), { rows: maxRows, width });
  const shown = lines.map((line) => styles.secondary(shortenRow(line, width)));
  return hidden > 0 || omitted > 0 ? withCount(shown, { hidden, isMore: omitted > 0, maxRows, styles }) : shown;
}

/** Where rows are missing, the first is a count of them; `isMore`: of some not even the number is known. */
function withCount(
  shown: readonly string[],
  { hidden, isMore, maxRows, styles }: { hidden: number; isMore: boolean; maxRows: number; styles: Styles },
): string[] {
  const end = shown.slice(-Math.max(maxRows - 1, 1));
  const count = countOf(hidden + shown.length - end.length, 'line');
  return [styles.secondary(`… ${isMore ? 'over ' : ''}${count}`), ...end];
}

function renderScreen(screen: ScreenPicture, { styles, width, maxRows }: ToolCallOptions): string[] {
  const whole = withoutEmptyEnd(screen);
  const { rows, hidden } = windowOf(whole, maxRows);
  const shown = rows.map((row) => cutRow(row, width));
  return hidden > 0 ? withCount(shown, { hidden, isMore: false, maxRows, styles }) : shown;
}

/** The row that a log goes on in is empty most of the time: it would stand as a gap before what follows. */
function withoutEmptyEnd(screen: ScreenPicture): ScreenPicture {
  const { rows, cursor, isWhole } = screen;
  const last = rows.findLastIndex((row) => row.trim() !== '');
  if (isWhole || last < 0 || last === rows.length - 1 || cursor.row !== rows.length - 1) return screen;
  return { ...screen, rows: rows.slice(0, last + 1), cursor: { ...cursor, row: last } };
}

function keyHint(key: string | undefined): string {
  return key === undefined ? '' : ` · ${key}`;
}

/** Each state once, in words. */
function sayCall(given: ToolCallView, options: ToolCallOptions): string[] {
  const call = withPlan(given);
  const changes = changesOf(call);
  return [sayHead(call, { took: options.took, changes }), ...sayBody(call, options)];
}

function sayBody(call: ToolCallView, options: ToolCallOptions): string[] {
  const { result } = call;
  // Its head has named the file and counted the lines.
  if (changesOf(call) && typeof result === 'object' && 'fileDiff' in result)
    return renderDiff(result.fileDiff, options).slice(1);
  const rows = renderBody(call, { ...options, wraps: true, styles: { ...options.styles, isSpoken: false } });
  return rows.map((row) => sayFold(row.replace(/^(?: {2}└ | {4})/, '')));
}
