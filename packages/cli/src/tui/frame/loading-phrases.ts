/**
 * The phrases shown while the agent works and has no thought to show: tips, or small talk, as `ui.loadingPhrases`
 * configures.
 */

import type { Settings } from '@castor/core/program';

/** How long one phrase is shown. */
const PHRASE_MS = 15_000;

const TIPS: readonly string[] = [
  '@ and a part of a name attaches a file',
  '! runs a command in your shell',
  'Shift+Tab changes the approval mode',
  'Esc cancels the answer and restores queued prompts',
  '/compress frees context in a long conversation',
  'Ctrl+O expands the last results',
  'castor --resume resumes the latest session',
  '/stats shows tokens and cost',
].map((tip) => `Tip: ${tip}`);

const SMALL_TALK: readonly string[] = [
  'Gnawing through the log',
  'Damming the stream',
  'Sharpening teeth',
  'Carrying branches upstream',
  'Checking the lodge for leaks',
  'Counting the rings',
  'Patting it down with the tail',
].map((phrase) => `${phrase}…`);

/** Empty where phrases are disabled. */
export function loadingPhrases({ loadingPhrases: kind, customWittyPhrases }: Settings['ui']): readonly string[] {
  const own = customWittyPhrases.map((phrase) => phrase.trim()).filter((phrase) => phrase !== '');
  const witty = own.length > 0 ? own : SMALL_TALK;
  switch (kind) {
    case 'off':
      return [];
    case 'tips':
      return TIPS;
    case 'witty':
      return witty;
    case 'all':
      return witty.flatMap((phrase, index) => [phrase, ...(TIPS[index] === undefined ? [] : [TIPS[index]])]);
  }
}

export function phraseAt(phrases: readonly string[], elapsedMs: number): string | undefined {
  return phrases[Math.floor(elapsedMs / PHRASE_MS) % phrases.length];
}
