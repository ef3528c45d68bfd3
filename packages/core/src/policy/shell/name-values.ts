/**
 * Values that come from names of files, and the arithmetic they may meet: `a[$(id)]` is a
 * name as good as any, and arithmetic runs the command in it. It follows a name through
 * the variables of a line; what it is used for otherwise is none of its business.
 */

import type { Assignment, SyntaxNode, Word } from 'unbash';
import type { WordKind } from './shell-line.ts';

type KindOf = (word: Word) => WordKind;

/** Operators of `[[ … ]]` that evaluate their operands. */
const EVALUATES = /\s-(?:eq|ne|lt|le|gt|ge)\s|(?:^|\s)-[vR]\s/;
/** It prints numbers, whatever the folder holds. */
const NUMBERS = /^\$\(seq [\d\s-]*\)$/;

export class NameValues {
  private readonly names = new Set<string>();
  private readonly copies: (readonly [name: string, value: string])[] = [];
  private readonly arithmetic: string[] = [];

  note(node: SyntaxNode, source: string, kindOf: KindOf): void {
    switch (node.type) {
      case 'For':
      case 'Select':
        if (node.wordlist?.some((word) => isForeign(word, kindOf)) === true) this.names.add(node.name.value);
        return;
      case 'Assignment':
        this.noteAssignment(node, kindOf);
        return;
      case 'ArithmeticCommand':
        this.arithmetic.push(node.body);
        return;
      case 'ArithmeticExpansion':
        this.arithmetic.push(node.text);
        return;
      case 'ArithmeticFor':
        this.arithmetic.push(source.slice(node.pos, node.body.pos));
        return;
      case 'TestCommand': {
        const text = source.slice(node.pos, node.end);
        if (EVALUATES.test(text)) this.arithmetic.push(text);
        return;
      }
      case 'ParameterExpansion':
        // The variable itself is not evaluated, its subscript and the numbers of a slice are.
        if (node.index !== undefined || node.operation?.type === 'Slice')
          this.arithmetic.push(node.text.slice(node.text.indexOf(node.parameter) + node.parameter.length));
        return;
      default:
    }
  }

  private noteAssignment({ name, value, index }: Assignment, kindOf: KindOf): void {
    if (index !== undefined) this.arithmetic.push(index.text);
    if (value.type === 'Word') this.copies.push([name, value.text]);
    else if (value.elements.some((word) => isForeign(word, kindOf))) this.names.add(name);
  }

  /** Whether one of the names is used in arithmetic, under its own variable or another. */
  get meetArithmetic(): boolean {
    if (this.names.size === 0 || this.arithmetic.length === 0) return false;
    for (let before = -1; before !== this.names.size;) {
      before = this.names.size;
      for (const [name, value] of this.copies) if (this.isMentioned(value)) this.names.add(name);
    }
    return this.arithmetic.some((text) => this.isMentioned(text));
  }

  private isMentioned(text: string): boolean {
    return text.split(/\W+/).some((word) => this.names.has(word));
  }
}

function isForeign(word: Word, kindOf: KindOf): boolean {
  const kind = kindOf(word);
  return (kind === 'glob' || kind === 'dynamic') && !NUMBERS.test(word.text) && !/^\{[\w$.]*\}$/.test(word.text);
}
