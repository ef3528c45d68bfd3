/**
 * Decides whether a rule matches a command of a shell line. Deny and ask rules match
 * broadly, every spelling of the command; allow rules match narrowly, only words that are
 * certain. Both use the same rule file, so no string passes between them.
 */

import { takesData } from './command-runners.ts';
import { readGit } from './git-command.ts';
import { stableJson } from '../rule-matching.ts';
import type { PolicyRule } from '../rule.ts';
import { baseName } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import type { Leaf } from './shell-leaves.ts';

/** The texts of one command that rules are tested against; each is computed when a rule first needs it. */
export class CommandTexts {
  readonly leaf: Leaf;
  readonly args: Readonly<Record<string, unknown>>;
  private written: string | undefined;
  private quoted: string | undefined;

  constructor(leaf: Leaf, args: Readonly<Record<string, unknown>>) {
    this.leaf = leaf;
    this.args = args;
  }

  /** Words as written, separated by one space. */
  get text(): string {
    return (this.written ??= this.leaf.command.words.map(({ text }) => text).join(' '));
  }

  /** Words after quote removal, quoted again if needed. */
  get canonical(): string {
    return (this.quoted ??= this.leaf.command.words.map(({ value }) => quote(value)).join(' '));
  }
}

export function quote(value: string): string {
  return /^[\w@%+=:,./~^{}[\]*?!-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

export function matchesCommand(rule: PolicyRule, texts: CommandTexts): boolean {
  return rule.decision === 'allow' ? allowsCommand(rule, texts) : coversCommand(rule, texts);
}

/** Narrow: only words whose value is certain. */
function allowsCommand(rule: PolicyRule, texts: CommandTexts): boolean {
  const { leaf, args } = texts;
  const { words } = leaf.command;
  if (rule.planFile === true) return false;
  if (rule.commandPrefix !== undefined) {
    const prefix = prefixWords(rule.commandPrefix);
    return (
      prefix.length > 0 &&
      prefix.length <= words.length &&
      prefix.every((word, index) => words[index]?.value === word && words[index].kind === 'literal')
    );
  }
  const certain = words[0]?.kind === 'literal';
  if (rule.commandRegex !== undefined)
    return certain && [texts.text, texts.canonical].some((candidate) => testStart(rule.commandRegex, candidate));
  if (rule.argsPattern !== undefined) {
    const matches = (command: string) => rule.argsPattern?.test(stableJson({ ...args, command })) === true;
    return certain && [texts.text, texts.canonical].some(matches);
  }
  return true;
}

/** Broad: every spelling of the same command, and behind wrappers every word where it could begin. */
function coversCommand(rule: PolicyRule, texts: CommandTexts): boolean {
  const { leaf, args } = texts;
  const { command } = leaf;
  if (rule.commandPrefix !== undefined) {
    const prefix = prefixWords(rule.commandPrefix);
    return (
      wordForms(leaf).some((words) => beginsWith(words, prefix)) || startsWithText(command.source, rule.commandPrefix)
    );
  }
  const pattern = rule.commandRegex ?? rule.argsPattern;
  if (pattern === undefined) return true;
  const plain = command.words.map(({ value }) => value).join(' ');
  const forms = wordForms(leaf).flatMap(toSpellings);
  const candidates = new Set([texts.text, texts.canonical, plain, command.source, ...forms]);
  return [...candidates].some((candidate) =>
    rule.commandRegex === undefined
      ? pattern.test(stableJson({ ...args, command: candidate }))
      : testStart(pattern, candidate),
  );
}

/** By the path as written, and by its name. */
function toSpellings(words: readonly ShellWord[]): string[] {
  const [head, ...rest] = words.map(({ value }) => quote(value));
  const name = words[0] && baseName(words[0]).toLowerCase();
  return [
    [head, ...rest].join(' '),
    ...(name !== undefined && name !== head ? [[quote(name), ...rest].join(' ')] : []),
  ];
}

/** Whether a deny or ask rule matches the line as one text, for patterns that span commands. */
export function coversLine(rule: PolicyRule, args: Readonly<Record<string, unknown>>, command: string): boolean {
  if (rule.commandPrefix !== undefined) return startsWithText(command, rule.commandPrefix);
  if (rule.commandRegex !== undefined) return testStart(rule.commandRegex, command.trimStart());
  return rule.argsPattern !== undefined && rule.argsPattern.test(stableJson(args));
}

function testStart(pattern: RegExp | undefined, text: string): boolean {
  if (pattern === undefined) return false;
  // Rule files written for JSON text may end in a quote character.
  return pattern.test(text) || (pattern.source.includes('"') && pattern.test(`${JSON.stringify(text).slice(1)}`));
}

function startsWithText(source: string, prefix: string): boolean {
  const text = source.trimStart();
  return prefix !== '' && text.startsWith(prefix) && /^(?:$|[\s"';&|<>()])/.test(text.slice(prefix.length));
}

const prefixCache = new Map<string, readonly string[]>();

/** The words of a prefix: split at white space, plain quotes respected. */
export function prefixWords(prefix: string): readonly string[] {
  let words = prefixCache.get(prefix);
  if (words === undefined) {
    words = [...prefix.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
      word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
    );
    prefixCache.set(prefix, words);
  }
  return words;
}

function wordForms(leaf: Leaf): (readonly ShellWord[])[] {
  const { words } = leaf.command;
  const [head] = words;
  if (head === undefined) return [];
  const forms: (readonly ShellWord[])[] = [words];
  if (baseName(head) === 'git') {
    const { subcommand, rest } = readGit(words);
    forms.push([head, literal(subcommand), ...rest]);
    if (/^(?:send-pack|http-push)$/.test(subcommand) || (subcommand === 'subtree' && rest[0]?.value === 'push'))
      forms.push([head, literal('push'), ...rest]);
  }
  // git-push is another name for git push.
  const alone = /^git-(.+)/.exec(baseName(head))?.[1];
  if (alone !== undefined) forms.push([literal('git'), literal(alone), ...words.slice(1)]);
  if (leaf.wrapper || leaf.runner) forms.push(...laterForms(words));
  if (leaf.runner) forms.push(...quotedForms(words));
  return forms;
}

function literal(value: string): ShellWord {
  return { value, text: value, kind: 'literal', skeleton: value };
}

function laterForms(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  return words.slice(1, 64).map((_, index) => words.slice(index + 1));
}

/** Splits words that contain a whole command. */
function quotedForms(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  return words
    .slice(1, 64)
    .filter(({ value }) => /\S\s+\S/.test(value))
    .map(({ value }) => value.trim().split(/\s+/).map(literal));
}

/** Whether a forbidden command stands in the arguments of an unknown program, which may run it. */
export function namesBehind(rule: PolicyRule, { leaf, args }: CommandTexts): boolean {
  const { words } = leaf.command;
  if (rule.planFile === true || takesData(words)) return false;
  return [...laterForms(words), ...quotedForms(words)].some((form) => {
    if (rule.commandPrefix !== undefined) return beginsWith(form, prefixWords(rule.commandPrefix));
    return toSpellings(form).some((command) =>
      rule.commandRegex === undefined
        ? rule.argsPattern?.test(stableJson({ ...args, command })) === true
        : testStart(rule.commandRegex, command),
    );
  });
}

/**
 * The word that decides whether a rule matches and is unknown before the command runs:
 * `gcloud $(…)` may be `gcloud delete`. Undefined when the rule matches other commands.
 */
export function undecidedWord(rule: PolicyRule, { leaf }: CommandTexts): ShellWord | undefined {
  const [head, ...rest] = leaf.command.words;
  const at = rest.findIndex(({ output }) => output !== undefined && output !== 'number');
  const word = rest[at];
  if (head === undefined || word === undefined || rule.planFile === true) return undefined;
  if (rule.commandPrefix === undefined) {
    const source = (rule.commandRegex ?? rule.argsPattern)?.source ?? '';
    const open = /^\^?(?:\(\?:)?\.[*+]/.test(source);
    return open || spells(rule, baseName(head)) ? word : undefined;
  }
  const [name = '', ...expected] = prefixWords(rule.commandPrefix);
  if (expected.length === 0 || baseName(head).toLowerCase() !== name.toLowerCase()) return undefined;
  const isOperand = (value: string) => !value.startsWith('-');
  const operands = expected.filter(isOperand);
  const before = rest
    .slice(0, at)
    .map(({ value }) => value)
    .filter(isOperand);
  // The words before it may already make a different command than the rule names.
  return before.every((value, index) => operands[index] === undefined || operands[index] === value) ? word : undefined;
}

/** Whether the words are equal, or have the same options in another order or cluster. */
function beginsWith(words: readonly ShellWord[], prefix: readonly string[]): boolean {
  const [head] = words;
  const [name, ...expected] = prefix;
  if (head === undefined || name === undefined) return false;
  const called = baseName(head).toLowerCase();
  // GNU programs installed next to others have a g before their name.
  const same = head.value === name || [name.toLowerCase(), `g${name.toLowerCase()}`].includes(called);
  if (!same) return false;
  const rest = words.slice(1).map(({ value, kind }) => (kind === 'dynamic' ? defaultOf(value) : value));
  if (expected.every((word, index) => rest[index] === word)) return true;
  const operands = rest.filter((word) => !word.startsWith('-'));
  const letters = new Set(rest.filter((word) => /^-[^-]/.test(word)).flatMap((word) => [...word.slice(1)]));
  for (const word of rest) for (const letter of lettersOf(word)) letters.add(letter);
  return (
    expected.filter((word) => !word.startsWith('-')).every((word, index) => operands[index] === word) &&
    expected.filter((word) => word.startsWith('-')).every((word) => hasOption(word, rest, letters))
  );
}

/** Long spellings of the options that rules most often forbid. */
const LONG_FORMS: Readonly<Record<string, string>> = {
  '--recursive': 'rR',
  '--force': 'f',
  '--delete': 'dD',
  '--hard': '',
};

/** Programs accept any unique prefix of a long option. */
function lettersOf(word: string): string {
  if (!/^--\w{2}/.test(word)) return '';
  return Object.entries(LONG_FORMS).find(([long]) => long.startsWith(word))?.[1] ?? '';
}

/** `${x:--rf}` is -rf when x is unset. */
function defaultOf(value: string): string {
  return /^\$\{\w+:?[-=+](.*)\}$/.exec(value)?.[1] ?? value;
}

function hasOption(option: string, words: readonly string[], letters: ReadonlySet<string>): boolean {
  if (option.startsWith('--')) {
    const short = LONG_FORMS[option];
    return (
      words.some((word) => word === option || word.startsWith(`${option}=`)) ||
      (short !== undefined && [...short].some((letter) => letters.has(letter)))
    );
  }
  return [...option.slice(1)].every(
    (letter) => letters.has(letter) || (letter === 'r' && letters.has('R')) || (letter === 'R' && letters.has('r')),
  );
}

/** Whether an allow rule names this word itself, so that its author intended it. */
export function spells(rule: PolicyRule, word: string): boolean {
  if (rule.commandPrefix !== undefined) {
    return prefixWords(rule.commandPrefix).some(
      (part) => part === word || (word.endsWith('=') && part.startsWith(word)),
    );
  }
  const source = (rule.commandRegex?.source ?? rule.argsPattern?.source)?.replaceAll(/\\(.)/g, '$1');
  if (source === undefined || word === '') return false;
  for (let at = source.indexOf(word); at >= 0; at = source.indexOf(word, at + 1)) {
    if (!/[\w-]/.test(source.charAt(at - 1))) return true;
  }
  return false;
}
