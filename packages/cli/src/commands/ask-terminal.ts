/** Asks for one line on the terminal outside the terminal UI, with an echo or, for a secret, without. */

import { StringDecoder } from 'node:string_decoder';

const LONGEST = 4096;
const CANCEL = new Set(['\u0003', '\u0004']);
const ERASE = new Set(['\u007f', '\b']);
const CLEAR = '\u0015';

/** Typed or pasted behind the end of a line. */
let rest = '';

export interface LineQuestion {
  text: string;
  isSecret?: boolean;
  /** Ends the question without an answer. */
  signal?: AbortSignal | undefined;
}

/** Undefined when the user cancels with Ctrl+C or Ctrl+D. */
export async function askLine({ text: question, isSecret = false, signal }: LineQuestion): Promise<string | undefined> {
  const { stdin, stderr } = process;
  const decoder = new StringDecoder('utf8');
  // Before the question is visible: what is typed at once must not be echoed.
  stdin.setRawMode(true);
  stdin.resume();
  stderr.write(question);
  try {
    return await new Promise<string | undefined>((resolve) => {
      let line = '';
      /** Whether the line is complete. */
      const take = (text: string): boolean => {
        for (const [index, character] of [...text].entries()) {
          if (CANCEL.has(character)) return end(undefined, '');
          if (character === '\r' || character === '\n') return end(line, [...text].slice(index + 1).join(''));
          if (ERASE.has(character)) line = line.slice(0, -1);
          else if (character === CLEAR) line = '';
          else if (character >= ' ' && line.length < LONGEST) {
            line += character;
            if (!isSecret) stderr.write(character);
          }
        }
        return false;
      };
      const end = (answer: string | undefined, left: string): true => {
        rest = left;
        stdin.off('data', onData);
        resolve(answer);
        return true;
      };
      signal?.addEventListener('abort', () => end(undefined, ''), { once: true });
      const onData = (chunk: Buffer) => void take(decoder.write(chunk));
      if (!take(rest)) {
        stdin.on('data', onData);
        stdin.once('end', () => end(undefined, ''));
      }
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}
