/**
 * Walks the syntax tree of a shell line and gathers its simple commands, wherever they
 * hide, and the reasons why the line cannot be read with certainty.
 */

import type { Assignment, Command, CommandArgument, ParsedScript, Redirected, Redirection, SyntaxNode } from 'unbash';
import { LineVariables } from './line-variables.ts';
import { doubtOf, hasSubscriptCode, readsSubscripts } from './shell-doubts.ts';
import { NameValues } from './name-values.ts';
import { NAME_PROBLEM, SYNTAX_PROBLEM } from './shell-line.ts';
import type { ShellAssignment, ShellRedirection, ShellWord, SimpleCommand } from './shell-line.ts';
import { WordReader, withoutContinuations } from './shell-words.ts';

export interface ShellParser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

const MAX_COMMANDS = 20_000;

const NOT_ARITHMETIC = /[\w'"]\s+[\w'"./]/;

const NO_WORD: ShellWord = { value: '', text: '', kind: 'literal', skeleton: '' };

export class LineReader {
  readonly commands: SimpleCommand[] = [];
  readonly problems: string[] = [];
  private readonly parser: ShellParser;
  private readonly source: string;
  private readonly variables: LineVariables;
  private readonly words: WordReader;
  private readonly names = new NameValues();
  private arithmetic = false;
  private subscriptCode = false;

  constructor(parser: ShellParser, source: string, variables: ReadonlyMap<string, string>) {
    this.parser = parser;
    this.source = source;
    this.variables = new LineVariables(variables, (node, callback) => parser.forEachChild(node, callback));
    this.words = new WordReader(this.variables);
  }

  read(script: ParsedScript): void {
    if (this.source.includes('=') || this.source.includes('$'))
      this.variables.collect(script, (word) => this.words.word(word));
    this.visit(script, this.source, false);
    // Arithmetic evaluates subscripts of the values it reads: x='a[$(id)]'; (( x )) runs id.
    if (this.arithmetic && this.subscriptCode) {
      this.problems.push('A value with a command inside a subscript meets an arithmetic expression.');
    }
    if (this.names.meetArithmetic) this.problems.push(NAME_PROBLEM);
  }

  private visit(node: SyntaxNode, source: string, piped: boolean): void {
    if (this.commands.length > MAX_COMMANDS) {
      if (this.commands.length === MAX_COMMANDS + 1) this.problems.push('The line holds more than 20,000 commands.');
      return;
    }
    this.names.note(node, source, (word) => this.words.word(word).kind);
    const doubt = doubtOf(node);
    if (doubt !== undefined && !this.problems.includes(doubt)) this.problems.push(doubt);
    switch (node.type) {
      case 'Script': {
        const own = node.source ?? source;
        for (const { message } of node.errors ?? []) this.problems.push(`${SYNTAX_PROBLEM}: ${message}.`);
        this.visitChildren(node, own, piped);
        return;
      }
      case 'Pipeline':
        this.parser.forEachChild(node, (child) => {
          const first = node.commands[0] === child;
          this.visit(child, source, piped || !first);
        });
        return;
      case 'Command':
        this.addCommand(node, source, piped);
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
        this.addRedirected(node, source, piped);
        break;
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script === undefined) this.problems.push('A substitution could not be read.');
        break;
      case 'ArithmeticCommand':
        this.addArithmetic(node.body, piped);
        break;
      case 'ArithmeticExpansion':
        this.addArithmetic(node.text.replace(/^\$(?:\(\(|\[)/, '').replace(/(?:\)\)|\])$/, ''), piped);
        break;
      case 'TestCommand':
        this.arithmetic = true;
        if (hasSubscriptCode(source.slice(node.pos, node.end))) this.subscriptCode = true;
        break;
      case 'ArithmeticFor':
      case 'Slice':
        this.arithmetic = true;
        break;
      default:
        if ('index' in node && node.index !== undefined) this.arithmetic = true;
    }
    this.visitChildren(node, source, piped && node.type !== 'Command');
  }

  /** Shells differ on where `((` opens a subshell instead: what may be commands is read as commands too. */
  private addArithmetic(text: string, piped: boolean): void {
    this.arithmetic = true;
    if (!NOT_ARITHMETIC.test(text)) return;
    this.problems.push('An arithmetic expression looks like a command.');
    this.visit(this.parser.parse(text), text, piped);
  }

  /** The redirections of a group, as a command without words. */
  private addRedirected(node: Redirected, source: string, piped: boolean): void {
    const { redirections, input } = this.redirections(node.redirects);
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

  private visitChildren(node: SyntaxNode, source: string, piped: boolean): void {
    this.parser.forEachChild(node, (child) => this.visit(child, source, piped));
  }

  private addCommand(node: Command, source: string, piped: boolean): void {
    const words: ShellWord[] = [];
    const assignments: ShellAssignment[] = [];
    for (const part of node.prefix) if (part.type === 'Assignment') assignments.push(this.assignment(part));
    if (node.name !== undefined) words.push(...this.words.expand(node.name));
    for (const argument of node.args) words.push(...this.argument(argument));
    for (const word of words) this.noteSubscript(word);
    if (readsSubscripts(words[0]?.value ?? '')) this.arithmetic = true;
    const { redirections, input } = this.redirections(node.redirects);
    this.commands.push({ words, assignments, redirections, source: source.slice(node.pos, node.end), input, piped });
  }

  private argument(argument: CommandArgument): ShellWord[] {
    if (argument.type === 'Word') return this.words.expand(argument);
    const { name, value } = this.assignment(argument);
    const text = withoutContinuations(argument.text);
    return [{ value: `${name}=${value.value}`, text, kind: value.kind, skeleton: `${name}=${value.skeleton}` }];
  }

  private assignment(node: Assignment): ShellAssignment {
    if (node.value.type === 'Word') {
      const value = this.words.word(node.value);
      this.noteSubscript(value);
      return { name: node.name, value };
    }
    for (const element of node.value.elements) this.noteSubscript(this.words.word(element));
    return { name: node.name, value: { value: node.text, text: node.text, kind: 'dynamic', skeleton: '' } };
  }

  private noteSubscript(word: ShellWord): void {
    if (hasSubscriptCode(word.skeleton)) this.subscriptCode = true;
  }

  private redirections(nodes: readonly Redirection[]): { redirections: ShellRedirection[]; input: string[] } {
    const redirections: ShellRedirection[] = [];
    const input: string[] = [];
    for (const node of nodes) {
      if (node.type === 'HereDoc') {
        input.push(node.body.text);
        if (node.delimiter === undefined || node.closing === undefined)
          this.problems.push('A here-document has no end.');
      } else {
        const target = node.target === undefined ? NO_WORD : this.words.word(node.target);
        if (node.type === 'HereString') input.push(target.value);
        else redirections.push({ operator: node.operator, target, writes: writes(node.operator, target) });
      }
    }
    return { redirections, input };
  }
}

/** Copies of descriptors and the null device change no file. */
function writes(operator: string, target: ShellWord): boolean {
  if (operator === '<') return false;
  if (operator === '<&' || operator === '>&') return !/^(?:\d+-?|-)$/.test(target.value) && operator === '>&';
  return !(target.kind === 'literal' && /^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.value));
}
