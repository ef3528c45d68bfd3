/** Asks how to reach a model: with a key, on this machine, or not at all. Short, and sends nothing anywhere. */

import type { Asking } from './dialog-host.ts';
import type { SelectOption } from './select-dialog.ts';
import { wrapRows } from '../text/wrap-rows.ts';

export type FirstRunAnswer =
  | { kind: 'key'; provider: string }
  | { kind: 'local' }
  | { kind: 'offline' }
  | { kind: 'leave' };

const KEYS: readonly SelectOption<string>[] = [
  { label: 'Paste a Gemini API key', value: 'gemini', hint: 'https://aistudio.google.com/apikey, free' },
  { label: 'Paste an Anthropic API key', value: 'anthropic', hint: 'https://console.anthropic.com' },
  { label: 'Paste an OpenAI API key', value: 'openai', hint: 'https://platform.openai.com' },
  { label: 'Paste an OpenRouter API key', value: 'openrouter', hint: 'https://openrouter.ai/keys' },
  { label: 'Look for a model on this machine', value: 'local', hint: 'Ollama, LM Studio, llama.cpp, vLLM' },
];

export interface AccessQuestion {
  /** The error of the previous answer. */
  readonly problem?: string | undefined;
  /** False: neither a key nor a local server would be accepted. */
  readonly isKeyEnough?: boolean;
  /** The label for cancelling. */
  readonly leave: string;
}

const KEPT = 'What you pasted waits for the key you choose here.';

export async function askForAccess(
  host: Asking,
  signal: AbortSignal,
  { problem, isKeyEnough = true, leave }: AccessQuestion,
): Promise<FirstRunAnswer> {
  const choice = await host.choose<string>(
    {
      title: 'How should Castor connect to a model?',
      body: ({ width, styles }) => [
        ...(problem === undefined ? [] : wrapRows(styles.warning(problem), { width: width - 4 })),
        ...(host.hasKept === true ? wrapRows(styles.secondary(KEPT), { width: width - 4 }) : []),
      ],
      options: [
        ...(isKeyEnough ? KEYS : []),
        { label: 'Try the built-in offline model', value: 'offline', hint: 'fixed rules, no network' },
        { label: leave, value: 'leave' },
      ],
      escape: 'leave',
    },
    signal,
  );
  switch (choice) {
    case 'offline':
    case 'local':
      return { kind: choice };
    case 'leave':
    case undefined:
      return { kind: 'leave' };
    default:
      return { kind: 'key', provider: choice };
  }
}
