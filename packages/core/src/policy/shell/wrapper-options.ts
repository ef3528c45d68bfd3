/**
 * Parses the options of a wrapper by its row of wrapper-table.ts, up to the command it
 * runs. An option missing from the row makes the wrapper uncertain.
 */

import { baseName, clipped } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { scriptOf, withPlaceholders } from './unwrapped.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';
import type { WrapperOptions } from './wrapper-table.ts';

export function unwrapByTable(words: readonly ShellWord[], options: WrapperOptions): Unwrapped | undefined {
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
    base.inner.push({
      kind: 'unreadable',
      reason: `${name} has the unknown option ${clipped(scan.unknown)}`,
      word: scan.unknown,
    });
  }
  if (base.inner.length === 0) return base.assignments.length > 0 ? base : undefined;
  return base;
}

function restOf(rest: readonly ShellWord[], scan: OptionScan, options: WrapperOptions): Inner {
  if (options.joins === true && rest.every(({ kind }) => kind === 'literal' || kind === 'resolved')) {
    return { kind: 'script', text: rest.map(({ value }) => value).join(' '), start: scan.index };
  }
  const words = options.moreArguments === true ? withPlaceholders(rest, scan.placeholder) : rest;
  return { kind: 'words', words, start: scan.index, moreArguments: options.moreArguments === true };
}

class OptionScan {
  index = 1;
  certain = true;
  unknown = '';
  /** The text that xargs -I replaces in the words after it. */
  placeholder = '{}';
  readonly scripts: Inner[] = [];
  readonly assignments: { name: string; word: ShellWord }[] = [];
  readonly directories: ShellWord[] = [];
  private readonly words: readonly ShellWord[];
  private readonly options: WrapperOptions;

  constructor(words: readonly ShellWord[], options: WrapperOptions) {
    this.words = words;
    this.options = options;
  }

  run(): void {
    const missing = this.readOptions();
    this.index = Math.min(this.index + missing, Math.max(this.index, this.words.length));
    // After `--` env still accepts assignments.
    for (let word = this.words[this.index]; word && this.isAssignment(word); word = this.words[this.index]) {
      this.assign(word);
      this.index += 1;
    }
  }

  /** Reads up to the command; returns how many required operands before it are missing. */
  private readOptions(): number {
    let operands = this.options.operands ?? 0;
    for (; this.index < this.words.length; this.index += 1) {
      const word = this.words[this.index];
      if (word === undefined) break;
      if (word.value === '--') {
        this.index += 1;
        break;
      }
      if (word.value.startsWith('--')) this.long(word);
      else if (word.value.startsWith('-') && word.value.length > 1) this.short(word);
      else if (this.isAssignment(word)) this.assign(word);
      else if (operands > 0) operands -= 1;
      else break;
    }
    return operands;
  }

  private isAssignment({ value }: ShellWord): boolean {
    return this.options.assigns === true && /^[A-Za-z_]\w*=/.test(value);
  }

  private assign(word: ShellWord): void {
    this.assignments.push({ name: word.value.slice(0, word.value.indexOf('=')), word });
  }

  private long(word: ShellWord): void {
    const equals = word.value.indexOf('=');
    const written = equals < 0 ? word.value : word.value.slice(0, equals);
    const name = this.fullName(written);
    if (this.options.longFlags?.includes(name) === true) return;
    if (this.options.longValues?.includes(name) !== true) {
      this.uncertain(word);
      return;
    }
    if (equals < 0) this.index += 1;
    const value = equals < 0 ? this.words[this.index] : { ...word, value: word.value.slice(equals + 1) };
    if (value === undefined) return;
    if (name === '--split-string') this.script(value, 'S');
    if (name === '--command') this.scripts.push(...scriptOf(value, this.index, name));
    if (name === '--chdir') this.directories.push(value);
    if (name === '--replace') this.placeholder = value.value;
  }

  /** GNU programs accept any beginning of a long option that fits only one. */
  private fullName(written: string): string {
    const { longFlags = [], longValues = [] } = this.options;
    const all = [...longFlags, ...longValues];
    if (written.length < 3 || all.includes(written)) return written;
    const fitting = all.filter((long) => long.startsWith(written));
    return fitting.length === 1 ? (fitting[0] ?? written) : written;
  }

  private short(word: ShellWord): void {
    const { flags = '', values = '', scripts = '' } = this.options;
    for (let at = 1; at < word.value.length; at += 1) {
      const letter = word.value.charAt(at);
      if (flags.includes(letter)) continue;
      if (!values.includes(letter) && !scripts.includes(letter)) {
        this.uncertain(word);
        return;
      }
      const attached = word.value.slice(at + 1);
      if (attached === '') this.index += 1;
      const value = attached === '' ? this.words[this.index] : { ...word, value: attached };
      if (value !== undefined) this.take(letter, value);
      return;
    }
  }

  private take(letter: string, value: ShellWord): void {
    const { scripts = '', directories = '' } = this.options;
    if (scripts.includes(letter)) this.script(value, letter);
    if (directories.includes(letter)) this.directories.push(value);
    if (letter === 'I' || letter === 'J') this.placeholder = value.value;
  }

  private script(value: ShellWord, letter: string): void {
    // env -S splits one word, and the words after it still follow.
    const rest = letter === 'S' ? this.words.slice(this.index + 1) : [];
    const written = [value, ...rest].map((word) => word.value).join(' ');
    // Its escapes for blanks, and for the end of the text.
    const text = letter === 'S' ? written.replace(/\\c.*$/s, '').replaceAll(/\\[_tnvfr]/g, ' ') : written;
    const kind = [value, ...rest].some((word) => word.kind === 'dynamic') ? 'dynamic' : 'literal';
    this.scripts.push(...scriptOf({ value: text, text, kind, skeleton: text }, this.index, `-${letter}`));
    if (letter === 'S') this.index = this.words.length;
  }

  private uncertain(word: ShellWord): void {
    this.certain = false;
    this.unknown = word.value;
  }
}
