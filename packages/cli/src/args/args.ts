/**
 * Parses the command line into values by flag, as the option parser of Gemini CLI reads
 * it. Rejects an unknown flag with the nearest known name; decides nothing about the run.
 */

import { UsageError } from '../exit-codes.ts';
import { FLAGS } from './flags.ts';
import type { CliArguments, Flag, FlagName } from './flags.ts';
import { nearest } from '../nearest.ts';
import { checkTogether } from './refused-flags.ts';

export { UsageError } from '../exit-codes.ts';
export type { CliArguments } from './flags.ts';

/** Throws a UsageError. */
export function parseArguments(argv: readonly string[]): CliArguments {
  const values: Values = new Map();
  const words: string[] = [];
  for (let index = 0; index < argv.length;) {
    const argument = argv[index] ?? '';
    if (argument === '--') {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (looksLikeFlag(argument)) {
      index += takeFlag(argument, argv[index + 1], values);
    } else {
      words.push(argument);
      index += 1;
    }
  }
  if (words.length > 0) values.set('query', words.join(' '));
  return checkTogether(Object.fromEntries(values));
}

/**
 * The words of a sub-command, from its name on, when the first word that is neither a flag nor its value names one. Of
 * the flags before it only `--debug` means anything to a sub-command; throws a UsageError for any other.
 */
export function findSubcommand(argv: readonly string[], names: ReadonlySet<string>): readonly string[] | undefined {
  const values: Values = new Map();
  for (let index = 0; index < argv.length;) {
    const argument = argv[index] ?? '';
    if (argument === '--') return undefined;
    if (looksLikeFlag(argument)) {
      index += takeFlag(argument, argv[index + 1], values);
      continue;
    }
    if (!names.has(argument)) return undefined;
    const idle = [...values.keys()].find((key) => key !== 'debug');
    if (idle === undefined) return argv.slice(index);
    throw new UsageError(`--${toKebabCase(idle)} has no effect on castor ${argument}; leave it out.`);
  }
  return undefined;
}

type Values = Map<string, string | boolean | string[]>;

/** Reads one flag, or a group such as `-yd`, and returns the number of arguments consumed. */
function takeFlag(argument: string, next: string | undefined, values: Values): number {
  const flag = readFlag(argument);
  for (const other of flag.others) values.set(toKey(other), true);
  return FLAGS[flag.name].kind === 'switch' ? takeSwitch(flag, next, values) : takeValue(flag, next, values);
}

function takeSwitch({ name, given, isNegated }: ReadFlag, next: string | undefined, values: Values): number {
  const isWord = given === undefined && !isNegated && (next === 'true' || next === 'false');
  values.set(toKey(name), readSwitch(name, isWord ? next : given) !== isNegated);
  return isWord ? 2 : 1;
}

function takeValue({ name, given }: ReadFlag, next: string | undefined, values: Values): number {
  const isTaken = given === undefined && next !== undefined && !looksLikeFlag(next) && next !== '--';
  const value = readValue(name, isTaken ? next : given);
  const key = toKey(name);
  const { kind }: Flag = FLAGS[name];
  if (kind === 'once' && values.has(key)) throw new UsageError(`--${name} is repeated; pass it once.`);
  const known = values.get(key);
  values.set(key, kind === 'list' ? [...(Array.isArray(known) ? known : []), ...toList(value)] : value);
  return isTaken ? 2 : 1;
}

/** `-p` alone is an empty prompt: the prompt may come from stdin. */
function readValue(name: FlagName, value: string | undefined): string {
  const { kind, value: label }: Flag = FLAGS[name];
  if (value !== undefined) return value;
  if (kind === 'optional' || kind === 'once') return '';
  throw new UsageError(`--${name} needs a value: --${name} <${label}>.`);
}

/** One literal empty value is kept: an empty list allows nothing. */
function toList(value: string): string[] {
  const items = value.split(',').map((item) => item.trim());
  return value === '' ? [''] : items.filter((item) => item !== '');
}

/** A minus before a digit or a space is text: `-5 is a number`, `- a list item`. */
function looksLikeFlag(argument: string): boolean {
  return /^--?[A-Za-z]/.test(argument);
}

interface ReadFlag {
  name: FlagName;
  /** The value in the same argument. */
  given: string | undefined;
  isNegated: boolean;
  /** The switches before it in a group. */
  others: FlagName[];
}

function readFlag(argument: string): ReadFlag {
  return argument.startsWith('--') ? readLong(argument) : readShort(argument);
}

function readLong(argument: string): ReadFlag {
  const equals = argument.indexOf('=');
  const spelled = equals < 0 ? argument : argument.slice(0, equals);
  const given = equals < 0 ? undefined : argument.slice(equals + 1);
  const name = toKebabCase(spelled.slice(2));
  if (isFlag(name)) return { name, given, isNegated: false, others: [] };
  const positive = name.startsWith('no-') ? name.slice('no-'.length) : '';
  if (isFlag(positive) && FLAGS[positive].kind === 'switch') {
    return { name: positive, given, isNegated: true, others: [] };
  }
  throw unknownFlag(spelled, name);
}

/** `-y`, `-yd`, `-p=text`, `-r5`: letters are switches until one takes a value. */
function readShort(argument: string): ReadFlag {
  const others: FlagName[] = [];
  for (let at = 1; ; at++) {
    const name = ofAlias(argument[at] ?? '');
    if (name === undefined) throw unknownFlag(argument, argument.slice(1));
    const rest = argument.slice(at + 1);
    if (rest === '') return { name, given: undefined, isNegated: false, others };
    if (!/^[A-Za-z]/.test(rest)) {
      return { name, given: rest.startsWith('=') ? rest.slice(1) : rest, isNegated: false, others };
    }
    if (FLAGS[name].kind !== 'switch') throw unknownFlag(argument, argument.slice(1));
    others.push(name);
  }
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

function ofAlias(letter: string): FlagName | undefined {
  return (Object.keys(FLAGS) as FlagName[]).find((name) => (FLAGS[name] as Flag).alias === letter);
}

function readSwitch(name: FlagName, given: string | undefined): boolean {
  if (given !== undefined && given !== 'true' && given !== 'false') {
    throw new UsageError(`--${name} takes no value.`);
  }
  return given !== 'false';
}

function unknownFlag(spelled: string, name: string): UsageError {
  const documented = Object.entries<Flag>(FLAGS).flatMap(([each, { hidden, unsupported }]) =>
    hidden || unsupported ? [] : [each],
  );
  const guess = nearest(name, documented);
  return new UsageError(`unknown flag ${spelled}.${guess ? ` Did you mean --${guess}?` : ''}`);
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function toKey(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
