/** Says a call to a voice: one sentence with what it did, how it ended and how long it took; no sign without a word. Pure. */

import type { ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
import { withoutDots } from '../text/without-dots.ts';
import { blockOf, refusalOf, stateOf, titleOf, wordsOf } from './call-title.ts';

export interface CallFacts {
  /** How long it took, as the screen shows it. */
  readonly took?: string | undefined;
  readonly changes?: { readonly added: number; readonly removed: number } | undefined;
}

/** Folded rows, as the screen shows them. */
const FOLD = /^… (.+?)(?: · (.+))?$/;
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/(\d+)h/, 'hour'],
  [/(\d+)m/, 'minute'],
  [/([\d.]+) ?s/, 'second'],
];

export function sayHead(call: ToolCallView, { took, changes }: CallFacts): string {
  const { verb, object } = titleOf(call);
  const hasEnded = call.status === 'success' && call.kind === 'execute';
  const lines = hasEnded && typeof call.result === 'string' ? linesIn(call.result) : 0;
  const facts = [
    endingOf(call),
    changes && `${changes.added} added, ${changes.removed} removed`,
    took !== undefined && sayDuration(took),
    lines > 0 && countOf(lines, 'line'),
  ];
  // A task of an agent is a sentence.
  const name = [verb, withoutDots(object.replace(/\.$/, ''))].filter(Boolean).join(' ');
  return `${name}: ${facts.filter(Boolean).join(', ')}.`;
}

export function sayFold(row: string): string {
  const [, what, key] = FOLD.exec(row) ?? [];
  if (what === undefined) return row;
  return `${what} left out${key === undefined ? '' : `: ${key} shows them`}.`;
}

/** `1m 04s` is said as `1 minute 4 seconds`. */
function sayDuration(took: string): string {
  const parts = UNITS.flatMap(([pattern, unit]) => {
    const amount = pattern.exec(took)?.[1];
    return amount === undefined ? [] : [`${Number(amount)} ${unit}${Number(amount) === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? took : parts.join(' ');
}

function endingOf(call: ToolCallView): string {
  switch (stateOf(call)) {
    case 'worked':
      return 'done';
    case 'failed':
      return call.failure === undefined ? 'failed' : `failed, ${call.failure.replace(/^exit /, 'exit code ')}`;
    case 'blocked':
      return blockOf(wordsOf(call).trim()).replace(': ', ', ');
    case 'dropped':
      return refusedOrStopped(refusalOf(call));
    default:
      return 'running';
  }
}

function refusedOrStopped(refusal: string | undefined): string {
  if (refusal === undefined) return 'stopped';
  return refusal === '' ? 'refused by you' : `refused by you, ${refusal}`;
}

function linesIn(text: string): number {
  const trimmed = text.trim();
  return trimmed === '' ? 0 : trimmed.split('\n').length;
}
