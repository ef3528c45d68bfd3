/** Asks for a missing model key: paste one, or look around without one. Short, and sends nothing anywhere. */

import type { DialogHost } from './dialog-host.ts';
import { wrapRows } from '../render/wrap-rows.ts';

export type FirstRunAnswer = { kind: 'key'; key: string } | { kind: 'offline' } | { kind: 'leave' };

const PASTE = {
  label: 'Paste a Gemini API key',
  value: 'key',
  hint: 'free at https://aistudio.google.com/apikey',
} as const;

const LONGEST_KEY = 1_000;

export interface AccessQuestion {
  /** The error of the previous answer. */
  readonly problem?: string | undefined;
  /** False: a pasted key would change nothing. */
  readonly isKeyEnough?: boolean;
  /** The label for cancelling. */
  readonly leave: string;
}

export async function askForAccess(
  host: DialogHost,
  signal: AbortSignal,
  { problem, isKeyEnough = true, leave }: AccessQuestion,
): Promise<FirstRunAnswer> {
  while (!signal.aborted) {
    const choice = await host.choose<'key' | 'offline' | 'leave'>(
      {
        title: 'How should Castor connect to a model?',
        ...(problem !== undefined && {
          body: ({ width, styles }) => wrapRows(styles.warning(problem), { width: width - 4 }),
        }),
        options: [
          ...(isKeyEnough ? [PASTE] : []),
          { label: 'Try the built-in offline model', value: 'offline', hint: 'fixed rules, no network' },
          { label: leave, value: 'leave' },
        ],
        escape: 'leave',
      },
      signal,
    );
    if (choice === 'offline') return { kind: 'offline' };
    if (choice !== 'key') return { kind: 'leave' };
    const key = await host.askText(
      {
        title: 'Your Gemini API key',
        isSecret: true,
        body: ({ styles }) => [styles.secondary('Castor stores it in ~/.gemini/.env, which only you can read.')],
        check: checkKey,
      },
      signal,
    );
    if (key !== undefined) return { kind: 'key', key: key.trim() };
  }
  return { kind: 'leave' };
}

function checkKey(text: string): string | undefined {
  const key = text.trim();
  if (key === '') return 'The key is empty.';
  return /^[\x21-\x7e]+$/.test(key) && key.length <= LONGEST_KEY
    ? undefined
    : 'Invalid key: expected one word of ASCII letters, digits and signs.';
}
