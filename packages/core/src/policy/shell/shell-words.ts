/**
 * A written word as the words the shell makes of it: quotes removed, braces and known
 * variables expanded. What is not known stays as written and makes the word dynamic.
 */

import type { Word, WordPart } from 'unbash';
import { expandBraces } from './brace-expansion.ts';
import type { LineVariables } from './line-variables.ts';
import type { ShellWord, WordKind } from './shell-line.ts';

interface WordSoFar {
  kind: WordKind;
  value: string;
  skeleton: string;
}

export class WordReader {
  private readonly variables: LineVariables;

  constructor(variables: LineVariables) {
    this.variables = variables;
  }

  /** One written word as the words the shell makes of it, as far as that is known. */
  expand(node: Word): ShellWord[] {
    const word = this.word(node);
    if (word.kind === 'resolved' && !/["']/.test(word.text) && /\s/.test(word.value)) {
      return word.value
        .split(/\s+/)
        .filter((piece) => piece !== '')
        .map((piece) => ({ value: piece, text: word.text, kind: 'resolved' as const, skeleton: piece }));
    }
    if (node.parts?.some(({ type }) => type === 'BraceExpansion') === true && word.kind === 'dynamic') {
      const pieces = expandBraces(node.text);
      if (pieces !== undefined) {
        // An empty word without quotes is no word.
        return pieces
          .filter((value) => value !== '')
          .map((value) => ({ value, text: word.text, kind: 'resolved' as const, skeleton: value }));
      }
    }
    return [word];
  }

  /** Without the splitting into several. */
  word(node: Word): ShellWord {
    const text = withoutContinuations(node.text);
    if (node.parts === undefined) return this.tilde({ value: node.value, text, kind: 'literal', skeleton: node.value });
    const state: WordSoFar = { kind: 'literal', value: '', skeleton: '' };
    for (const part of node.parts) this.addPart(part, state);
    return this.tilde({ ...state, text });
  }

  private tilde(word: ShellWord): ShellWord {
    const home = this.variables.home;
    // ~name, ~+ and ~- are folders that only the shell knows.
    if (/^~[^/]/.test(word.text)) return { ...word, kind: 'dynamic' };
    if (home === undefined || !/^~(?=\/|$)/.test(word.text)) return word;
    const value = home + word.value.slice(1);
    return { value, text: word.text, kind: word.kind === 'literal' ? 'resolved' : word.kind, skeleton: value };
  }

  private addPart(part: WordPart, state: WordSoFar): void {
    const fixed = (value: string, kind: WordKind) => {
      state.value += value;
      state.skeleton += value;
      state.kind = moreUncertain(state.kind, kind);
    };
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        fixed(part.value, 'literal');
        return;
      case 'DoubleQuoted':
      case 'LocaleString':
        for (const child of part.parts) this.addPart(child, state);
        return;
      case 'Glob':
      case 'ExtendedGlob':
        fixed(part.text, 'glob');
        return;
      default: {
        const value = this.variables.valueOf(part);
        if (value !== undefined) {
          fixed(value, 'resolved');
          return;
        }
        state.value += part.text;
        state.kind = 'dynamic';
      }
    }
  }
}

const UNCERTAINTY: readonly WordKind[] = ['literal', 'resolved', 'glob', 'dynamic'];

function moreUncertain(left: WordKind, right: WordKind): WordKind {
  return UNCERTAINTY.indexOf(left) >= UNCERTAINTY.indexOf(right) ? left : right;
}

export function withoutContinuations(text: string): string {
  return text.includes('\\\n') ? text.replaceAll('\\\n', '') : text;
}
