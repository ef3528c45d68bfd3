/**
 * The head of a call in words: what it does, to what, how it ended and why. The mark never lies: a check means that it
 * worked. Pure.
 */

import type { ToolCallView } from '@castor/core';
import { callWords } from '../../call-words.ts';
import type { CallWords } from '../../call-words.ts';
import { sanitizeLine } from '../../sanitize.ts';
import { rowWidth, shortenRow, stripStyles } from '../text/row-width.ts';
import type { Style, Styles } from '../theme/styles.ts';

/** Signs of a row, and the state each stands for. */
export type CallState = 'waiting' | 'running' | 'asked' | 'worked' | 'failed' | 'blocked' | 'dropped';

const MARKS: Readonly<Record<CallState, string>> = {
  waiting: '·',
  running: '▸',
  asked: '?',
  worked: '✓',
  failed: '✗',
  blocked: '!',
  dropped: '-',
};

/** Of the tool that runs commands. */
const STOPPED_COMMAND =
  /^Command was cancelled by user before it could complete\.(?: There was no output before it was cancelled\.)?\s*(?:Output before cancellation:\n)?/;
const LONGEST_REASON = 120;
const LEAST_OBJECT = 8;

export function titleOf({ name, display }: Pick<ToolCallView, 'name' | 'display'>): CallWords {
  const shown = { name: sanitizeLine(display.name || name), description: sanitizeLine(display.description) };
  return callWords(name, shown);
}

/** In a resumed transcript only the words tell that a call was kept from running. */
function isBlocked(call: ToolCallView): boolean {
  return call.error?.type === 'policy_violation' || BLOCKS.some(([pattern]) => pattern.test(wordsOf(call)));
}

/** Why a call failed. */
export function wordsOf({ error, result }: ToolCallView): string {
  return error?.message ?? (typeof result === 'string' ? result : '');
}

export function stateOf(call: ToolCallView): CallState {
  const { status, failure } = call;
  switch (status) {
    case 'validating':
    case 'scheduled':
      return 'waiting';
    case 'awaiting_approval':
      return 'asked';
    case 'executing':
      return 'running';
    case 'cancelled':
      return 'dropped';
    case 'error':
      return isBlocked(call) ? 'blocked' : 'failed';
    case 'success':
      return failure === undefined ? 'worked' : 'failed';
  }
}

export interface TitleOptions {
  readonly styles: Styles;
  readonly width: number;
  /** After a dot each, such as how long it took. */
  readonly facts?: readonly string[];
  /** Lines it changed, styled. */
  readonly counts?: string;
}

/** One row: mark, verb, object, and the reason of anything but success. Its object is cut, a path at its beginning. */
export function renderTitle(call: ToolCallView, { styles, width, facts = [], counts = '' }: TitleOptions): string {
  const state = stateOf(call);
  const { verb, object } = titleOf(call);
  const isStopped = state === 'dropped' && refusalOf(call) === undefined && facts.length > 0;
  const after = isStopped ? styles.secondary(` after ${facts.join(' · ')}`) : '';
  const why = `${tailOf(call, state, styles)}${after}${counts === '' ? '' : ` ${counts}`}`;
  const more = isStopped ? '' : facts.map((fact) => styles.secondary(` · ${fact}`)).join('');
  const lead = `${styleOf(state, styles)(MARKS[state])} ${styles.bold(verb)}`;
  const room = width - rowWidth(lead) - 1 - rowWidth(why);
  // The reason is always shown; how long it took gives way first.
  const tail = room - rowWidth(more) < LEAST_OBJECT ? why : `${why}${more}`;
  const cut = cutObject(object, Math.max(width - rowWidth(lead) - 1 - rowWidth(tail), 1), isPath(call));
  const head = cut === '' ? lead : `${lead} ${styles.primary(cut)}`;
  return shortenRow(`${head}${tail}`, width);
}

/** The reason of a refused call; undefined where it has none. */
export function refusalOf({ status, result }: ToolCallView): string | undefined {
  if (status !== 'cancelled' || typeof result !== 'string') return undefined;
  const match = /^\[Operation Cancelled\] User denied execution\.(?: The user said: (.*))?$/s.exec(result.trim());
  return match ? (match[1] ?? '').trim() : undefined;
}

/** Whether the row of a refused call has said these words whole: they are the next prompt, and need no second row. */
export function isToldBy(words: string, row: string | undefined): boolean {
  return row !== undefined && stripStyles(row).endsWith(` refused by you: "${words}"`);
}

/** Whether a result only repeats that the call was cancelled. */
export function isBareCancel({ status, result }: ToolCallView): boolean {
  if (status !== 'cancelled' || typeof result !== 'string') return false;
  return result.startsWith('[Operation Cancelled]') || withoutStop(result).trim() === '';
}

/** The output of a stopped command, without the sentence that its head has said. */
export function withoutStop(result: string): string {
  return result.replace(STOPPED_COMMAND, '');
}

function tailOf(call: ToolCallView, state: CallState, styles: Styles): string {
  const { failure } = call;
  if (failure !== undefined) return styles.error(` ${sanitizeLine(failure)}`);
  if (state === 'blocked') return styles.warning(` ${blockOf(wordsOf(call))}`);
  if (state !== 'dropped') return '';
  const refusal = refusalOf(call);
  if (refusal === undefined) return styles.secondary(' stopped');
  if (call.name === 'ask_user') return styles.secondary(' not answered');
  return styles.secondary(refusal === '' ? ' refused by you' : ` refused by you: "${shortReason(refusal)}"`);
}

/** Who keeps a call from running, as core words it. */
const BLOCKS: readonly (readonly [RegExp, string])[] = [
  [/^Tool execution denied by policy\.\s*(?:\w+: )?/, 'not run: policy'],
  [/^Tool execution blocked:\s*/, 'not run: hook'],
  [/^Tool result blocked:\s*/, 'result withheld: hook'],
];

/** Who refused a call, and why. */
export function blockOf(message: string): string {
  const [pattern, who] = BLOCKS.find(([each]) => each.test(message)) ?? [/^/, 'not run'];
  const why = shortReason(message.replace(pattern, ''));
  return why === '' ? who : `${who}: ${why}`;
}

function shortReason(text: string): string {
  const line = sanitizeLine(text);
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line;
}

const PATH_TOOLS: ReadonlySet<string> = new Set([
  ...['read_file', 'write_file', 'replace', 'list_directory'],
  'exit_plan_mode',
]);

/** Whether its object is the path of a file or folder. */
export function isPath({ name }: ToolCallView): boolean {
  return PATH_TOOLS.has(name);
}

function cutObject(object: string, room: number, fromStart: boolean): string {
  if (rowWidth(object) <= room) return object;
  return fromStart ? `…${object.slice(-(room - 1))}` : shortenRow(object, room);
}

function styleOf(state: CallState, styles: Styles): Style {
  switch (state) {
    case 'worked':
      return styles.success;
    case 'failed':
      return styles.error;
    case 'blocked':
    case 'asked':
      return styles.warning;
    case 'running':
      return styles.accent;
    case 'waiting':
    case 'dropped':
      return styles.secondary;
  }
}
