/**
 * Expands a written word to the words the shell makes of it: removes quotes, expands
 * braces and known variables. An unknown part stays as written and makes the word dynamic.
 */

import type { Command, CommandExpansionPart, ParameterOperation, Pipeline, SyntaxNode, Word, WordPart } from 'unbash';
import { expandBraces } from './brace-expansion.ts';
import type { LineVariables } from './line-variables.ts';
import { applyOperation } from './parameter-operators.ts';
import type { Feed } from './shell-line.ts';
import type { ShellWord, WordKind } from './shell-word.ts';
import { outputOf, outputOfPipeline, wider } from './substitution-output.ts';
import type { SubstitutionOutput } from './substitution-output.ts';
import type { OutputShape } from './shell-word.ts';
import { combined, MAX_CANDIDATES, textsOf } from './variable-candidates.ts';

interface WordSoFar {
  kind: WordKind;
  value: string;
  skeleton: string;
  output?: OutputShape;
  /** Every possible form, as far as the line shows; more than one only for a variable. */
  forms: readonly string[];
  hasCandidates: boolean;
  open: boolean;
}

type Substitution = Extract<SyntaxNode, { type: 'CommandExpansion' | 'ArithmeticCommandExpansion' }>;

export class WordReader {
  private readonly variables: LineVariables;
  private outputs = new WeakMap<Substitution, SubstitutionOutput>();

  constructor(variables: LineVariables) {
    this.variables = variables;
  }

  /** Expands one written word to the words the shell makes of it, as far as they are known. */
  expand(node: Word): ShellWord[] {
    const word = this.word(node);
    // With another IFS the shell splits the value elsewhere.
    if (word.kind === 'resolved' && this.variables.splitsOddly && !/^["'][^"']*["']$|^~/.test(word.text))
      return [{ ...word, kind: 'dynamic', open: true }];
    if (word.kind === 'resolved' && !/["']/.test(word.text) && /\s/.test(word.value)) {
      return word.value
        .split(/\s+/)
        .filter((piece) => piece !== '')
        .map((piece) => ({ value: piece, text: word.text, kind: 'resolved' as const, skeleton: piece }));
    }
    if (node.parts?.some(({ type }) => type === 'BraceExpansion') === true && word.kind === 'dynamic') {
      const pieces = expandBraces(node.text);
      if (pieces !== undefined) {
        // An empty word without quotes is dropped.
        return pieces
          .filter((value) => value !== '')
          .map((value) => ({ value, text: word.text, kind: 'resolved' as const, skeleton: value }));
      }
    }
    return [word];
  }

  /** The same without splitting into several words. */
  word(node: Word): ShellWord {
    const text = withoutContinuations(node.text);
    if (node.parts === undefined) return this.tilde({ value: node.value, text, kind: 'literal', skeleton: node.value });
    const state: WordSoFar = {
      kind: 'literal',
      value: '',
      skeleton: '',
      forms: [''],
      hasCandidates: false,
      open: false,
    };
    for (const part of node.parts) this.addPart(part, state, false);
    const { forms, hasCandidates, open, ...word } = state;
    return this.tilde({
      ...word,
      text,
      ...(hasCandidates && word.kind === 'dynamic' && { candidates: forms }),
      ...(open && { open }),
    });
  }

  /** Clears the cache after more became known about the variables. */
  forget(): void {
    this.outputs = new WeakMap();
  }

  /** What a substitution can print; each is analysed once. */
  output(node: Substitution): SubstitutionOutput {
    let output = this.outputs.get(node);
    if (output === undefined) {
      output = outputOf(node.script, (command) => this.wordsOf(command), this.variables.directory);
      this.outputs.set(node, output);
    }
    return output;
  }

  /** What the commands before one in a pipeline print. */
  printed(node: Pipeline, end: number): Feed {
    const commands = node.commands.slice(0, end);
    const [first] = commands;
    const { text, isBelow } = outputOfPipeline(
      { ...node, commands, prefixes: [] },
      (command) => this.wordsOf(command),
      this.variables.directory,
    );
    return { text, isBelow: isBelow === true, isFile: end === 1 && first !== undefined && this.printsFile(first) };
  }

  /** `cat x.sh`: running what it prints is running the file. */
  private printsFile(node: SyntaxNode): boolean {
    if (node.type !== 'Command' || node.redirects.length > 0) return false;
    const [head, ...files] = this.wordsOf(node);
    return (
      head?.value === 'cat' &&
      files.length > 0 &&
      files.every(({ value, open }) => open !== true && !value.startsWith('-'))
    );
  }

  /** What all substitutions below a node can print; undefined when it has none. */
  shapeBelow(node: SyntaxNode): OutputShape | undefined {
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') return this.output(node).shape;
    let shape = this.variables.shapeOf(node);
    this.variables.forEachChild(node, (child) => {
      shape = wider(shape, this.shapeBelow(child));
    });
    return shape;
  }

  /** The first substitution below a node that may print something other than a number. */
  wideSubstitution(node: SyntaxNode): Substitution | undefined {
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
      const { shape, text } = this.output(node);
      return shape === 'number' || (text !== undefined && /^[\w.:/-]*$/.test(text)) ? undefined : node;
    }
    let found: Substitution | undefined;
    this.variables.forEachChild(node, (child) => {
      found ??= this.wideSubstitution(child);
    });
    return found;
  }

  /** Empty for a command that the line redefines. */
  private wordsOf({ name, args }: Command): ShellWord[] {
    if (name !== undefined && this.variables.redefined.has(name.value)) return [];
    const words = [...(name === undefined ? [] : [name]), ...args];
    return words.flatMap((word) =>
      word.type === 'Word'
        ? this.expand(word)
        : [{ value: word.text, text: word.text, kind: 'dynamic' as const, skeleton: '' }],
    );
  }

  private tilde(word: ShellWord): ShellWord {
    const [home, ...others] = this.variables.homes;
    // ~name, ~+ and ~- are folders that only the shell knows.
    if (/^~[^/]/.test(word.text)) return { ...word, kind: 'dynamic', open: true };
    if (home === undefined || !/^~(?=\/|$)/.test(word.text)) return word;
    const value = home + word.value.slice(1);
    if (others.length > 0) {
      const ends = (word.candidates ?? [word.value]).map((form) => form.slice(1));
      return { ...word, kind: 'dynamic', skeleton: value, candidates: combined([home, ...others], ends) };
    }
    return { value, text: word.text, kind: word.kind === 'literal' ? 'resolved' : word.kind, skeleton: value };
  }

  private addPart(part: WordPart, state: WordSoFar, quoted: boolean): void {
    const fixed = (value: string, kind: WordKind) => {
      state.value += value;
      state.skeleton += value;
      state.forms = state.forms.map((form) => form + value);
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
        for (const child of part.parts) this.addPart(child, state, true);
        return;
      case 'Glob':
      case 'ExtendedGlob':
        fixed(part.text, 'glob');
        return;
      default: {
        const value = this.variables.valueOf(part) ?? this.operatedValue(part);
        if (value !== undefined) {
          fixed(value, 'resolved');
          return;
        }
        if (part.type === 'CommandExpansion' && this.addFixed(part, fixed, quoted)) return;
        state.value += part.text;
        state.kind = 'dynamic';
        const possible = this.possibleTexts(part);
        if (possible.length > 0) {
          if (state.forms.length * possible.length > MAX_CANDIDATES) state.open = true;
          state.forms = combined(state.forms, possible);
          state.hasCandidates = true;
        }
        if (this.isOpen(part)) state.open = true;
        const output = wider(state.output, this.shapeBelow(part));
        if (output !== undefined) state.output = output;
      }
    }
  }

  private possibleTexts(part: WordPart): readonly string[] {
    if (part.type === 'SimpleExpansion') return this.variables.candidatesOf(part.text.slice(1));
    if (part.type !== 'ParameterExpansion' || part.prefix !== undefined) return [];
    const { operation, parameter } = part;
    if (operation === undefined) return this.variables.candidatesOf(parameter);
    if (operation.type !== 'Default') return this.operated(operation, parameter) ?? [];
    const other = operation.operator.endsWith('?') ? [] : textsOf(this.word(operation.operand));
    return [...this.variables.candidatesOf(parameter), ...other];
  }

  private operatedValue(part: WordPart): string | undefined {
    if (part.type !== 'ParameterExpansion' || part.operation === undefined || part.prefix !== undefined)
      return undefined;
    const known = this.variables.knownAt(part.parameter, part.pos);
    if (known === undefined || part.index !== undefined) return undefined;
    return applyOperation(known, part.operation, (word) => this.word(word));
  }

  /** The possible values after an operation; undefined when one of them is not known. */
  private operated(operation: ParameterOperation, parameter: string): string[] | undefined {
    const values = this.variables.candidatesOf(parameter);
    const results = values.map((value) => applyOperation(value, operation, (word) => this.word(word)));
    return results.every((value) => value !== undefined) ? results : undefined;
  }

  /** Whether the part may be something that the line sets but does not show. */
  isOpenPart(part: WordPart): boolean {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || this.variables.valueOf(part) !== undefined)
      return false;
    return (part.type !== 'CommandExpansion' || this.output(part).text === undefined) && this.isOpen(part);
  }

  private isOpen(part: WordPart): boolean {
    switch (part.type) {
      case 'SimpleExpansion':
        return this.variables.isOpen(part.text.slice(1));
      case 'ParameterExpansion': {
        const { operation, parameter, prefix } = part;
        if (prefix !== undefined) return prefix === '!' && operation?.type !== 'Names';
        if (this.variables.isOpen(parameter)) return true;
        if (operation === undefined) return false;
        if (operation.type === 'Default') return this.word(operation.operand).open === true;
        return this.operated(operation, parameter) === undefined;
      }
      case 'CommandExpansion': {
        const { isBelow, shape } = this.output(part);
        return isBelow !== true && shape !== 'number';
      }
      case 'ArithmeticExpansion':
        return false;
      case 'BraceExpansion':
        return !/^\{[\w-]+\.\.[\w-]+\}$/.test(part.text) && !/^\{[\w.,*-]*\}$/.test(part.text);
      default:
        return true;
    }
  }

  /** Adds the output of a substitution if the line fixes it; returns whether it does. Without quotes, a pattern in it is expanded. */
  private addFixed(
    part: CommandExpansionPart,
    fixed: (value: string, kind: WordKind) => void,
    quoted: boolean,
  ): boolean {
    const { text } = this.output(part);
    if (text === undefined) return false;
    fixed(text, !quoted && /[*?[]/.test(text) ? 'glob' : 'resolved');
    return true;
  }
}

const UNCERTAINTY: readonly WordKind[] = ['literal', 'resolved', 'glob', 'dynamic'];

function moreUncertain(left: WordKind, right: WordKind): WordKind {
  return UNCERTAINTY.indexOf(left) >= UNCERTAINTY.indexOf(right) ? left : right;
}

export function withoutContinuations(text: string): string {
  return text.includes('\\\n') ? text.replaceAll('\\\n', '') : text;
}
