/**
 * Determines which variables of a line have one known value, and from where on. A value
 * counts only after its own statement at the top of the line; anything else makes it
 * unknown.
 */

import type { Assignment, Command, ParameterOperation, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import type { ShellWord } from './shell-word.ts';
import { wider } from './substitution-output.ts';
import type { OutputShape } from './shell-word.ts';
import { candidateKey, VariableCandidates } from './variable-candidates.ts';
import { VariableOrigins } from './variable-origins.ts';
import type { ForEachChild } from './variable-setters.ts';
import {
  assignedIn,
  assignedInInput,
  certainAssignments,
  functionNames,
  HIDES_ASSIGNMENTS,
  isWord,
  READS_INPUT,
  SET_BY_SHELL,
  SETTERS,
} from './variable-setters.ts';

export class LineVariables {
  private readonly values: Map<string, string>;
  /** Names whose value the line changes to something other than one fixed text. */
  private readonly unknown = new Set<string>();
  /** Where the line assigns each variable its one value; before that it may hold anything. */
  private readonly assignedAt = new Map<string, number>();
  /** The output that a variable holds when the line fills it from a command. */
  private readonly shapes = new Map<string, OutputShape>();
  private readonly candidates = new VariableCandidates();
  /** Names that the line sets to something it does not show. */
  private readonly opaque = new Set<string>();
  private readonly origins = new VariableOrigins((name) => this.isCertain(name));
  /** Whether the line changes IFS for its own words. */
  splitsOddly = false;
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
    for (const name of this.opaque) inner.opaque.add(name);
    inner.splitsOddly = this.splitsOddly;
    return inner;
  }

  /** For a script in the words of a line: what the line sets may be set there. */
  inherit(outer: LineVariables | undefined, positional: readonly ShellWord[]): void {
    if (outer !== undefined) {
      this.candidates.copy(outer.candidates);
      for (const [name, value] of outer.values) if (outer.assignedAt.has(name)) this.candidates.add(name, value);
      for (const name of outer.opaque) this.opaque.add(name);
      this.splitsOddly = outer.splitsOddly;
    }
    for (const word of positional) this.setOutside('@', word);
  }

  /** A variable that a wrapper or an assignment before the command sets for a script. */
  setOutside(name: string, word: ShellWord): void {
    for (const text of word.kind === 'dynamic' ? (word.candidates ?? []) : [word.value])
      this.candidates.add(name, text);
    if (word.open === true) this.opaque.add(name);
  }

  /** Whether the variable may hold something that the line sets but does not show. */
  isOpen(name: string): boolean {
    if (/^[?#$!-]$/.test(name)) return false;
    const key = candidateKey(name);
    if (SET_BY_SHELL.test(key) || this.opaque.has(key) || this.candidates.isFull(key)) return true;
    return name === 'PWD' && this.unknown.has('PWD');
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
    // In a line that changes its folder, the folder of that moment.
    if (name === 'PWD' && value === undefined) return ['.', ...this.candidates.of(name)];
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
  collect(
    script: Pick<ParsedScript, 'commands'> & SyntaxNode,
    read: (word: Word) => ShellWord,
    definesFunctions: boolean,
  ): void {
    // Before everything else: a function may be called in the body of an earlier one.
    if (definesFunctions) for (const name of functionNames(script, this.forEachChild)) this.redefined.add(name);
    this.note(script, certainAssignments(script), read);
  }

  private note(node: SyntaxNode, certain: ReadonlySet<SyntaxNode>, read: (word: Word) => ShellWord): void {
    this.candidates.note(node, read, this.redefined);
    if (node.type === 'Assignment') this.noteAssignment(node, certain.has(node) ? read : undefined);
    else if (node.type === 'For' || node.type === 'Select') this.unknown.add(node.name.value);
    else if (node.type === 'Function') this.redefined.add(node.name.value);
    else if (node.type === 'Command') this.noteSetters(node, read);
    else if (node.type === 'ParameterExpansion' && node.operation?.operator.endsWith('=') === true)
      this.unknown.add(node.parameter);
    this.forEachChild(node, (child) => this.note(child, certain, read));
  }

  /**
   * Records what the line fills its variables with; true when that added information. A
   * loop may use a variable before it is filled.
   */
  collectShapes(node: SyntaxNode, read: (word: Word) => ShellWord): boolean {
    const given = this.noteArguments(node, read);
    let changed = this.noteFilled(node, read) || given;
    this.forEachChild(node, (child) => {
      changed = this.collectShapes(child, read) || changed;
    });
    return changed;
  }

  /** The arguments of a function become known after its body. */
  private noteArguments(node: SyntaxNode, read: (word: Word) => ShellWord): boolean {
    if (this.redefined.size === 0) return false;
    const isLoop = node.type === 'For' || node.type === 'Select';
    if (!isLoop && !(node.type === 'Assignment' && node.append !== true && !this.opaque.has(node.name))) return false;
    const { count } = this.candidates;
    this.candidates.note(node, read, this.redefined);
    return this.candidates.count > count;
  }

  private noteFilled(node: SyntaxNode, read: (word: Word) => ShellWord): boolean {
    switch (node.type) {
      case 'Assignment': {
        const words = node.value.type === 'Word' ? [node.value] : node.value.elements;
        // A text that grows, in a loop perhaps, has more values than the line shows.
        const grows = node.append === true && node.value.type === 'Word' && this.noteOpaque(node.name);
        return this.noteShape(node.name, words, read) || grows;
      }
      case 'For':
      case 'Select':
        return this.noteLoop(node.name.value, node.wordlist, read);
      case 'ParameterExpansion': {
        const { operation, parameter } = node;
        const assigns = operation?.type === 'Default' && operation.operator.endsWith('=');
        return assigns && this.noteShape(parameter, [operation.operand], read);
      }
      case 'Command': {
        const name = node.name?.value ?? '';
        if (name !== 'set' && !this.redefined.has(name)) return false;
        return this.noteShape('@', node.args.filter(isWord), read);
      }
      default:
        return false;
    }
  }

  /** Without a list the loop runs over the arguments. */
  private noteLoop(name: string, list: readonly Word[] | undefined, read: (word: Word) => ShellWord): boolean {
    if (list === undefined) return this.opaque.has('@') && this.noteOpaque(name);
    return this.noteShape(name, list, read);
  }

  private noteShape(name: string, words: readonly Word[], read: (word: Word) => ShellWord): boolean {
    const before = this.shapes.get(name);
    // Only expansions can hold output.
    const expanded = words.filter(({ parts, text }) => parts !== undefined || text.startsWith('~')).map(read);
    const shape = expanded.map(({ output }) => output).reduce(wider, before);
    if (shape !== undefined) this.shapes.set(name, shape);
    const isOpen = expanded.some(({ open, text }) => open === true || this.origins.comesFrom(text, name));
    return (isOpen && this.noteOpaque(name)) || shape !== before;
  }

  private noteOpaque(name: string): boolean {
    const { size } = this.opaque;
    this.unknown.add(name);
    this.opaque.add(name);
    return this.opaque.size > size;
  }

  private isCertain(name: string): boolean {
    return this.values.has(name) && !this.unknown.has(name);
  }

  /** Undefined when the node uses no such variable. */
  shapeOf(node: SyntaxNode): OutputShape | undefined {
    if (node.type === 'SimpleExpansion') return this.shapes.get(node.text.slice(1));
    return node.type === 'ParameterExpansion' ? this.shapes.get(node.parameter) : undefined;
  }

  private noteAssignment(node: Assignment, read: ((word: Word) => ShellWord) | undefined): void {
    const { name, value, append, index } = node;
    if (name === 'IFS' && read !== undefined) this.splitsOddly = true;
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
  private noteSetters(node: Command, read: (word: Word) => ShellWord): void {
    const first = node.name?.value;
    const name = first === 'builtin' || first === 'command' ? node.args[0]?.text : first;
    if (name === undefined) return;
    if (HIDES_ASSIGNMENTS.has(name)) this.noteHidden(node, read);
    if (!SETTERS.has(name)) return;
    this.noteNamed(name, node.args.filter(isWord));
  }

  private noteNamed(setter: string, words: readonly Word[]): void {
    // `printf -vx` names the variable in the same word.
    const named = words.map(({ value }) => value.replace(/^-[A-Za-z](?=.)/, '').replace(/\[.*$/s, ''));
    const isPlain = setter === 'printf' && words.every(({ value }) => /^[\w./%-]*$/.test(value));
    const isOpaque = READS_INPUT.has(setter) || (setter === 'printf' && !isPlain);
    for (const variable of named) {
      this.unknown.add(variable);
      if (isOpaque) this.opaque.add(variable);
      if (variable === 'IFS') this.splitsOddly = true;
    }
    if (READS_INPUT.has(setter)) for (const variable of ['REPLY', 'MAPFILE', 'OPTARG']) this.opaque.add(variable);
  }

  /** Records variables that code in an argument sets, or that are aliased: `eval x=1`, `declare -n y=x`. */
  private noteHidden({ args, redirects, name: head }: Command, read: (word: Word) => ShellWord): void {
    const isCode = !/^(?:declare|typeset|local)$/.test(head?.value ?? '');
    const isChanged = args.some((option) => /^-[A-Za-z]*[nilu]/.test(option.text));
    for (const name of isCode ? assignedInInput(redirects) : []) this.noteOpaque(name);
    for (const argument of args) {
      for (const name of assignedIn(argument, read)) {
        this.unknown.add(name);
        if (isCode || isChanged) this.opaque.add(name);
        if (name === 'IFS') this.splitsOddly = true;
      }
      const other = isChanged ? /=["']?([A-Za-z_]\w*)/.exec(argument.text)?.[1] : undefined;
      if (other !== undefined) this.noteOpaque(other);
    }
  }

  /** `${x:?}` and `${x:-y}` equal x when it has a value. */
  private keepsValue({ type, operator }: ParameterOperation, name: string): boolean {
    return type === 'Default' && /[-?=]$/.test(operator) && (this.values.get(name) ?? '') !== '';
  }

  /** Undefined when unknown before the line runs. */
  valueOf(part: WordPart): string | undefined {
    if (part.type === 'SimpleExpansion') return this.knownAt(part.text.slice(1), part.pos);
    if (part.type !== 'ParameterExpansion' || part.prefix !== undefined || part.index !== undefined) return undefined;
    const { operation, parameter, pos } = part;
    const isKept = operation === undefined || this.keepsValue(operation, parameter);
    return isKept ? this.knownAt(parameter, pos) : undefined;
  }

  /** The value that the variable certainly has at this position. */
  knownAt(name: string, position: number): string | undefined {
    if (this.unknown.has(name) || position < (this.assignedAt.get(name) ?? 0)) return undefined;
    return this.values.get(name);
  }
}
