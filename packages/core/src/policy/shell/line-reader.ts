/**
 * Walks the syntax tree of a shell line and collects its simple commands at any depth, and
 * the reasons why the line cannot be read with certainty.
 */

import type {
  Assignment,
  Command,
  CommandArgument,
  ParsedScript,
  Pipeline,
  Redirected,
  Redirection,
  SyntaxNode,
  Word,
} from 'unbash';
import { readRedirections } from './line-redirections.ts';
import type { Redirections } from './line-redirections.ts';
import { LineVariables } from './line-variables.ts';
import { doubtOf, hasSubscriptCode, readsSubscripts } from './shell-doubts.ts';
import { EvaluatedValues } from './evaluated-values.ts';
import { NameValues } from './name-values.ts';
import { clipped, descriptorProblem, subscriptProblem, syntaxProblem } from './shell-line.ts';
import type { Feed, OuterLine, ShellAssignment, SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { WordReader, withoutContinuations } from './shell-words.ts';

export interface ShellParser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

const MAX_COMMANDS = 20_000;
const MAX_SUBSTITUTIONS = 16;
/** How often a line may fill one variable from another, in the wrong order, before it counts as unreadable. */
const MAX_ROUNDS = 8;

/** `{x[key]}<file` */
const DESCRIPTOR = /\{[A-Za-z_]\w*\[[^]*\]\}[<>]/;
const NOT_ARITHMETIC = /[\w'"]\s+[\w'"./]/;

/** The context of a node: whether a pipe feeds it, and the substitutions around it, outermost first. */
type Where = Pick<SimpleCommand, 'piped' | 'substitutions' | 'feed'>;

/** Statements that run one after the other. */
type Scope = Parameters<LineVariables['collect']>[0];

type Substitution = Extract<
  SyntaxNode,
  { type: 'CommandExpansion' | 'ProcessSubstitution' | 'ArithmeticCommandExpansion' }
>;

export class LineReader {
  readonly commands: SimpleCommand[] = [];
  readonly problems: string[] = [];
  private readonly parser: ShellParser;
  private readonly source: string;
  /** The variables of the current script; a substitution and a subshell have their own. */
  private variables: LineVariables;
  private words: WordReader;
  private readonly names = new NameValues();
  private readonly evaluated = new EvaluatedValues();
  private arithmetic = false;
  /** The first value with a command in a subscript, as written. */
  private subscriptCode: string | undefined;

  constructor(parser: ShellParser, source: string, variables: ReadonlyMap<string, string>, outer?: OuterLine) {
    this.parser = parser;
    this.source = source;
    this.variables = new LineVariables(variables, (node, callback) => parser.forEachChild(node, callback));
    if (outer !== undefined) this.variables.inherit(outer.variables, outer.positional);
    for (const { name, value } of outer?.assignments ?? []) this.variables.setOutside(name, value);
    this.words = new WordReader(this.variables);
  }

  /** The variables of the line itself. */
  get lineVariables(): LineVariables {
    return this.variables;
  }

  read(script: ParsedScript): void {
    if (/[=$`]/.test(this.source)) this.collect(script);
    this.visit(script, this.source, { piped: false, substitutions: [] });
    // Arithmetic evaluates subscripts of the values it reads: x='a[$(id)]'; (( x )) runs id.
    const arithmetic = this.arithmetic || this.evaluated.evaluates;
    if (arithmetic && this.subscriptCode !== undefined) this.problems.push(subscriptProblem(this.subscriptCode));
    this.problems.push(...this.evaluated.problems(arithmetic, this.names.expressions));
    this.problems.push(...this.names.problems);
    const [descriptor] = DESCRIPTOR.exec(withoutContinuations(this.source)) ?? [];
    if (descriptor !== undefined) this.problems.push(descriptorProblem(descriptor));
  }

  /** Reads commands that run in a separate shell: their assignments are known only among them. */
  private visitInside(script: Scope, position: number, source: string, where: Where): void {
    const outer = { variables: this.variables, words: this.words };
    this.variables = outer.variables.inside(position);
    this.words = new WordReader(this.variables);
    this.collect(script);
    this.visit(script, source, where);
    this.variables = outer.variables;
    this.words = outer.words;
  }

  private collect(script: Scope): void {
    const read = (word: Word) => this.words.word(word);
    this.variables.collect(script, read, /\(\s*\)|\bfunction\b/.test(this.source));
    this.words.forget();
    if (!/[$`~]/.test(this.source)) return;
    for (let round = 0; this.variables.collectShapes(script, read); round += 1) {
      this.words.forget();
      if (round < MAX_ROUNDS) continue;
      this.problems.push('Variables of the line are filled from one another in too many steps.');
      return;
    }
  }

  private visit(node: SyntaxNode, source: string, where: Where): void {
    if (this.commands.length > MAX_COMMANDS) {
      if (this.commands.length === MAX_COMMANDS + 1) this.problems.push('The line contains more than 20,000 commands.');
      return;
    }
    this.names.note(node, source, this.words);
    this.evaluated.note(node, this.words, this.variables.redefined);
    const doubt = doubtOf(node);
    if (doubt !== undefined && !this.problems.includes(doubt)) this.problems.push(doubt);
    switch (node.type) {
      case 'Script': {
        const own = node.source ?? source;
        for (const { message, pos } of node.errors ?? []) this.problems.push(syntaxProblem(message, own.slice(pos)));
        this.visitChildren(node, own, where);
        return;
      }
      case 'Pipeline':
        node.commands.forEach((command, at) => {
          const feed = at > 0 ? this.feedOf(node, at) : where.feed;
          this.visit(command, source, { ...where, piped: where.piped || at > 0, feed });
        });
        return;
      case 'Command':
        this.addCommand(node, source, where);
        break;
      case 'Subshell':
        this.visitInside(node.body, node.pos, source, where);
        return;
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
      case 'Redirected': {
        this.addRedirected(node, source, where);
        const feed = this.redirectedFeed(node);
        this.visitChildren(node, source, feed === undefined ? where : { ...where, piped: true, feed });
        return;
      }
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        this.visitSubstitution(node, source, where);
        return;
      case 'ArithmeticCommand':
        this.addArithmetic(node, node.body, where);
        break;
      case 'ArithmeticExpansion':
        this.addArithmetic(node, node.text.replace(/^\$(?:\(\(|\[)/, '').replace(/(?:\)\)|\])$/, ''), where);
        break;
      case 'TestCommand':
        this.arithmetic = true;
        if (hasSubscriptCode(source.slice(node.pos, node.end))) this.subscriptCode ??= source.slice(node.pos, node.end);
        break;
      case 'ArithmeticFor':
      case 'Slice':
        this.arithmetic = true;
        break;
      default:
        if ('index' in node && node.index !== undefined) this.arithmetic = true;
    }
    this.visitChildren(node, source, { ...where, piped: where.piped && node.type !== 'Command' });
  }

  private visitSubstitution(node: Substitution, source: string, { substitutions }: Where): void {
    if (node.script === undefined || !isClosed(node)) {
      this.problems.push(`A substitution could not be read: ${clipped(node.text)}.`);
      if (node.script === undefined) return;
    }
    if (substitutions.length >= MAX_SUBSTITUTIONS) {
      const problem = `Substitutions are nested deeper than ${MAX_SUBSTITUTIONS} levels: ${clipped(node.text)}.`;
      if (!this.problems.some((known) => known.startsWith('Substitutions are nested'))) this.problems.push(problem);
    }
    const form = node.type === 'ProcessSubstitution' ? `${node.operator}(…)` : '$(…)';
    // A substitution reads its own input, whatever is piped to the command around it.
    const where = { piped: false, substitutions: [...substitutions, form] };
    this.visitInside(node.script, node.pos, source, where);
  }

  /** What the commands of a pipeline before this one print. */
  private feedOf(node: Pipeline, at: number): () => Feed {
    const { words } = this;
    return () => words.printed(node, at);
  }

  /** What a redirection passes to the commands of a group. */
  private redirectedFeed({ redirects }: Redirected): (() => Feed) | undefined {
    const { input, redirections, openInput } = this.redirections(redirects);
    const [text] = input;
    if (text !== undefined) return () => (openInput === undefined && input.length === 1 ? { text } : {});
    const file = redirections.find(({ operator }) => operator.startsWith('<'));
    return file === undefined ? undefined : () => ({ isFile: file.target.open !== true });
  }

  /** Shells differ on where `((` opens a subshell instead: text that may be commands is also read as commands. */
  private addArithmetic(node: SyntaxNode, text: string, where: Where): void {
    this.arithmetic = true;
    // A substitution inside it is read separately.
    if (!NOT_ARITHMETIC.test(this.withoutSubstitutions(node, text))) return;
    this.problems.push(`An arithmetic expression looks like a command: ${clipped(text.trim())}.`);
    this.visit(this.parser.parse(text), text, where);
  }

  private withoutSubstitutions(node: SyntaxNode, text: string): string {
    let rest = text;
    this.parser.forEachChild(node, (child) => {
      const isOne = child.type === 'CommandExpansion' || child.type === 'ArithmeticCommandExpansion';
      rest = isOne ? rest.replace(child.text, '0') : this.withoutSubstitutions(child, rest);
    });
    return rest;
  }

  /** The redirections of a group, as a command without words. */
  private addRedirected(node: Redirected, source: string, where: Where): void {
    const { redirections, input, openInput } = this.redirections(node.redirects);
    if (redirections.length === 0) return;
    const start = node.redirects[0]?.pos ?? node.pos;
    this.commands.push({
      words: [],
      assignments: [],
      redirections,
      source: source.slice(start, node.end),
      input,
      openInput,
      ...where,
    });
  }

  private visitChildren(node: SyntaxNode, source: string, where: Where): void {
    this.parser.forEachChild(node, (child) => this.visit(child, source, where));
  }

  private addCommand(node: Command, source: string, where: Where): void {
    const words: ShellWord[] = [];
    const assignments: ShellAssignment[] = [];
    for (const part of node.prefix) if (part.type === 'Assignment') assignments.push(this.assignment(part));
    if (node.name !== undefined) words.push(...this.words.expand(node.name));
    for (const argument of node.args) words.push(...this.argument(argument));
    for (const word of words) this.noteSubscript(word);
    if (readsSubscripts(words[0]?.value ?? '')) this.arithmetic = true;
    const { redirections, input, openInput } = this.redirections(node.redirects);
    const own = { words, assignments, redirections, source: source.slice(node.pos, node.end), input };
    this.commands.push({ ...own, ...(openInput !== undefined && { openInput }), ...where });
  }

  private argument(argument: CommandArgument): ShellWord[] {
    if (argument.type === 'Word') return this.words.expand(argument);
    const { name, value } = this.assignment(argument);
    const text = withoutContinuations(argument.text);
    return [{ ...value, value: `${name}=${value.value}`, text, skeleton: `${name}=${value.skeleton}` }];
  }

  private assignment(node: Assignment): ShellAssignment {
    if (node.value.type === 'Word') {
      const value = this.words.word(node.value);
      this.noteSubscript(value);
      return { name: node.name, value };
    }
    for (const element of node.value.elements) this.noteSubscript(this.words.word(element));
    const output = this.words.shapeBelow(node.value);
    const value = { value: node.text, text: node.text, kind: 'dynamic' as const, skeleton: '' };
    return { name: node.name, value: { ...value, ...(output !== undefined && { output }) } };
  }

  private redirections(nodes: readonly Redirection[]): Redirections {
    const read = readRedirections(nodes, this.words);
    this.problems.push(...read.problems);
    return read;
  }

  private noteSubscript(word: ShellWord): void {
    if (hasSubscriptCode(word.skeleton)) this.subscriptCode ??= word.text;
  }
}

/** When the line ends before the substitution does, shells and parsers differ on its content. */
function isClosed({ text, script, end }: Substitution): boolean {
  if (text.startsWith('`')) return text.length > 1 && text.endsWith('`');
  const closing = text.startsWith('${') ? '}' : ')';
  return text.endsWith(closing) && (script?.source !== undefined || end > (script?.end ?? end));
}
