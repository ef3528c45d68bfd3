/**
 * Which variables of a line have one known value, and from where on. A value counts only
 * after a statement of its own at the top of the line; anything else makes it unknown.
 */

import type { Assignment, Command, ParameterOperation, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import type { ShellWord } from './shell-line.ts';

type ForEachChild = (node: SyntaxNode, callback: (child: SyntaxNode) => void) => void;

export class LineVariables {
  private readonly values: Map<string, string>;
  /** Names whose value the line changes in a way that is not one fixed text. */
  private readonly unknown = new Set<string>();
  /** Where each variable of the line gets its one value; before that it may be anything. */
  private readonly assignedAt = new Map<string, number>();
  private readonly forEachChild: ForEachChild;

  /** `known` are values from outside the line. */
  constructor(known: ReadonlyMap<string, string>, forEachChild: ForEachChild) {
    this.values = new Map(known);
    this.forEachChild = forEachChild;
  }

  get home(): string | undefined {
    return this.values.get('HOME');
  }

  /**
   * A variable has a known value only after a statement of its own at the top of the
   * line: in a condition, a loop or before a command it may hold or not hold.
   */
  collect(script: ParsedScript, read: (word: Word) => ShellWord): void {
    const certain = new Set<SyntaxNode>();
    for (const { command, background } of script.commands) {
      if (command.type !== 'Command' || background === true) continue;
      if (command.name === undefined) for (const part of command.prefix) certain.add(part);
      else if (['export', 'readonly'].includes(command.name.value)) for (const part of command.args) certain.add(part);
    }
    this.note(script, certain, read);
  }

  private note(node: SyntaxNode, certain: ReadonlySet<SyntaxNode>, read: (word: Word) => ShellWord): void {
    if (node.type === 'Assignment') this.noteAssignment(node, certain.has(node) ? read : undefined);
    else if (node.type === 'For' || node.type === 'Select') this.unknown.add(node.name.value);
    else if (node.type === 'Command') this.noteSetters(node);
    else if (node.type === 'ParameterExpansion' && node.operation?.operator.endsWith('=') === true)
      this.unknown.add(node.parameter);
    this.forEachChild(node, (child) => this.note(child, certain, read));
  }

  private noteAssignment(node: Assignment, read: ((word: Word) => ShellWord) | undefined): void {
    const { name, value, append, index } = node;
    if (this.values.has(name) && !this.assignedAt.has(name)) return;
    const plain = value.type === 'Word' && append !== true && index === undefined;
    const word = plain ? read?.(value) : undefined;
    const known = word !== undefined && word.kind !== 'dynamic' && word.kind !== 'glob';
    if (!known || this.assignedAt.has(name)) {
      this.unknown.add(name);
      return;
    }
    this.assignedAt.set(name, node.end);
    this.values.set(name, word.value);
  }

  /** Builtins that set variables by name. */
  private noteSetters(node: Command): void {
    const name = node.name?.value;
    if (name === undefined || !['read', 'mapfile', 'readarray', 'getopts', 'unset', 'let', 'printf'].includes(name))
      return;
    for (const argument of node.args) if (argument.type === 'Word') this.unknown.add(argument.value);
  }

  /** `${x:?}` and `${x:-y}` are x where it has a value. */
  private keepsValue({ type, operator }: ParameterOperation, name: string): boolean {
    return type === 'Default' && /[-?=]$/.test(operator) && (this.values.get(name) ?? '') !== '';
  }

  /** Undefined when it is known only when the line runs. */
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
