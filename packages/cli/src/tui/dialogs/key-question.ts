/** Asks for a key, as dots, and whether it may be stored as plain text where the system has no keyring. */

import type { Asking } from './dialog-host.ts';
import { wrapRows } from '../text/wrap-rows.ts';

const LONGEST_KEY = 1_000;
/** No provider issues a shorter one; a shorter word is a message. */
const SHORTEST_KEY = 16;

/** Whether a word that was typed or pasted before its field was open is a key. */
export function looksLikeKey(word: string): boolean {
  return word.length >= SHORTEST_KEY && checkKey(word) === undefined;
}

/** Undefined when the user goes back. */
export async function askForKey(
  host: Asking,
  signal: AbortSignal,
  { name, storedIn }: { name: string; storedIn: string },
): Promise<string | undefined> {
  const key = await host.askText(
    {
      title: `Your ${name} key`,
      isSecret: true,
      body: ({ styles, width }) => wrapRows(styles.secondary(storedIn), { width: width - 4 }),
      check: checkKey,
    },
    signal,
  );
  return key?.trim();
}

/** Undefined when the user cancels. */
export function askAboutPlainText(
  host: Asking,
  signal: AbortSignal,
  file: string,
): Promise<'store' | 'once' | undefined> {
  return host.choose<'store' | 'once'>(
    {
      title: 'This system has no keyring. Where should the key be kept?',
      options: [
        { label: `As plain text in ${file}`, value: 'store', hint: 'only you can read it' },
        { label: 'Nowhere: use it until you exit', value: 'once' },
      ],
    },
    signal,
  );
}

function checkKey(text: string): string | undefined {
  const key = text.trim();
  if (key === '') return 'The key is empty.';
  return /^[\x21-\x7e]+$/.test(key) && key.length <= LONGEST_KEY
    ? undefined
    : 'Invalid key: expected one word of ASCII letters, digits and signs.';
}
