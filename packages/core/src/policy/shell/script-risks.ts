/**
 * Checks sed, awk, find and xxd: tools that read, unless the small script or another word
 * of their arguments writes a file or runs a command.
 */

import type { Risk } from './risk.ts';
import { isPlainSedScript } from './sed-script.ts';
import { clipped } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

const AWK = /^(?:[gmn]|original-|go|frawk-)?awk$/;

export function isAwk(name: string): boolean {
  return AWK.test(name);
}

/** Permission to find does not include writing. */
export function findRisksOfWriting(words: readonly ShellWord[]): Risk[] {
  return words
    .filter(({ value }) => /^-(?:fprint0?|fprintf|fls)$/.test(value))
    .map(({ value }) => ({ reason: `find ${value} writes a file`, word: value, unreadable: false }));
}

/** xxd writes its second operand. */
export function xxdRisksOfWriting(words: readonly ShellWord[]): Risk[] {
  const written = words
    .slice(1)
    .filter(({ value }, index) => !value.startsWith('-') && !/^-[cglosn]$|^-name$/.test(words[index]?.value ?? ''))[1];
  return written === undefined
    ? []
    : [{ reason: `xxd writes the file ${written.value}`, word: written.value, unreadable: false }];
}

export function sedRisks(words: readonly ShellWord[]): Risk[] {
  const risks: Risk[] = [];
  let seen = false;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    const { value } = word;
    let script: ShellWord | undefined;
    if (/^(?:-[A-Za-z]*e|--expression)$/.test(value)) script = words[(index += 1)];
    else if (value.startsWith('--expression=')) script = { ...word, value: value.slice('--expression='.length) };
    else if (/^-[nErsuz]*e./.test(value)) script = { ...word, value: value.replace(/^-[nErsuz]*e/, '') };
    else if (/^(?:-[A-Za-z]*f|--file)/.test(value)) {
      risks.push({ reason: `sed ${value} runs a script from a file`, word: value, unreadable: true });
      seen = true;
    } else if (!value.startsWith('-') && !seen) script = word;
    if (script === undefined) continue;
    seen = true;
    if (script.kind === 'dynamic' || !isPlainSedScript(script.value)) {
      const reason = `the sed script ${clipped(script.text)} may run a command or write a file`;
      risks.push({ reason, word: script.value, unreadable: true });
    }
  }
  return risks;
}

export function awkRisks(words: readonly ShellWord[]): Risk[] {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) break;
    if (word.value === '-F' || word.value === '-v') index += 1;
    else if (/^-[Fv]./.test(word.value)) continue;
    else if (word.value.startsWith('-') && word.value !== '--')
      return [{ reason: `awk ${word.value} loads code`, word: word.value, unreadable: true }];
    else if (word.value !== '--') {
      const plain = word.kind !== 'dynamic' && !/system|getline|[|>@]|close|ENVIRON/.test(word.value);
      const reason = `the awk program ${clipped(word.text)} may run a command or write a file`;
      return plain ? [] : [{ reason, word: word.value, unreadable: true }];
    }
  }
  return [];
}
