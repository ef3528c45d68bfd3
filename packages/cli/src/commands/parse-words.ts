/**
 * Parses the words after a command, such as those of `castor hooks list --json`. A value follows its option or an
 * equals sign; after `--` every word is an operand. An error is a sentence, not an exception. The command decides what
 * the words mean.
 */

export interface CommandWords {
  operands: string[];
  /** With their dashes. */
  flags: ReadonlySet<string>;
  /** By option, with its dashes; the last one counts. */
  values: ReadonlyMap<string, string>;
}

export interface KnownOptions {
  /** Such as `hooks`. */
  command: string;
  flags?: readonly string[];
  /** Options with a value, and the allowed values of each; an empty list allows any. */
  valued?: Readonly<Record<string, readonly string[]>>;
}

/** The scope of the file to write. */
export type FileScope = 'user' | 'workspace';
export const FILE_SCOPES: readonly FileScope[] = ['user', 'workspace'];

export function parseWords(
  argv: readonly string[],
  { command, flags = [], valued = {} }: KnownOptions,
): CommandWords | string {
  const given = new Set<string>();
  const values = new Map<string, string>();
  const words = { operands: [] as string[], flags: given, values };
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const [option = '', inline] = word.split(/=(.*)/s);
    if (word === '--') {
      words.operands.push(...argv.slice(index + 1));
      return words;
    }
    if (flags.includes(word)) given.add(word);
    else if (Object.hasOwn(valued, option)) {
      const value = inline ?? argv[(index += 1)];
      const choices = valued[option] ?? [];
      if (value === undefined) return `${option} needs a value.`;
      if (!isChoice(value, choices)) return `${option} must be ${choices.join(' or ')}, not "${value}".`;
      values.set(option, value);
    } else if (flags.includes(option)) return `${option} takes no value.`;
    else if (word.startsWith('--')) return `${option} is an unknown option of castor ${command}.`;
    else words.operands.push(word);
  }
  return words;
}

function isChoice(value: string, choices: readonly string[]): boolean {
  return choices.length === 0 || choices.includes(value);
}
