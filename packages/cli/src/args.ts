/**
 * Flags: one table and the parser that reads it, with the habits of the command lines
 * people know. It refuses what it does not know, with the nearest name it does; it
 * decides nothing about the run. What each flag means to a person is in help.ts.
 */

import { ExitCode, ExitError } from './exit-codes.ts';
import { nearest } from './nearest.ts';

/** What each kind of flag takes. `optional`: a value, or none, which is an empty one. */
type FlagKind = 'switch' | 'text' | 'optional' | 'list' | 'once';

interface Flag {
  kind: FlagKind;
  alias?: string;
  /** What the value is called. */
  value?: string;
  /** Undocumented: for tests and for bug reports. */
  hidden?: boolean;
}

/** `once`: words of a person, which a second flag must not swallow. */
export const FLAGS = {
  prompt: { kind: 'once', alias: 'p', value: 'text' },
  'prompt-interactive': { kind: 'once', alias: 'i', value: 'text' },
  model: { kind: 'text', alias: 'm', value: 'name' },
  'output-format': { kind: 'text', alias: 'o', value: 'format' },
  'input-format': { kind: 'text', value: 'format' },
  yolo: { kind: 'switch', alias: 'y' },
  'approval-mode': { kind: 'text', value: 'mode' },
  'allowed-tools': { kind: 'list', value: 'names' },
  policy: { kind: 'list', value: 'path' },
  'admin-policy': { kind: 'list', value: 'path' },
  'skip-trust': { kind: 'switch' },
  sandbox: { kind: 'switch', alias: 's' },
  'max-turns': { kind: 'text', value: 'count' },
  'max-tokens': { kind: 'text', value: 'count' },
  'max-cost': { kind: 'text', value: 'dollars' },
  'max-time': { kind: 'text', value: 'duration' },
  resume: { kind: 'optional', alias: 'r', value: 'session' },
  continue: { kind: 'switch' },
  fork: { kind: 'switch' },
  'session-id': { kind: 'text', value: 'id' },
  'session-file': { kind: 'text', value: 'path' },
  'list-sessions': { kind: 'switch' },
  'delete-session': { kind: 'text', value: 'session' },
  'include-directories': { kind: 'list', value: 'paths' },
  worktree: { kind: 'optional', alias: 'w', value: 'name' },
  'ignore-env': { kind: 'switch' },
  extensions: { kind: 'list', alias: 'e', value: 'names' },
  'list-extensions': { kind: 'switch', alias: 'l' },
  'allowed-mcp-server-names': { kind: 'list', value: 'names' },
  acp: { kind: 'switch' },
  'experimental-acp': { kind: 'switch', hidden: true },
  'screen-reader': { kind: 'switch' },
  'raw-output': { kind: 'switch' },
  'accept-raw-output-risk': { kind: 'switch' },
  debug: { kind: 'switch', alias: 'd' },
  'fake-responses': { kind: 'text', value: 'path', hidden: true },
  'fake-responses-non-strict': { kind: 'text', value: 'path', hidden: true },
  'record-responses': { kind: 'text', value: 'path', hidden: true },
  version: { kind: 'switch', alias: 'v' },
  help: { kind: 'switch', alias: 'h' },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type ValueOf<Kind extends FlagKind> = Kind extends 'switch' ? boolean : Kind extends 'list' ? string[] : string;

/** By the flag's name in camel case. */
export type CliArguments = { [Name in FlagName as CamelCase<Name>]?: ValueOf<(typeof FLAGS)[Name]['kind']> } & {
  /** Words that belong to no flag, joined by one space. */
  query?: string;
};

/** Says what is wrong with the command line; the flags are shown with it. */
export class UsageError extends ExitError {
  constructor(sentence: string) {
    super(ExitCode.Failure, sentence);
    this.name = 'UsageError';
  }
}

/** Throws a UsageError. */
export function parseArguments(argv: readonly string[]): CliArguments {
  const values = new Map<string, string | boolean | string[]>();
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

/** Reads one flag, or a group such as `-yd`, and gives the number of arguments it took. */
function takeFlag(argument: string, next: string | undefined, values: Map<string, string | boolean | string[]>) {
  const { name, given, isNegated, others } = readFlag(argument);
  for (const other of others) values.set(toKey(other), true);
  const { kind }: Flag = FLAGS[name];
  const key = toKey(name);
  if (kind === 'switch') {
    const isWord = given === undefined && !isNegated && (next === 'true' || next === 'false');
    values.set(key, readSwitch(name, isWord ? next : given) !== isNegated);
    return isWord ? 2 : 1;
  }
  const isTaken = given === undefined && next !== undefined && !looksLikeFlag(next) && next !== '--';
  const value = readValue(name, isTaken ? next : given);
  const known = values.get(key);
  if (kind === 'once' && known !== undefined) throw new UsageError(`--${name} is given twice; give one text.`);
  values.set(key, kind === 'list' ? [...((known as string[] | undefined) ?? []), ...toList(value)] : value);
  return isTaken ? 2 : 1;
}

/** `-p` alone is an empty prompt: the words may come from stdin. */
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
  /** What is written into the same argument. */
  given: string | undefined;
  isNegated: boolean;
  /** Switches before it in a group. */
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
    throw new UsageError(`--${name} is on or off; it takes no value.`);
  }
  return given !== 'false';
}

function unknownFlag(spelled: string, name: string): UsageError {
  const documented = Object.entries<Flag>(FLAGS).flatMap(([each, { hidden }]) => (hidden ? [] : [each]));
  const guess = nearest(name, documented);
  return new UsageError(`there is no flag ${spelled}.${guess ? ` Did you mean --${guess}?` : ''}`);
}

/** What may not be said together, and values that can be judged by themselves. */
const REFUSALS: readonly ((args: CliArguments) => string | false)[] = [
  ({ prompt, query }) =>
    Boolean(prompt && query) && 'give the prompt either with --prompt (-p) or as words after the flags, not both.',
  ({ prompt, promptInteractive }) =>
    Boolean(prompt && promptInteractive) && 'use --prompt (-p) or --prompt-interactive (-i), not both.',
  ({ query, promptInteractive }) =>
    Boolean(query && promptInteractive) &&
    'give the first words either with --prompt-interactive (-i) or after the flags, not both.',
  ({ yolo, approvalMode }) =>
    Boolean(yolo && approvalMode !== undefined) &&
    'use --yolo (-y) or --approval-mode, not both; --approval-mode yolo is the same as --yolo.',
  ({ resume, sessionId, sessionFile }) =>
    [resume, sessionId, sessionFile].filter((value) => value !== undefined).length > 1 &&
    'use only one of --resume, --session-id and --session-file.',
  ({ sessionId }) =>
    sessionId !== undefined &&
    !/^[A-Za-z0-9_-]+$/.test(sessionId) &&
    `--session-id may hold letters, digits, - and _ only, not ${JSON.stringify(sessionId)}.`,
  ({ fork, resume, continue: goesOn }) =>
    Boolean(fork && resume === undefined && !goesOn) && '--fork goes with --resume: it copies that session.',
  ({ continue: goesOn, sessionId, sessionFile }) =>
    Boolean(goesOn && (sessionId ?? sessionFile) !== undefined) &&
    '--continue goes on with a session there is; leave --session-id and --session-file out.',
  ({ continue: goesOn, prompt, query }) =>
    Boolean(goesOn && (prompt || query)) &&
    '--continue finishes the prompt that was interrupted; give no other with it, or leave it out.',
  ({ outputFormat }) => refuseOther('output-format', outputFormat, ['text', 'json', 'stream-json']),
  ({ inputFormat }) => refuseOther('input-format', inputFormat, ['text', 'stream-json']),
  ({ approvalMode }) => refuseOther('approval-mode', approvalMode, ['default', 'auto_edit', 'yolo', 'plan']),
  ({ inputFormat, outputFormat = 'stream-json' }) =>
    inputFormat === 'stream-json' &&
    outputFormat !== 'stream-json' &&
    '--input-format stream-json answers in stream-json; leave --output-format out or set it to stream-json.',
];

function refuseOther(name: FlagName, value: string | undefined, known: readonly string[]): string | false {
  if (value === undefined || known.includes(value)) return false;
  return `--${name} must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)}, not ${JSON.stringify(value)}.`;
}

function checkTogether(args: CliArguments): CliArguments {
  for (const refuse of REFUSALS) {
    const sentence = refuse(args);
    if (sentence !== false) throw new UsageError(sentence);
  }
  return args;
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function toKey(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
