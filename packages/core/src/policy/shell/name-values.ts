/**
 * Tracks values from file names or from the output of commands through the variables of a
 * line to arithmetic: `a[$(id)]` is a valid name and a valid output, and arithmetic runs
 * the command in it.
 */

import type { Assignment, Command, CommandArgument, SyntaxNode, Word } from 'unbash';
import { isIndirect, isInteger } from './evaluated-values.ts';
import { nameProblem, outputProblem } from './shell-line.ts';
import type { WordReader } from './shell-words.ts';
import { READS_INPUT } from './variable-setters.ts';

/** Operators of `[[ … ]]` that evaluate their operands. */
const EVALUATES = /\s-(?:eq|ne|lt|le|gt|ge)\s|(?:^|\s)-[vR]\s/;
const DECLARES = /^(?:declare|typeset|local|export|readonly)$/;
/** Prints numbers, whatever the folder contains. */
const NUMBERS = /^\$\(seq [\d\s-]*\)$/;

export class NameValues {
  /** Variables that hold names of files or words of unknown content, and what fills them. */
  private readonly names = new Map<string, string>();
  private readonly copies: (readonly [name: string, value: string])[] = [];
  private readonly arithmetic: string[] = [];
  /** Variables that hold output other than a number, and where it comes from: `the output of $(cat f)`. */
  private readonly outputs = new Map<string, string>();
  /** Variables that the line declares as integers: whatever they get is evaluated. */
  private readonly integers = new Set<string>();
  private evaluated: string | undefined;

  note(node: SyntaxNode, source: string, words: WordReader): void {
    switch (node.type) {
      case 'For':
      case 'Select':
        this.noteForeign(node.name.value, node.wordlist ?? [], words);
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
        if (node.operator === '=~') this.fill('BASH_REMATCH', [node.left], words);
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
        // `${x:=value}` sets x.
        if (node.operation?.type === 'Default' && node.operation.operator.endsWith('='))
          this.fill(node.parameter, [node.operation.operand], words);
        // The variable itself is not evaluated; its subscript and the numbers of a slice are.
        if (node.index !== undefined || node.operation?.type === 'Slice') {
          const text = node.text.slice(node.text.indexOf(node.parameter) + node.parameter.length);
          this.evaluate(text, [node.index, node.operation?.type === 'Slice' ? node.operation : undefined], words);
        }
        return;
      case 'Command':
        this.noteCommand(node, words);
        return;
      default:
    }
  }

  private noteCommand({ name, args, redirects }: Command, words: WordReader): void {
    const command = name?.value ?? '';
    const given = args.filter((argument) => argument.type === 'Word');
    const isOption = ({ text }: Word) => text.startsWith('-');
    if (command === 'let') this.evaluate('', args, words);
    // The last argument is the value of `$_`.
    this.fill('_', given, words);
    if (command === 'set') for (const position of '123456789@*') this.fill(position, given, words);
    if (READS_INPUT.has(command))
      this.noteReader(
        given.filter((word) => !isOption(word)),
        redirects.length > 0,
      );
    if (READS_INPUT.has(command) || command === 'unset') this.evaluateNames(given, words);
    if (/^(?:test|\[)$/.test(command) && given.some(({ text }) => /^-[vR]$/.test(text)))
      this.evaluateNames(given, words);
    if (command === 'printf' && given[0]?.text.startsWith('-v') === true) this.notePrinted(given, words);
    if (DECLARES.test(command) && given.some(({ text }) => /^[-+][A-Za-z]*i/.test(text)))
      this.noteIntegers(args, words);
  }

  /** Every variable it names may hold anything. */
  private noteReader(named: readonly Word[], hasInput: boolean): void {
    const source = hasInput ? 'what a redirection passes to read' : 'the input of read';
    for (const { value } of named) this.outputs.set(value.replace(/\[.*$/s, ''), source);
    for (const name of ['REPLY', 'MAPFILE', 'OPTARG']) this.outputs.set(name, source);
  }

  private notePrinted([option, ...rest]: readonly Word[], words: WordReader): void {
    const attached = option?.text.slice(2) ?? '';
    const [target, ...values] = attached === '' ? rest : [option, ...rest];
    if (target === undefined) return;
    this.evaluateNames([target], words);
    this.fill(
      attached === '' ? target.value : attached,
      values.filter((each) => each !== undefined),
      words,
    );
  }

  private noteIntegers(args: readonly CommandArgument[], words: WordReader): void {
    for (const argument of args) {
      this.evaluate(argument.text, [argument], words);
      const [name = ''] = /^[A-Za-z_]\w*/.exec(argument.text) ?? [];
      if (name !== '') this.integers.add(name);
    }
  }

  /** A subscript in the name of a variable is evaluated. */
  private evaluateNames(named: readonly Word[], words: WordReader): void {
    for (const word of named) if (/[$`]/.test(word.text)) this.evaluate(word.text, [word], words);
  }

  /** The variable gets what the words expand to. */
  private fill(name: string, values: readonly Word[], words: WordReader): void {
    for (const value of values) {
      if (!/[$`]/.test(value.text)) continue;
      const wide = words.wideSubstitution(value);
      if (wide !== undefined) this.outputs.set(name, outputOf(wide));
      this.copies.push([name, value.text]);
    }
  }

  private evaluate(text: string, nodes: readonly (SyntaxNode | undefined)[], words: WordReader): void {
    this.arithmetic.push(text);
    for (const node of nodes) {
      const wide = node && words.wideSubstitution(node);
      if (wide !== undefined) this.evaluated ??= outputOf(wide);
    }
  }

  private noteAssignment({ name, value, index }: Assignment, words: WordReader): void {
    if (index !== undefined) this.evaluate(index.text, [index], words);
    if (isInteger(name)) this.evaluate(value.type === 'Word' ? value.text : '', [value], words);
    const wide = words.wideSubstitution(value);
    if (wide !== undefined) this.outputs.set(name, outputOf(wide));
    if (value.type === 'Word') this.copies.push([name, value.text]);
    else {
      this.noteForeign(name, value.elements, words);
      // The keys of `x=([key]=value)` are evaluated.
      for (const element of value.elements)
        if (element.text.startsWith('[')) this.evaluate(element.text, [element], words);
    }
  }

  private noteForeign(name: string, values: readonly Word[], words: WordReader): void {
    const foreign = values.find((word) => isForeign(word, words));
    if (foreign !== undefined) this.names.set(name, foreign.text);
  }

  /** Every text that the line evaluates as arithmetic. */
  get expressions(): readonly string[] {
    return this.arithmetic;
  }

  /** Why the line cannot be read with certainty. */
  get problems(): readonly string[] {
    const { evaluatedName: name, evaluatedOutput: output } = this;
    return [...(name ? [nameProblem(name)] : []), ...(output === undefined ? [] : [outputProblem(output)])];
  }

  /** Where the output comes from that arithmetic would evaluate; undefined when there is none. */
  private get evaluatedOutput(): string | undefined {
    if (this.evaluated !== undefined || this.outputs.size === 0 || this.arithmetic.length === 0) return this.evaluated;
    for (let before = -1; before !== this.outputs.size;) {
      before = this.outputs.size;
      for (const [name, value] of this.copies) {
        const from = mentioned(value, this.outputs);
        if (from !== undefined && !this.outputs.has(name)) this.outputs.set(name, this.outputs.get(from) ?? from);
      }
    }
    const inTexts = this.arithmetic.map((text) => mentioned(text, this.outputs)).find((name) => name !== undefined);
    const used = inTexts ?? [...this.integers].find((name) => this.outputs.has(name));
    return used === undefined ? undefined : this.outputs.get(used);
  }

  /** The first of the names that arithmetic uses, directly or through another variable, and what fills it. */
  private get evaluatedName(): { variable: string; source: string } | undefined {
    if (this.names.size === 0 || this.arithmetic.length === 0) return undefined;
    for (let before = -1; before !== this.names.size;) {
      before = this.names.size;
      for (const [name, value] of this.copies) {
        const from = mentioned(value, this.names);
        if (from !== undefined && !this.names.has(name)) this.names.set(name, this.names.get(from) ?? from);
      }
    }
    const variable = this.arithmetic.map((text) => mentioned(text, this.names)).find((name) => name !== undefined);
    return variable === undefined ? undefined : { variable, source: this.names.get(variable) ?? variable };
  }
}

function outputOf({ text }: { text: string }): string {
  return `the output of ${text}`;
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
