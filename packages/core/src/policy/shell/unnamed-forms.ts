/**
 * Reads the commands that write files they do not name, and states what can show the names
 * before the command runs. It reads words only.
 */

import type { GitQuery } from '../git-queries.ts';
import { extractingWord, extractionFolder } from './extracting-commands.ts';
import { fetchOf } from './fetching-commands.ts';
import { readTreeChange } from './git-tree-changes.ts';
import { hasOption } from './known-commands.ts';
import { baseName } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

/** What shows the names before the command runs. */
type Evidence =
  | { kind: 'nothing' }
  | { kind: 'git'; queries: readonly GitQuery[]; paths: readonly ShellWord[] }
  | { kind: 'trees'; sources: readonly ShellWord[] }
  | { kind: 'patches'; files: readonly ShellWord[] }
  /** The names matter only where the folder is the workspace or the home. */
  | { kind: 'folder'; folder: ShellWord };

export interface Form {
  word: string;
  /** Names the place of the names. */
  where: string;
  evidence: Evidence;
  /** The folder it writes into; absent means the line's own. */
  into?: ShellWord | undefined;
}

export function nameOf({ words }: SimpleCommand): string {
  return words[0] === undefined ? '' : baseName(words[0]).replace(/^g(?=(?:tar|cp|patch|cpio)$)/, '');
}

export function formOf(command: SimpleCommand): Form | undefined {
  const { words } = command;
  const name = nameOf(command);
  const rest = words.slice(1);
  if (name === 'git') return gitForm(words);
  if (name === 'patch') return patchForm(rest);
  if (Object.hasOwn(COPIERS, name)) return copyForm(name, words, rest);
  const word = extractingWord(name, rest);
  if (word === undefined) return fetchForm(words);
  return { word, where: 'the archive', evidence: { kind: 'nothing' }, into: extractionFolder(name, rest) };
}

function fetchForm(words: readonly ShellWord[]): Form | undefined {
  const fetch = fetchOf(words);
  return fetch === undefined ? undefined : { word: fetch.word, where: fetch.where, evidence: { kind: 'nothing' } };
}

function gitForm(words: readonly ShellWord[]): Form | undefined {
  const change = readTreeChange(words);
  if (change === undefined) return undefined;
  const { word, queries, patches, paths = [], fills, where = 'the repository' } = change;
  if (fills !== undefined) return { word, where: 'the repository', evidence: { kind: 'folder', folder: fills } };
  if (patches !== undefined) return { word, where: 'the patch', evidence: { kind: 'patches', files: patches } };
  const evidence: Evidence = queries === undefined ? { kind: 'nothing' } : { kind: 'git', queries, paths };
  return { word, where, evidence };
}

/** `patch file` changes that file, and `-o` and `-i` take a value. */
function patchForm(rest: readonly ShellWord[]): Form | undefined {
  if (rest.some(({ value }) => value === '--dry-run')) return undefined;
  const inputs: ShellWord[] = [];
  const operands: ShellWord[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined) break;
    const attached = /^(?:-i|--input=)(.+)$/s.exec(word.value)?.[1];
    if (attached !== undefined) inputs.push({ ...word, value: attached });
    else if (/^(?:-[bcefnNRstTuvZ]*i|--input)$/.test(word.value)) inputs.push(rest[(index += 1)] ?? word);
    else if (/^-[BDdFgoprVYz]$/.test(word.value)) index += 1;
    else if (!word.value.startsWith('-')) operands.push(word);
  }
  const files = operands.length > 1 ? operands.slice(1, 2) : inputs;
  return { word: 'patch', where: 'the patch', evidence: { kind: 'patches', files } };
}

/** Whether a copy takes whole folders. */
const COPIERS: Readonly<Record<string, (words: readonly ShellWord[]) => boolean>> = {
  cp: (words) => hasOption(words, 'rRa', ['--recursive', '--archive']),
  rsync: (words) => hasOption(words, 'ra', ['--recursive', '--archive', '--files-from']),
  scp: (words) => hasOption(words, 'r', []),
  ditto: () => true,
};

function copyForm(name: string, words: readonly ShellWord[], rest: readonly ShellWord[]): Form | undefined {
  if (COPIERS[name]?.(words) !== true) return undefined;
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  const option = rest.findIndex(({ value }) => /^(?:-[A-Za-z]*t|--target-directory)$/.test(value));
  const into = option >= 0 && name === 'cp' ? rest[option + 1] : operands.at(-1);
  const sources = operands.filter((word) => word !== into);
  const word = rest.find(({ value }) => value.startsWith('-'))?.value ?? name;
  return { word, where: 'another folder', evidence: { kind: 'trees', sources }, into };
}
