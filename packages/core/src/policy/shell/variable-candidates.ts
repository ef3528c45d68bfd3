/**
 * Collects the fixed texts that a variable of the line without a certain value may hold:
 * from loops, several assignments, `read` and the arguments of functions. A word that uses
 * it may be any of them; none of them makes a word known.
 */

import type { Assignment, Command, SyntaxNode, Word } from 'unbash';
import type { ShellWord } from './shell-word.ts';

export const MAX_CANDIDATES = 64;
const POSITIONAL = /^(?:[@*]|\d+)$/;
const SETTERS = new Set(['read', 'mapfile', 'readarray', 'printf']);

/** All arguments of a function or script count as one variable. */
export function candidateKey(name: string): string {
  return POSITIONAL.test(name) ? '@' : name;
}

type Read = (word: Word) => ShellWord;

export class VariableCandidates {
  private readonly texts = new Map<string, Set<string>>();
  /** How many texts are known for all variables. */
  count = 0;

  /** Takes over the candidates of the outer shell, for an inner one. */
  copy(other: VariableCandidates): void {
    for (const [name, texts] of other.texts) this.texts.set(name, new Set(texts));
  }

  of(name: string): readonly string[] {
    return [...(this.texts.get(candidateKey(name)) ?? [])];
  }

  /** Whether it has more texts than are kept. */
  isFull(name: string): boolean {
    return (this.texts.get(candidateKey(name))?.size ?? 0) >= MAX_CANDIDATES;
  }

  /** `redefined` are the functions of the line. */
  note(node: SyntaxNode, read: Read, redefined: ReadonlySet<string>): void {
    switch (node.type) {
      case 'Assignment':
        this.noteAssignment(node, read);
        return;
      case 'ParameterExpansion': {
        const { operation, parameter } = node;
        if (operation?.type === 'Default' && operation.operator.endsWith('='))
          for (const text of textsOf(read(operation.operand))) this.add(parameter, text);
        return;
      }
      case 'For':
      case 'Select':
        // Without a list the loop runs over the arguments.
        if (node.wordlist === undefined) for (const text of this.of('@')) this.add(node.name.value, text);
        for (const word of node.wordlist ?? []) for (const text of textsOf(read(word))) this.add(node.name.value, text);
        return;
      case 'Command':
        this.noteCommand(node, read, redefined);
        return;
      default:
    }
  }

  private noteAssignment({ name, value, append }: Assignment, read: Read): void {
    const values = value.type === 'Word' ? [value] : value.elements;
    const texts = values.flatMap((word) => textsOf(read(word)));
    const before = append === true ? this.of(name) : [];
    for (const written of texts) {
      // An element may name its subscript: ([k]=v).
      const text = value.type === 'Word' ? written : written.replace(/^\[[^\]]*\]=/, '');
      for (const start of ['', ...before]) this.add(name, start + text);
    }
  }

  private noteCommand(node: Command, read: Read, redefined: ReadonlySet<string>): void {
    const name = node.name?.value ?? '';
    const isCalled = name === 'set' || redefined.has(name);
    if (!isCalled && !SETTERS.has(name)) return;
    const given = node.args.flatMap((argument) => (argument.type === 'Word' ? textsOf(read(argument)) : []));
    if (isCalled) {
      for (const text of given) if (text !== '--') this.add('@', text);
      return;
    }
    const input = node.redirects.flatMap((redirect) =>
      redirect.type === 'HereString' && redirect.target !== undefined ? textsOf(read(redirect.target)) : [],
    );
    const texts = name === 'printf' ? given : input.flatMap((text) => [text, ...text.split(/\s+/)]);
    // `printf -vx` and `read -ax` name the variable in the same word.
    for (const word of given) for (const text of texts) this.add(word.replace(/^-[A-Za-z](?=.)/, ''), text);
  }

  add(name: string, text: string): void {
    const texts = this.texts.get(name) ?? new Set();
    const { size } = texts;
    if (size < MAX_CANDIDATES) texts.add(text);
    this.count += texts.size - size;
    this.texts.set(name, texts);
  }
}

/** The possible values of a word, as far as the line fixes them. */
export function textsOf({ kind, value, candidates }: ShellWord): readonly string[] {
  return kind === 'dynamic' ? (candidates ?? []) : [value];
}

/** Each beginning combined with each end. */
export function combined(beginnings: readonly string[], ends: readonly string[]): string[] {
  return beginnings.flatMap((start) => ends.map((end) => start + end)).slice(0, MAX_CANDIDATES);
}
