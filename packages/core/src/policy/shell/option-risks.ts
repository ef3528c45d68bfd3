/** Finds options and words of one program that run something else, as listed in program-options.ts. */

import type { ProgramOptions } from './program-options.ts';
import type { Risk } from './risk.ts';
import type { ShellWord } from './shell-word.ts';

export function optionRisks(name: string, words: readonly ShellWord[], options: ProgramOptions): Risk[] {
  const risks: Risk[] = [];
  const end = words.findIndex(({ value }) => SCRIPT_FILE.test(value));
  words.forEach((word, index) => {
    // Words after a script's name belong to the script.
    if (index === 0 || (end > 0 && index >= end)) return;
    const value = programValue(word.value, words[index + 1]?.value, options);
    if (value === undefined) return;
    const script = scriptIn(name, value);
    risks.push({
      reason: `${name} ${word.value} can run a program or load code`,
      word: word.value,
      unreadable: script === undefined,
      script,
    });
  });
  return risks;
}

const SCRIPT_FILE = /^[^-].*\.(?:py|[cm]?[jt]s|rb|pl|php|lua)$/;

/** The value of an option that runs a program; undefined for any other word. */
function programValue(word: string, next: string | undefined, options: ProgramOptions): string | undefined {
  if (word.startsWith('--') && word.length > 2) {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    if (options.long?.some((long) => long === name || (name.length >= 3 && long.startsWith(name))) === true) {
      return equals < 0 ? (next ?? '') : word.slice(equals + 1);
    }
  } else if (/^-[A-Za-z]/.test(word) && options.short !== undefined) {
    const at = [...word].findIndex((letter, position) => position > 0 && options.short?.includes(letter) === true);
    if (at > 0) return word.slice(at + 1) || (next ?? '');
  }
  if (options.words?.test(word) === true) return word;
  return undefined;
}

/** Programs whose option value is a shell command line. */
function scriptIn(name: string, value: string): string | undefined {
  const text = value.replace(/^(?:exec=|command=|SYSTEM:|EXEC:|(?:Proxy|Local|KnownHosts)Command[= ]?)/i, '');
  if (
    [
      'tar',
      'man',
      'split',
      'sort',
      'npx',
      'npm',
      'rsync',
      'ncat',
      'nc',
      'socat',
      'mapfile',
      'readarray',
      'compgen',
    ].includes(name) &&
    text !== ''
  )
    return text;
  return name === 'ssh' && text !== value ? text : undefined;
}
