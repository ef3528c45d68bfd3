/**
 * What a shell line would run: every simple command in it, wherever it hides, with
 * its words, assignments and redirections. It reads syntax and judges nothing. What
 * it cannot read with certainty becomes a problem, never a guess.
 */

import type {
  Assignment,
  Command,
  CommandArgument,
  ParsedScript,
  Redirected,
  Redirection,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';
import { expandBraces } from './brace-expansion.ts';

interface ShellParser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/**
 * literal: exactly this text. glob: a pattern over file names. resolved: expansions
 * whose values the line itself fixes. dynamic: known only when it runs.
 */
export type WordKind = 'literal' | 'glob' | 'resolved' | 'dynamic';

export interface ShellWord {
  /** After quote removal; an expansion that is not known stands as written. */
  readonly value: string;
  /** As written, without line continuations. */
  readonly text: string;
  readonly kind: WordKind;
  /** The fixed characters around unknown expansions; equals `value` where there are none. */
  readonly skeleton: string;
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellRedirection {
  readonly operator: string;
  readonly target: ShellWord;
  /** Whether a file may be created or changed. */
  readonly writes: boolean;
}

export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirections: readonly ShellRedirection[];
  /** As written. */
  readonly source: string;
  /** Text fed to its standard input by the line itself: here-documents and here-strings. */
  readonly input: readonly string[];
  /** Whether another command's output is its input. */
  readonly piped: boolean;
}

export interface ShellLine {
  readonly commands: readonly SimpleCommand[];
  /** Why the line cannot be read with certainty. */
  readonly problems: readonly string[];
}

/** Longer lines are not read at all: nobody could review them either. */
const MAX_LENGTH = 1_000_000;
const MAX_COMMANDS = 20_000;

let parser: ShellParser | undefined;

/** The parser is large and most sessions of reading never need it. */
export async function loadShellParser(): Promise<void> {
  parser ??= await import('unbash');
}

/** Needs `loadShellParser` first. `variables` are values known from outside the line, for example HOME. */
export function parseShellLine(source: string, variables: ReadonlyMap<string, string> = new Map()): ShellLine {
  if (parser === undefined) throw new Error('loadShellParser() must be awaited before parseShellLine()');
  if (source.length > MAX_LENGTH)
    return { commands: [], problems: ['The command is longer than 1,000,000 characters.'] };
  const problems = unsafeCharacters(source);
  const reader = new LineReader(parser, source, variables);
  try {
    reader.read(parser.parse(source));
  } catch (error) {
    // A parser that gives up, for example on nesting without end, says the same as one that reports an error.
    problems.push(`The shell syntax could not be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return { commands: reader.commands, problems: [...problems, ...reader.problems] };
}

/** Characters on which shells, terminals and people disagree about where a word ends. */
function unsafeCharacters(source: string): string[] {
  const problems: string[] = [];
  if (source.includes('\0')) problems.push('The command contains a NUL character.');
  if (/\r(?!\n)/.test(source)) problems.push('The command contains a carriage return inside a line.');
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(source)) problems.push('The command contains control characters.');
  if (INVISIBLE.test(source)) problems.push('The command contains invisible or direction-changing characters.');
  return problems;
}

/** Format characters and line separators, and letters that look like nothing. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]|\u034f/u;

const NOT_ARITHMETIC = /[\w'"]\s+[\w'"./]/;

const NO_WORD: ShellWord = { value: '', text: '', kind: 'literal', skeleton: '' };

class LineReader {
  readonly commands: SimpleCommand[] = [];
  readonly problems: string[] = [];
  readonly #parser: ShellParser;
  readonly #source: string;
  readonly #variables: Map<string, string>;
  /** Names whose value the line changes in a way that is not one fixed text. */
  readonly #unknown = new Set<string>();
  /** Where each variable of the line gets its one value; before that it may be anything. */
  readonly #assignedAt = new Map<string, number>();
  #arithmetic = false;
  #subscriptCode = false;

  constructor(shellParser: ShellParser, source: string, variables: ReadonlyMap<string, string>) {
    this.#parser = shellParser;
    this.#source = source;
    this.#variables = new Map(variables);
  }

  read(script: ParsedScript): void {
    if (this.#source.includes('=') || this.#source.includes('$')) this.#collectVariables(script);
    this.#visit(script, this.#source, false);
    // Arithmetic evaluates subscripts of the values it reads: x='a[$(id)]'; (( x )) runs id.
    if (this.#arithmetic && this.#subscriptCode) {
      this.problems.push('A value with a command inside a subscript meets an arithmetic expression.');
    }
  }

  /**
   * A variable has a known value only after a statement of its own at the top of the
   * line: in a condition, a loop or before a command it may hold or not hold.
   */
  #collectVariables(script: ParsedScript): void {
    const certain = new Set<SyntaxNode>();
    for (const { command, background } of script.commands) {
      if (command.type !== 'Command' || background === true) continue;
      if (command.name === undefined) for (const part of command.prefix) certain.add(part);
      else if (['export', 'readonly'].includes(command.name.value)) for (const part of command.args) certain.add(part);
    }
    this.#noteVariables(script, certain);
  }

  #noteVariables(node: SyntaxNode, certain: ReadonlySet<SyntaxNode>): void {
    if (node.type === 'Assignment') this.#noteAssignment(node, certain.has(node));
    else if (node.type === 'For' || node.type === 'Select') this.#unknown.add(node.name.value);
    else if (node.type === 'Command') this.#noteSetters(node);
    else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default')
      this.#unknown.add(node.parameter);
    this.#parser.forEachChild(node, (child) => this.#noteVariables(child, certain));
  }

  #noteAssignment(node: Assignment, certain: boolean): void {
    const { name, value, append, index } = node;
    if (this.#variables.has(name) && !this.#assignedAt.has(name)) return;
    const plain = certain && value.type === 'Word' && append !== true && index === undefined;
    const word = plain ? this.#word(value) : undefined;
    const known = word !== undefined && word.kind !== 'dynamic' && word.kind !== 'glob';
    if (!known || this.#assignedAt.has(name)) {
      this.#unknown.add(name);
      return;
    }
    this.#assignedAt.set(name, node.end);
    this.#variables.set(name, word.value);
  }

  /** Builtins that set variables by name. */
  #noteSetters(node: Command): void {
    const name = node.name?.value;
    if (name === undefined || !['read', 'mapfile', 'readarray', 'getopts', 'unset', 'let', 'printf'].includes(name))
      return;
    for (const argument of node.args) if (argument.type === 'Word') this.#unknown.add(argument.value);
  }

  #visit(node: SyntaxNode, source: string, piped: boolean): void {
    if (this.commands.length > MAX_COMMANDS) {
      if (this.commands.length === MAX_COMMANDS + 1) this.problems.push('The line holds more than 20,000 commands.');
      return;
    }
    switch (node.type) {
      case 'Script': {
        const own = node.source ?? source;
        for (const { message } of node.errors ?? [])
          this.problems.push(`The shell syntax could not be read: ${message}.`);
        this.#visitChildren(node, own, piped);
        return;
      }
      case 'Pipeline':
        this.#parser.forEachChild(node, (child) => {
          const first = node.commands[0] === child;
          this.#visit(child, source, piped || !first);
        });
        return;
      case 'Command':
        this.#addCommand(node, source, piped);
        break;
      case 'Function':
        if (
          source
            .slice(node.body.pos, node.body.end)
            .split(/[\s;|&(){}]+/)
            .includes(node.name.value)
        ) {
          this.problems.push(`The function ${node.name.value} calls itself.`);
        }
        break;
      case 'Redirected':
        this.#addRedirected(node, source, piped);
        break;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script === undefined) this.problems.push('A substitution could not be read.');
        break;
      case 'ArithmeticCommand':
        this.#addArithmetic(node.body, piped);
        break;
      case 'ArithmeticExpansion':
        this.#addArithmetic(node.text.replace(/^\$(?:\(\(|\[)/, '').replace(/(?:\)\)|\])$/, ''), piped);
        break;
      case 'ArithmeticFor':
      case 'Slice':
      case 'TestCommand':
        this.#arithmetic = true;
        break;
      default:
        if ('index' in node && node.index !== undefined) this.#arithmetic = true;
    }
    this.#visitChildren(node, source, piped && node.type !== 'Command');
  }

  /** Shells differ on where `((` opens a subshell instead: what may be commands is read as commands too. */
  #addArithmetic(text: string, piped: boolean): void {
    this.#arithmetic = true;
    if (!NOT_ARITHMETIC.test(text)) return;
    this.problems.push('An arithmetic expression looks like a command.');
    this.#visit(this.#parser.parse(text), text, piped);
  }

  /** The redirections of a group, as a command without words. */
  #addRedirected(node: Redirected, source: string, piped: boolean): void {
    const { redirections, input } = this.#redirections(node.redirects);
    if (redirections.length === 0) return;
    const start = node.redirects[0]?.pos ?? node.pos;
    this.commands.push({
      words: [],
      assignments: [],
      redirections,
      source: source.slice(start, node.end),
      input,
      piped,
    });
  }

  #visitChildren(node: SyntaxNode, source: string, piped: boolean): void {
    this.#parser.forEachChild(node, (child) => this.#visit(child, source, piped));
  }

  #addCommand(node: Command, source: string, piped: boolean): void {
    const words: ShellWord[] = [];
    const assignments: ShellAssignment[] = [];
    for (const part of node.prefix) if (part.type === 'Assignment') assignments.push(this.#assignment(part));
    if (node.name !== undefined) words.push(...this.#expand(node.name));
    for (const argument of node.args) words.push(...this.#argument(argument));
    for (const word of words) this.#noteSubscript(word);
    if (['let', 'test', '[', 'printf', 'declare', 'typeset'].includes(words[0]?.value ?? '')) this.#arithmetic = true;
    const { redirections, input } = this.#redirections(node.redirects);
    this.commands.push({ words, assignments, redirections, source: source.slice(node.pos, node.end), input, piped });
  }

  #argument(argument: CommandArgument): ShellWord[] {
    if (argument.type === 'Word') return this.#expand(argument);
    const { name, value } = this.#assignment(argument);
    const text = withoutContinuations(argument.text);
    return [{ value: `${name}=${value.value}`, text, kind: value.kind, skeleton: `${name}=${value.skeleton}` }];
  }

  #assignment(node: Assignment): ShellAssignment {
    if (node.value.type === 'Word') {
      const value = this.#word(node.value);
      this.#noteSubscript(value);
      return { name: node.name, value };
    }
    for (const element of node.value.elements) this.#noteSubscript(this.#word(element));
    return { name: node.name, value: { value: node.text, text: node.text, kind: 'dynamic', skeleton: '' } };
  }

  #noteSubscript(word: ShellWord): void {
    if (word.skeleton.includes('[$(') || word.skeleton.includes('[`')) this.#subscriptCode = true;
  }

  #redirections(nodes: readonly Redirection[]): { redirections: ShellRedirection[]; input: string[] } {
    const redirections: ShellRedirection[] = [];
    const input: string[] = [];
    for (const node of nodes) {
      if (node.type === 'HereDoc') {
        input.push(node.body.text);
        if (node.delimiter === undefined || node.closing === undefined)
          this.problems.push('A here-document has no end.');
      } else {
        const target = node.target === undefined ? NO_WORD : this.#word(node.target);
        if (node.type === 'HereString') input.push(target.value);
        else redirections.push({ operator: node.operator, target, writes: writes(node.operator, target) });
      }
    }
    return { redirections, input };
  }

  /** One written word as the words the shell makes of it, as far as that is known. */
  #expand(node: Word): ShellWord[] {
    const word = this.#word(node);
    if (word.kind === 'resolved' && !/["']/.test(word.text) && /\s/.test(word.value)) {
      return word.value
        .split(/\s+/)
        .filter((piece) => piece !== '')
        .map((piece) => ({ value: piece, text: word.text, kind: 'resolved' as const, skeleton: piece }));
    }
    if (node.parts?.some(({ type }) => type === 'BraceExpansion') === true && word.kind === 'dynamic') {
      const pieces = expandBraces(node.text);
      if (pieces !== undefined) {
        return pieces.map((value) => ({ value, text: word.text, kind: 'resolved' as const, skeleton: value }));
      }
    }
    return [word];
  }

  #word(node: Word): ShellWord {
    const text = withoutContinuations(node.text);
    if (node.parts === undefined)
      return this.#tilde({ value: node.value, text, kind: 'literal', skeleton: node.value });
    const state: { kind: WordKind; value: string; skeleton: string } = { kind: 'literal', value: '', skeleton: '' };
    for (const part of node.parts) this.#addPart(part, state);
    return this.#tilde({ ...state, text });
  }

  #tilde(word: ShellWord): ShellWord {
    const home = this.#variables.get('HOME');
    if (home === undefined || !/^~(?=\/|$)/.test(word.text)) return word;
    const value = home + word.value.slice(1);
    return { value, text: word.text, kind: word.kind === 'literal' ? 'resolved' : word.kind, skeleton: value };
  }

  #addPart(part: WordPart, state: { kind: WordKind; value: string; skeleton: string }): void {
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
        for (const child of part.parts) this.#addPart(child, state);
        return;
      case 'Glob':
      case 'ExtendedGlob':
        fixed(part.text, 'glob');
        return;
      default: {
        const value = this.#valueOf(part);
        if (value !== undefined) {
          fixed(value, 'resolved');
          return;
        }
        state.value += part.text;
        state.kind = 'dynamic';
      }
    }
  }

  #valueOf(part: WordPart): string | undefined {
    let name: string | undefined;
    if (part.type === 'SimpleExpansion') name = part.text.slice(1);
    else if (
      part.type === 'ParameterExpansion' &&
      part.prefix === undefined &&
      part.index === undefined &&
      part.operation === undefined
    ) {
      name = part.parameter;
    }
    if (name === undefined || this.#unknown.has(name)) return undefined;
    if (part.pos < (this.#assignedAt.get(name) ?? 0)) return undefined;
    return this.#variables.get(name);
  }
}

const UNCERTAINTY: readonly WordKind[] = ['literal', 'resolved', 'glob', 'dynamic'];

function moreUncertain(left: WordKind, right: WordKind): WordKind {
  return UNCERTAINTY.indexOf(left) >= UNCERTAINTY.indexOf(right) ? left : right;
}

function withoutContinuations(text: string): string {
  return text.includes('\\\n') ? text.replaceAll('\\\n', '') : text;
}

/** Copies of descriptors and the null device change no file. */
function writes(operator: string, target: ShellWord): boolean {
  if (operator === '<') return false;
  if (operator === '<&' || operator === '>&') return !/^(?:\d+-?|-)$/.test(target.value) && operator === '>&';
  return !(target.kind === 'literal' && /^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.value));
}
