import { describe, expect, it } from 'vitest';
import { isQuestion } from './prompt-detector.ts';

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
