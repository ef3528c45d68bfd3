/**
 * Tracks values from file names or from the output of commands through the variables of a
 * line to arithmetic: `a[$(id)]` is a valid name and a valid output, and arithmetic runs
 * the command in it.
 */

import type { Assignment, SyntaxNode, Word } from 'unbash';
import { isIndirect, isInteger } from './evaluated-values.ts';
import type { WordReader } from './shell-words.ts';

/** Operators of `[[ … ]]` that evaluate their operands. */
const EVALUATES = /\s-(?:eq|ne|lt|le|gt|ge)\s|(?:^|\s)-[vR]\s/;
/** Prints numbers, whatever the folder contains. */
const NUMBERS = /^\$\(seq [\d\s-]*\)$/;

export class NameValues {
  private readonly names = new Set<string>();
  private readonly copies: (readonly [name: string, value: string])[] = [];
  private readonly arithmetic: string[] = [];
  /** Variables that hold output other than a number, and the substitution it comes from. */
  private readonly outputs = new Map<string, string>();
  private evaluated: string | undefined;

  note(node: SyntaxNode, source: string, words: WordReader): void {
    switch (node.type) {
      case 'For':
      case 'Select':
        if (node.wordlist?.some((word) => isForeign(word, words)) === true) this.names.add(node.name.value);
        return;
      case 'Assignment':
        this.noteAssignment(node, words);
        return;
      case 'ArithmeticCommand':
        this.evaluate(node.body, [node.expression], words);
        return;
      case 'ArithmeticExpansion':
        this.evaluate(node.text, [node.expression], words);
        return;
      case 'ArithmeticFor':
        this.evaluate(source.slice(node.pos, node.body.pos), [node.initialize, node.test, node.update], words);
        return;
      case 'TestBinary':
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) this.evaluate('', [node.left, node.right], words);
        return;
      case 'TestUnary':
        if (/^-[vR]$/.test(node.operator)) this.evaluate('', [node.operand], words);
        return;
      case 'TestCommand': {
        const text = source.slice(node.pos, node.end);
        if (EVALUATES.test(text)) this.arithmetic.push(text);
        return;
      }
      case 'ParameterExpansion':
        if (isIndirect(node)) this.evaluate(node.parameter, [], words);
        // The variable itself is not evaluated; its subscript and the numbers of a slice are.
        if (node.index !== undefined || node.operation?.type === 'Slice') {
          const text = node.text.slice(node.text.indexOf(node.parameter) + node.parameter.length);
          this.evaluate(text, [node.index, node.operation?.type === 'Slice' ? node.operation : undefined], words);
        }
        return;
      case 'Command':
        if (node.name?.value === 'let') this.evaluate('', node.args, words);
        return;
      default:
    }
  }

  private evaluate(text: string, nodes: readonly (SyntaxNode | undefined)[], words: WordReader): void {
    this.arithmetic.push(text);
    for (const node of nodes) if (node !== undefined) this.evaluated ??= words.wideSubstitution(node)?.text;
  }

  private noteAssignment({ name, value, index }: Assignment, words: WordReader): void {
    if (index !== undefined) this.evaluate(index.text, [index], words);
    if (isInteger(name)) this.evaluate(value.type === 'Word' ? value.text : '', [value], words);
    const wide = words.wideSubstitution(value);
    if (wide !== undefined) this.outputs.set(name, wide.text);
    if (value.type === 'Word') this.copies.push([name, value.text]);
    else if (value.elements.some((word) => isForeign(word, words))) this.names.add(name);
  }

  /** Every text that the line evaluates as arithmetic. */
  get expressions(): readonly string[] {
    return this.arithmetic;
  }

  /** The substitution whose output arithmetic would evaluate, as written; undefined when there is none. */
  get evaluatedOutput(): string | undefined {
    if (this.evaluated !== undefined || this.outputs.size === 0 || this.arithmetic.length === 0) return this.evaluated;
    for (let before = -1; before !== this.outputs.size;) {
      before = this.outputs.size;
      for (const [name, value] of this.copies) {
        const from = mentioned(value, this.outputs);
        if (from !== undefined && !this.outputs.has(name)) this.outputs.set(name, this.outputs.get(from) ?? from);
      }
    }
    const used = this.arithmetic.map((text) => mentioned(text, this.outputs)).find((name) => name !== undefined);
    return used === undefined ? undefined : this.outputs.get(used);
  }

  /** Whether arithmetic uses one of the names, directly or through another variable. */
  get meetArithmetic(): boolean {
    if (this.names.size === 0 || this.arithmetic.length === 0) return false;
    for (let before = -1; before !== this.names.size;) {
      before = this.names.size;
      for (const [name, value] of this.copies) if (mentioned(value, this.names) !== undefined) this.names.add(name);
    }
    return this.arithmetic.some((text) => mentioned(text, this.names) !== undefined);
  }
}

/** The first of the names that occurs in the text. */
function mentioned(text: string, names: { has(name: string): boolean }): string | undefined {
  return text.split(/\W+/).find((word) => names.has(word));
}

function isForeign(word: Word, words: WordReader): boolean {
  const { kind, output } = words.word(word);
  if (output === 'number') return false;
  return (kind === 'glob' || kind === 'dynamic') && !NUMBERS.test(word.text) && !/^\{[\w$.]*\}$/.test(word.text);
}
