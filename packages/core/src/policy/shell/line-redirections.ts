/** Reads the redirections of a command or a group: the files, and the text that the line itself passes to its input. */

import type { HereDoc, Redirection } from 'unbash';
import type { ShellRedirection } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import type { WordReader } from './shell-words.ts';
import { isHiddenCode } from './unwrapped.ts';

const NO_WORD: ShellWord = { value: '', text: '', kind: 'literal', skeleton: '' };

export interface Redirections {
  redirections: ShellRedirection[];
  input: string[];
  openInput: string | undefined;
  problems: string[];
}

export function readRedirections(nodes: readonly Redirection[], words: WordReader): Redirections {
  const problems: string[] = [];
  const redirections: ShellRedirection[] = [];
  const input: string[] = [];
  let openInput: string | undefined;
  for (const node of nodes) {
    if (node.type === 'HereDoc') {
      input.push(...textsOf(node));
      openInput ??= node.body.parts?.find((part) => words.isOpenPart(part))?.text;
      if (node.delimiter === undefined || node.closing === undefined)
        problems.push(`The here-document ${node.operator}${node.delimiter?.text ?? ''} has no end.`);
    } else {
      const target = node.target === undefined ? NO_WORD : words.word(node.target);
      if (node.type === 'HereString') {
        input.push(target.value);
        if (target.kind === 'dynamic' && isHiddenCode(target)) openInput ??= target.text;
      } else redirections.push({ operator: node.operator, target, writes: writes(node.operator, target) });
    }
  }
  return { redirections, input, openInput, problems };
}

/** The text as written, and as the command reads it where the shell removes backslashes. */
function textsOf({ body: { text }, delimiter }: HereDoc): string[] {
  if (!text.includes('\\') || /['"\\]/.test(delimiter?.text ?? "'")) return [text];
  return [text, text.replaceAll(/\\([$`\\]|\n)/g, (_, character: string) => character.trim())];
}

/** Copies of descriptors and the null device change no file. */
function writes(operator: string, target: ShellWord): boolean {
  if (operator === '<') return false;
  if (operator === '<&' || operator === '>&') return !/^(?:\d+-?|-)$/.test(target.value) && operator === '>&';
  return !(target.kind === 'literal' && /^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.value));
}
