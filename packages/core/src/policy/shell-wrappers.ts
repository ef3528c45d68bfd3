/**
 * Commands that run another command given in their arguments: which words, or which
 * text, they would run. It looks one level deep; shell-leaves.ts goes on from there.
 * An option it does not know makes the wrapper uncertain, never transparent.
 */

import type { ShellWord, SimpleCommand } from './shell-command.ts';
import type { WrapperOptions } from './wrapper-table.ts';
import { ESCALATING, PLAIN, WRAPPERS } from './wrapper-table.ts';

/** Something the arguments make run. */
export type Inner =
  | { kind: 'words'; words: readonly ShellWord[]; start: number; moreArguments: boolean }
  | { kind: 'script'; text: string; start: number }
  /** Code that is not written in the line, or not in a language we read. No rule can spell an empty `word`. */
  | { kind: 'unreadable'; reason: string; word: string };

export interface Unwrapped {
  inner: Inner[];
  /** The wrapper does nothing of its own: what it runs is judged in its place. */
  transparent: boolean;
  /** Environment variables the wrapper sets for the inner command. */
  assignments: { name: string; word: ShellWord }[];
  /** Folders it changes to. */
  directories: ShellWord[];
}

export function isWrapper(name: string): boolean {
  return Object.hasOwn(WRAPPERS, name) || isShell(name);
}

/** The command's own name, without the folder it is run from. */
export function baseName(word: ShellWord): string {
  return word.value.slice(word.value.lastIndexOf('/') + 1);
}

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh', 'mksh', 'fish', 'rbash', 'csh', 'tcsh', 'yash']);

function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** Undefined when the command runs nothing but itself. */
export function unwrap(command: SimpleCommand): Unwrapped | undefined {
  const [head] = command.words;
  if (head === undefined) return undefined;
  const name = baseName(head);
  if (isShell(name)) return unwrapShell(command);
  const special = SPECIAL[name];
  if (special !== undefined) return special(command);
  // The dynamic loader runs the program it is given.
  if (/^ld(?:-linux.*|-musl.*)?\.so(?:\.\d+)*$/.test(name)) return unwrapByTable(command.words, ESCALATING);
  const options = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return options === undefined ? undefined : unwrapByTable(command.words, options);
}

const SPECIAL: Readonly<Record<string, ((command: SimpleCommand) => Unwrapped | undefined) | undefined>> = {
  // `command -v` asks where a command is.
  command: ({ words }) =>
    /^-[pvV]*[vV]/.test(words[1]?.value ?? '') ? undefined : unwrapByTable(words, WRAPPERS['command'] ?? PLAIN),
  exec: (command) => (command.words.length === 1 ? undefined : unwrapByTable(command.words, WRAPPERS['exec'] ?? PLAIN)),
  eval: ({ words }) => codeOf(words.slice(1), 1, 'eval'),
  source: ({ words }) => fileOfCode(words),
  '.': ({ words }) => fileOfCode(words),
  trap: ({ words }) =>
    words[1] === undefined || words[1].value.startsWith('-') ? undefined : codeOf(words.slice(1, 2), 1, 'trap'),
  alias: ({ words }) => aliases(words),
  find: ({ words }) => findActions(words),
  fd: ({ words }) => afterOption(words, ['-x', '--exec', '-X', '--exec-batch']),
  fdfind: ({ words }) => afterOption(words, ['-x', '--exec', '-X', '--exec-batch']),
};

function result(inner: Inner[], transparent = true): Unwrapped {
  return { inner, transparent, assignments: [], directories: [] };
}

function unreadable(reason: string, word: string): Unwrapped {
  return { inner: [{ kind: 'unreadable', reason, word }], transparent: false, assignments: [], directories: [] };
}

/** A script only counts as read when every character of it is in the line. */
function scriptOf(word: ShellWord, start: number, label: string): Inner {
  if (word.kind === 'dynamic') {
    return { kind: 'unreadable', reason: `${label} runs text that is known only when it runs`, word: word.text };
  }
  return { kind: 'script', text: word.value, start };
}

function codeOf(words: readonly ShellWord[], start: number, label: string): Unwrapped | undefined {
  if (words.length === 0) return undefined;
  const dynamic = words.find(({ kind }) => kind === 'dynamic' || kind === 'glob');
  if (dynamic !== undefined) return result([scriptOf({ ...dynamic, kind: 'dynamic' }, start, label)], false);
  return result([{ kind: 'script', text: words.map(({ value }) => value).join(' '), start }]);
}

function fileOfCode(words: readonly ShellWord[]): Unwrapped | undefined {
  const [head, file] = words;
  if (head === undefined || file === undefined) return undefined;
  return unreadable(`${head.value} runs commands from the file ${file.value}`, file.value);
}

function aliases(words: readonly ShellWord[]): Unwrapped | undefined {
  const inner = words.slice(1).flatMap((word, index): Inner[] => {
    const equals = word.value.indexOf('=');
    if (equals < 0) return [];
    return [scriptOf({ ...word, value: word.value.slice(equals + 1) }, index + 1, 'alias')];
  });
  return inner.length === 0 ? undefined : result(inner);
}

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function findActions(words: readonly ShellWord[]): Unwrapped | undefined {
  const inner: Inner[] = [];
  for (let index = 1; index < words.length; index += 1) {
    if (!FIND_ACTIONS.has(words[index]?.value ?? '')) continue;
    const start = index + 1;
    let end = start;
    while (
      end < words.length &&
      words[end]?.value !== ';' &&
      !(words[end]?.value === '+' && words[end - 1]?.value === '{}')
    )
      end += 1;
    inner.push({ kind: 'words', words: words.slice(start, end), start, moreArguments: true });
    index = end;
  }
  // find walks and tests by itself, so it is judged as well.
  return inner.length === 0 ? undefined : result(inner, false);
}

function afterOption(words: readonly ShellWord[], names: readonly string[]): Unwrapped | undefined {
  const index = words.findIndex(({ value }) => names.includes(value));
  if (index < 0) return undefined;
  return result([{ kind: 'words', words: words.slice(index + 1), start: index + 1, moreArguments: true }], false);
}

function unwrapShell(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const name = words[0] === undefined ? 'sh' : baseName(words[0]);
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || word.kind === 'dynamic' || !/^[-+]./.test(word.value)) break;
    if (word.value === '--') {
      index += 1;
      break;
    }
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(word.value)) return shellText(words, index, name);
    if (/^--(?:rcfile|init-file)/.test(word.value))
      return unreadable(`${name} ${word.value} runs a start file`, word.value);
    if (/^[-+][oO]$/.test(word.value)) index += 1;
  }
  const file = words[index];
  if (file === undefined || file.value === '-') return shellInput(command, name);
  const place = file.kind === 'dynamic' ? 'a place known only when it runs' : `the file ${file.value}`;
  return unreadable(`${name} runs commands from ${place}`, file.value);
}

/** Options may still stand between -c and the text. */
function shellText(words: readonly ShellWord[], option: number, name: string): Unwrapped {
  let at = option + 1;
  while (/^[-+]/.test(words[at]?.value ?? '')) at += /^[-+][oO]$/.test(words[at]?.value ?? '') ? 2 : 1;
  const text = words[at];
  return text === undefined ? unreadable(`${name} -c without text`, '') : result([scriptOf(text, at, `${name} -c`)]);
}

function shellInput(command: SimpleCommand, name: string): Unwrapped {
  const inner = command.input.map((text): Inner => ({ kind: 'script', text, start: command.words.length }));
  // A here-document replaces what a pipe would bring; another redirection may replace the here-document.
  if (inner.length > 0 && !command.redirections.some(({ operator }) => operator.startsWith('<'))) return result(inner);
  inner.push({ kind: 'unreadable', reason: `${name} reads commands from its input`, word: '' });
  return result(inner, false);
}

function unwrapByTable(words: readonly ShellWord[], options: WrapperOptions): Unwrapped | undefined {
  const name = baseName(words[0] ?? { value: '', text: '', kind: 'literal', skeleton: '' });
  const scan = new OptionScan(words, options);
  scan.run();
  const base: Unwrapped = {
    inner: scan.scripts,
    transparent: options.transparent === true && scan.certain,
    assignments: scan.assignments,
    directories: scan.directories,
  };
  const rest = words.slice(scan.index);
  if (scan.scripts.length === 0 && rest.length > 0) base.inner.push(restOf(rest, scan, options));
  if (!scan.certain) {
    base.inner.push({ kind: 'unreadable', reason: `${name} has an option that is not known here`, word: scan.unknown });
  }
  if (base.inner.length === 0) return base.assignments.length > 0 ? base : undefined;
  return base;
}

function restOf(rest: readonly ShellWord[], scan: OptionScan, options: WrapperOptions): Inner {
  if (options.joins === true && rest.every(({ kind }) => kind === 'literal' || kind === 'resolved')) {
    return { kind: 'script', text: rest.map(({ value }) => value).join(' '), start: scan.index };
  }
  return { kind: 'words', words: rest, start: scan.index, moreArguments: options.moreArguments === true };
}

class OptionScan {
  index = 1;
  certain = true;
  unknown = '';
  readonly scripts: Inner[] = [];
  readonly assignments: { name: string; word: ShellWord }[] = [];
  readonly directories: ShellWord[] = [];
  readonly #words: readonly ShellWord[];
  readonly #options: WrapperOptions;

  constructor(words: readonly ShellWord[], options: WrapperOptions) {
    this.#words = words;
    this.#options = options;
  }

  run(): void {
    let operands = this.#options.operands ?? 0;
    for (; this.index < this.#words.length; this.index += 1) {
      const word = this.#words[this.index];
      if (word === undefined) return;
      if (word.value === '--') {
        this.index += 1;
        break;
      }
      if (word.value.startsWith('--')) this.#long(word);
      else if (word.value.startsWith('-') && word.value.length > 1) this.#short(word);
      else if (this.#options.assigns === true && /^[A-Za-z_]\w*=/.test(word.value)) this.#assign(word);
      else if (operands > 0) operands -= 1;
      else break;
    }
    while (operands > 0 && this.index < this.#words.length) {
      operands -= 1;
      this.index += 1;
    }
    // After `--` env still takes assignments.
    while (this.#options.assigns === true && /^[A-Za-z_]\w*=/.test(this.#words[this.index]?.value ?? '')) {
      const word = this.#words[this.index];
      if (word !== undefined) this.#assign(word);
      this.index += 1;
    }
  }

  #assign(word: ShellWord): void {
    this.assignments.push({ name: word.value.slice(0, word.value.indexOf('=')), word });
  }

  #long(word: ShellWord): void {
    const equals = word.value.indexOf('=');
    const name = equals < 0 ? word.value : word.value.slice(0, equals);
    if (this.#options.longFlags?.includes(name) === true) return;
    if (this.#options.longValues?.includes(name) !== true) {
      this.#uncertain(word);
      return;
    }
    if (equals < 0) this.index += 1;
    const value = equals < 0 ? this.#words[this.index] : { ...word, value: word.value.slice(equals + 1) };
    if (value === undefined) return;
    if (name === '--split-string' || name === '--command') this.scripts.push(scriptOf(value, this.index, name));
    if (name === '--chdir') this.directories.push(value);
  }

  #short(word: ShellWord): void {
    const { flags = '', values = '', scripts = '', directories = '' } = this.#options;
    for (let at = 1; at < word.value.length; at += 1) {
      const letter = word.value.charAt(at);
      if (flags.includes(letter)) continue;
      if (!values.includes(letter) && !scripts.includes(letter)) {
        this.#uncertain(word);
        return;
      }
      const attached = word.value.slice(at + 1);
      if (attached === '') this.index += 1;
      const value = attached === '' ? this.#words[this.index] : { ...word, value: attached };
      if (value === undefined) return;
      if (scripts.includes(letter)) this.#script(value, letter);
      if (directories.includes(letter)) this.directories.push(value);
      return;
    }
  }

  #script(value: ShellWord, letter: string): void {
    // env -S splits one word, and the words after it still follow.
    const rest = letter === 'S' ? this.#words.slice(this.index + 1) : [];
    const text = [value, ...rest].map((word) => word.value).join(' ');
    const kind = [value, ...rest].some((word) => word.kind === 'dynamic') ? 'dynamic' : 'literal';
    this.scripts.push(scriptOf({ value: text, text, kind, skeleton: text }, this.index, `-${letter}`));
    if (letter === 'S') this.index = this.#words.length;
  }

  #uncertain(word: ShellWord): void {
    this.certain = false;
    this.unknown = word.value;
  }
}
