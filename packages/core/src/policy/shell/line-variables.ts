/**
 * Determines which variables of a line have one known value, and from where on. A value
 * counts only after its own statement at the top of the line; anything else makes it
 * unknown.
 */

import type { Assignment, Command, ParameterOperation, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import type { ShellWord } from './shell-line.ts';
import { wider } from './substitution-output.ts';
import type { OutputShape } from './substitution-output.ts';
import { VariableCandidates } from './variable-candidates.ts';

type ForEachChild = (node: SyntaxNode, callback: (child: SyntaxNode) => void) => void;

export class LineVariables {
  private readonly values: Map<string, string>;
  /** Names whose value the line changes to something other than one fixed text. */
  private readonly unknown = new Set<string>();
  /** Where the line assigns each variable its one value; before that it may hold anything. */
  private readonly assignedAt = new Map<string, number>();
  /** The output that a variable holds when the line fills it from a command. */
  private readonly shapes = new Map<string, OutputShape>();
  private readonly candidates = new VariableCandidates();
  readonly forEachChild: ForEachChild;
  /** Commands the line redefines: a function may have any name. */
  readonly redefined = new Set<string>();

  /** `known` are values from outside the line. */
  constructor(known: ReadonlyMap<string, string>, forEachChild: ForEachChild) {
    this.values = new Map(known);
    this.forEachChild = forEachChild;
  }

  /**
   * For a script that runs in a separate shell at `position`: inherits what is known
   * there, and returns none of its assignments.
   */
  inside(position: number): LineVariables {
    const isKnown = (name: string) => !this.unknown.has(name) && position >= (this.assignedAt.get(name) ?? 0);
    const inner = new LineVariables(new Map(), this.forEachChild);
    for (const [name, value] of this.values) {
      if (!isKnown(name)) continue;
      inner.values.set(name, value);
      if (this.assignedAt.has(name)) inner.assignedAt.set(name, -1);
    }
    inner.candidates.copy(this.candidates);
    for (const [name, shape] of this.shapes) inner.shapes.set(name, shape);
    for (const name of this.redefined) inner.redefined.add(name);
    return inner;
  }

  /** The values of `~`; several when the line sets HOME. */
  get homes(): readonly string[] {
    const home = this.values.get('HOME');
    if (home === undefined) return [];
    return this.unknown.has('HOME') ? [home, ...this.candidates.of('HOME')] : [home];
  }

  /** The fixed texts that a variable without a certain value may hold. */
  candidatesOf(name: string): readonly string[] {
    const value = this.values.get(name);
    return value === undefined ? this.candidates.of(name) : [value, ...this.candidates.of(name)];
  }

  /** The folder of the line, if it does not change it. */
  get directory(): string | undefined {
    return this.unknown.has('PWD') || this.assignedAt.has('PWD') ? undefined : this.values.get('PWD');
  }

  /**
   * A variable has a known value only after its own statement at the top of the line: in a
   * condition, in a loop or before a command the assignment may not take effect.
   */
  collect(script: Pick<ParsedScript, 'commands'> & SyntaxNode, read: (word: Word) => ShellWord): void {
    const certain = new Set<SyntaxNode>();
    for (const { command, background } of script.commands) {
      if (command.type !== 'Command' || background === true) continue;
      if (command.name === undefined) for (const part of command.prefix) certain.add(part);
      else if (['export', 'readonly'].includes(command.name.value)) for (const part of command.args) certain.add(part);
    }
    this.note(script, certain, read);
  }

  private note(node: SyntaxNode, certain: ReadonlySet<SyntaxNode>, read: (word: Word) => ShellWord): void {
    this.candidates.note(node, read, this.redefined);
    if (node.type === 'Assignment') this.noteAssignment(node, certain.has(node) ? read : undefined);
    else if (node.type === 'For' || node.type === 'Select') this.unknown.add(node.name.value);
    else if (node.type === 'Function') this.redefined.add(node.name.value);
    else if (node.type === 'Command') this.noteSetters(node);
    else if (node.type === 'ParameterExpansion' && node.operation?.operator.endsWith('=') === true)
      this.unknown.add(node.parameter);
    this.forEachChild(node, (child) => this.note(child, certain, read));
  }

  /**
   * Records what the line fills its variables with; true when that added information. A
   * loop may use a variable before it is filled.
   */
  collectShapes(node: SyntaxNode, read: (word: Word) => ShellWord): boolean {
    let changed = false;
    if (node.type === 'Assignment') {
      const words = node.value.type === 'Word' ? [node.value] : node.value.elements;
      changed = this.noteShape(node.name, words, read);
    } else if (node.type === 'For' || node.type === 'Select') {
      changed = this.noteShape(node.name.value, node.wordlist ?? [], read);
    }
    this.forEachChild(node, (child) => {
      changed = this.collectShapes(child, read) || changed;
    });
    return changed;
  }

  private noteShape(name: string, words: readonly Word[], read: (word: Word) => ShellWord): boolean {
    const before = this.shapes.get(name);
    // Only expansions can hold output.
    const outputs = words.map((word) => (word.parts === undefined ? undefined : read(word).output));
    const shape = outputs.reduce(wider, before);
    if (shape !== undefined) this.shapes.set(name, shape);
    return shape !== before;
  }

  /** Undefined when the node uses no such variable. */
  shapeOf(node: SyntaxNode): OutputShape | undefined {
    if (node.type === 'SimpleExpansion') return this.shapes.get(node.text.slice(1));
    return node.type === 'ParameterExpansion' ? this.shapes.get(node.parameter) : undefined;
  }

  private noteAssignment(node: Assignment, read: ((word: Word) => ShellWord) | undefined): void {
    const { name, value, append, index } = node;
    const plain = value.type === 'Word' && append !== true && index === undefined;
    const word = plain ? read?.(value) : undefined;
    const known = word !== undefined && word.kind !== 'dynamic' && word.kind !== 'glob';
    // A value from outside the line, for example HOME, is one of two from now on.
    if (!known || this.assignedAt.has(name) || this.values.has(name)) {
      this.unknown.add(name);
      return;
    }
    this.assignedAt.set(name, node.end);
    this.values.set(name, word.value);
  }

  /** Builtins that set variables by name. */
  private noteSetters(node: Command): void {
    const name = node.name?.value;
    if (name !== undefined && ['eval', 'declare', 'typeset', 'local'].includes(name)) this.noteHidden(node);
    if (name === undefined || !['read', 'mapfile', 'readarray', 'getopts', 'unset', 'let', 'printf'].includes(name))
      return;
    // `printf -vx` names the variable in the same word.
    for (const argument of node.args)
      if (argument.type === 'Word') this.unknown.add(argument.value.replace(/^-[A-Za-z](?=.)/, ''));
  }

  /** Records variables that code in an argument sets, or that are aliased: `eval x=1`, `declare -n y=x`. */
  private noteHidden({ args }: Command): void {
    for (const { text } of args) {
      for (const [, name = ''] of text.matchAll(/([A-Za-z_]\w*)\+?=/g)) this.unknown.add(name);
      const other = /=["']?([A-Za-z_]\w*)/.exec(text)?.[1];
      if (other !== undefined && args.some((option) => /^-[A-Za-z]*n/.test(option.text))) this.unknown.add(other);
    }
  }

  /** `${x:?}` and `${x:-y}` equal x when it has a value. */
  private keepsValue({ type, operator }: ParameterOperation, name: string): boolean {
    return type === 'Default' && /[-?=]$/.test(operator) && (this.values.get(name) ?? '') !== '';
  }

  /** Undefined when unknown before the line runs. */
  valueOf(part: WordPart): string | undefined {
    let name: string | undefined;
    if (part.type === 'SimpleExpansion') name = part.text.slice(1);
    else if (
      part.type === 'ParameterExpansion' &&
      part.prefix === undefined &&
      part.index === undefined &&
      (part.operation === undefined || this.keepsValue(part.operation, part.parameter))
    ) {
      name = part.parameter;
    }
    if (name === undefined || this.unknown.has(name)) return undefined;
    if (part.pos < (this.assignedAt.get(name) ?? 0)) return undefined;
    return this.values.get(name);
  }
}
