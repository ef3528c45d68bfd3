/**
 * Finds values that the line assigns to variables and the shell evaluates later: an
 * indirect expansion, an integer variable and arithmetic run the command in `a[$(id)]`,
 * even when the line writes it in pieces, and arithmetic sets variables. It does not track
 * values; it checks everything the line assigns.
 */

import type { ParameterOperation, SyntaxNode, Word } from 'unbash';
import { keyProblem, piecesProblem, setterProblem } from './shell-line.ts';
import type { WordReader } from './shell-words.ts';
import { assignmentRisk } from './variable-risks.ts';

/** Integer variables of bash: it evaluates whatever is assigned to them. */
const INTEGER_VARIABLE = /^(?:RANDOM|SRANDOM|SECONDS|OPTIND|HISTCMD|LINENO|BASHPID|MAILCHECK|EUID|UID|PPID)$/;

export function isInteger(name: string): boolean {
  return INTEGER_VARIABLE.test(name);
}

/** `${!x}` reads the variable that the value of x names, with its subscript; `${!x@}` and `${!x[@]}` list names. */
export function isIndirect(node: SyntaxNode): boolean {
  if (node.type !== 'ParameterExpansion' || node.prefix !== '!' || node.operation?.type === 'Names') return false;
  return !/^[@*]$/.test(node.index?.value ?? '');
}

/** A variable that arithmetic sets: `x = 1`, `x += 1`, `x++`, `++x`. */
const SET_IN_ARITHMETIC = /([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)/g;

/** The first variable that the text, as arithmetic, sets and that changes what programs load. */
export function loaderSetIn(text: string): string | undefined {
  if (!/=|\+\+|--/.test(text)) return undefined;
  for (const [, left, right] of text.matchAll(SET_IN_ARITHMETIC)) {
    const name = left ?? right ?? '';
    if (assignmentRisk(name).length > 0) return name;
  }
  return undefined;
}

export class EvaluatedValues {
  /** Whether anything other than arithmetic evaluates a value. */
  evaluates = false;
  /** Characters that put a command together, and the first value that contains each. */
  private readonly characters = new Map<string, string>();
  private loopVariable: string | undefined;
  private key: string | undefined;
  private loaderInValue: string | undefined;

  /** `redefined` are the functions of the line, whose arguments are variables too. */
  note(node: SyntaxNode, words: WordReader, redefined: ReadonlySet<string>): void {
    switch (node.type) {
      case 'Assignment':
        if (isInteger(node.name)) this.evaluates = true;
        if (node.value.type !== 'Word') this.noteKeys(node.value.elements);
        this.add(node.value.type === 'Word' ? [node.value] : node.value.elements, words);
        return;
      case 'For':
      case 'Select':
        if (isInteger(node.name.value)) this.evaluates = true;
        if (assignmentRisk(node.name.value).length > 0) this.loopVariable ??= node.name.value;
        this.add(node.wordlist ?? [], words);
        return;
      case 'ParameterExpansion':
        if (isIndirect(node)) this.evaluates = true;
        this.add(operandsOf(node.operation), words);
        return;
      case 'Command': {
        const name = node.name?.value ?? '';
        const isTaken = name === 'set' || redefined.has(name);
        if (isTaken) for (const argument of node.args) if (argument.type === 'Word') this.add([argument], words);
        return;
      }
      default:
    }
  }

  /** `x=([key]=value)`: a key is evaluated, and quotes do not keep a command in it from running. */
  private noteKeys(elements: readonly Word[]): void {
    for (const { text } of elements) {
      if (!text.startsWith('[')) continue;
      this.evaluates = true;
      if (!/^\[[\w.@:/+-]*\]\+?=/.test(text)) this.key ??= text;
    }
  }

  private add(values: readonly Word[], words: WordReader): void {
    for (const value of values) {
      const { skeleton } = words.word(value);
      for (const [character] of skeleton.matchAll(/[[$(`]/g))
        if (!this.characters.has(character)) this.characters.set(character, value.text);
      this.loaderInValue ??= loaderSetIn(skeleton);
    }
  }

  /** The problems of the line; `arithmetic` states whether the line contains arithmetic, `texts` are the expressions. */
  problems(arithmetic: boolean, texts: readonly string[]): string[] {
    const problems: string[] = [];
    const has = (character: string) => this.characters.has(character);
    if (this.key !== undefined) problems.push(keyProblem(this.key));
    if (arithmetic && has('[') && (has('`') || (has('$') && has('('))))
      problems.push(piecesProblem([...new Set(this.characters.values())]));
    const set = this.loopVariable ?? firstLoader(texts) ?? (arithmetic ? this.loaderInValue : undefined);
    if (set !== undefined) problems.push(setterProblem(set));
    return problems;
  }
}

/** Words that become part of the expansion's result. */
function operandsOf(operation: ParameterOperation | undefined): readonly Word[] {
  if (operation?.type === 'Default') return [operation.operand];
  return operation?.type === 'Replace' ? [operation.replacement] : [];
}

function firstLoader(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const name = loaderSetIn(text);
    if (name !== undefined) return name;
  }
  return undefined;
}
