/** Asks about extensions: consent to what one would run, and values of settings. */

import { makeVisible } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost, HeldKeyboard } from './dialog-host.ts';

export function extensionQuestions(dialogs: DialogHost, signal: AbortSignal) {
  let held: HeldKeyboard | undefined;
  return {
    /** For several values: nothing that is typed from the first to the last is a message. */
    hold(): Disposable {
      const keyboard = dialogs.hold();
      held = keyboard;
      return {
        [Symbol.dispose]() {
          held = undefined;
          keyboard[Symbol.dispose]();
        },
      };
    },
    async confirm(page: string, question: string): Promise<boolean> {
      const answer = await dialogs.choose<'yes' | 'no'>(
        {
          title: question,
          // The sign of an emoji is not shown as a hidden character.
          body: ({ width }) =>
            page
              .replaceAll('\ufe0f', '')
              .split('\n')
              .flatMap((line) => wrapRows(makeVisible(line), { width: width - 4 })),
          options: [
            { label: 'No', value: 'no' },
            { label: 'Yes, I consent', value: 'yes' },
          ],
          escape: 'no',
          escapes: 'no',
        },
        signal,
      );
      return answer === 'yes';
    },
    async ask(label: string, isSecret: boolean): Promise<string | undefined> {
      return (held ?? dialogs).askText({ title: label, isSecret }, signal);
    },
  };
}
