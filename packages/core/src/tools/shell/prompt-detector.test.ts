import { describe, expect, it } from 'vitest';
import { isQuestion, PromptWatch } from './prompt-detector.ts';

describe('isQuestion', () => {
  it.each([
    'Do you want to continue? [Y/n] ',
    'Overwrite existing file? (y/N)',
    'Ok to proceed? (y) ',
    '[sudo] password for me: ',
    "me@host's password: ",
    'Enter passphrase for key /home/me/.ssh/id: ',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
    "Username for 'https://github.com': ",
    'Press any key to continue . . . ',
    'Press ENTER or type command to continue',
  ])('is true for %j', (line) => {
    expect(isQuestion(line)).toBe(true);
  });

  it.each([
    '',
    'Compiling: ',
    'Downloading 50%',
    '> ',
    'Resolving dependencies...',
    'Name: ',
    'src/main.ts:12: ',
    '100%',
  ])('is false for %j', (line) => {
    expect(isQuestion(line)).toBe(false);
  });
});

describe('PromptWatch', () => {
  it('asks again about a terminal when something was written during the first look', async () => {
    const waited = Promise.withResolvers<string>();
    let asked = 0;
    const watch: PromptWatch = new PromptWatch({
      pid: 0,
      hasTerminal: true,
      silenceMs: 1,
      unfinishedLine: () => 'Choose ',
      async isRaw() {
        asked += 1;
        // The question is written while the first look is under way: that look counts for nothing.
        if (asked === 1) watch.touch();
        return true;
      },
      onWaiting: waited.resolve,
    });
    expect(await waited.promise).toBe('Choose');
    expect(asked).toBe(2);
    watch.stop();
  });
});
