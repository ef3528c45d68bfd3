/**
 * Flags: one table, and the parser and the help text that read it. It refuses what
 * it does not know, with the nearest name it does; it decides nothing about the run.
 */

import { ExitCode, ExitError } from './exit-codes.ts';
import { nearest } from './nearest.ts';

export interface CliArguments {
  /** `-p`; headless with this prompt. */
  prompt?: string;
  /** Words that belong to no flag, joined by one space. */
  query?: string;
  model?: string;
  outputFormat?: string;
  yolo?: boolean;
  approvalMode?: string;
  /** Each may hold several, separated by commas. */
  allowedTools?: string[];
  policy?: string[];
  adminPolicy?: string[];
  includeDirectories?: string[];
  skipTrust?: boolean;
  rawOutput?: boolean;
  acceptRawOutputRisk?: boolean;
  fakeResponses?: string;
  fakeResponsesNonStrict?: string;
  recordResponses?: string;
  help?: boolean;
  version?: boolean;
}

interface Flag {
  name: string;
  alias?: string;
  /** What the value is called in the help; without it the flag is a switch. */
  value?: string;
  /** May be given more than once; commas separate values. */
  list?: boolean;
  /** Undocumented: for tests and for bug reports. */
  hidden?: boolean;
  help: string;
}

const FLAGS: readonly Flag[] = [
  { name: 'prompt', alias: 'p', value: 'text', help: 'Answer this prompt, then end. Piped input is put before it.' },
  { name: 'model', alias: 'm', value: 'name', help: 'The model or alias: auto, pro, flash, flash-lite, offline, …' },
  {
    name: 'output-format',
    alias: 'o',
    value: 'format',
    help: 'text, json (one object at the end) or stream-json (one a line).',
  },
  { name: 'yolo', alias: 'y', help: 'Run every tool without asking. Rules that deny still hold.' },
  { name: 'approval-mode', value: 'mode', help: 'default, auto_edit, yolo or plan.' },
  { name: 'allowed-tools', value: 'names', list: true, help: 'Tools that run without asking; no others beside them.' },
  { name: 'policy', value: 'path', list: true, help: "Rules to use instead of the user's own." },
  { name: 'admin-policy', value: 'path', list: true, help: 'Rules that outrank all others.' },
  { name: 'include-directories', value: 'paths', list: true, help: 'Further folders the tools may work in.' },
  { name: 'skip-trust', help: 'Trust this folder for this run.' },
  { name: 'raw-output', help: 'Do not remove terminal sequences from the answer.' },
  { name: 'accept-raw-output-risk', help: 'The same, without the warning.' },
  { name: 'fake-responses', value: 'path', hidden: true, help: 'Answers from a recording, in its order.' },
  { name: 'fake-responses-non-strict', value: 'path', hidden: true, help: 'Answers from a recording, by method.' },
  { name: 'record-responses', value: 'path', hidden: true, help: 'Appends every answer to a recording.' },
  { name: 'version', alias: 'v', help: 'Print the version.' },
  { name: 'help', alias: 'h', help: 'Print this text.' },
];

/** Throws an ExitError that says what is wrong. */
export function parseArguments(argv: readonly string[]): CliArguments {
  const values = new Map<string, string | boolean | string[]>();
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!looksLikeFlag(argument)) {
      words.push(argument);
      continue;
    }
    const { flag, isNegated, given } = readFlag(argument);
    if (flag.value === undefined) {
      values.set(toKey(flag.name), readSwitch(flag, given, isNegated));
      continue;
    }
    const next = given ?? argv[++index];
    if (next === undefined || (given === undefined && looksLikeFlag(next))) {
      throw usageError(`--${flag.name} needs a value: --${flag.name} <${flag.value}>.`);
    }
    const key = toKey(flag.name);
    values.set(key, flag.list ? [...((values.get(key) as string[] | undefined) ?? []), ...toList(next)] : next);
  }
  if (words.length > 0) values.set('query', words.join(' '));
  return checkTogether(Object.fromEntries(values));
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

function readFlag(argument: string): { flag: Flag; isNegated: boolean; given: string | undefined } {
  const equals = argument.indexOf('=');
  const spelled = equals < 0 ? argument : argument.slice(0, equals);
  const given = equals < 0 ? undefined : argument.slice(equals + 1);
  const isLong = spelled.startsWith('--');
  const name = isLong ? toKebabCase(spelled.slice(2)) : spelled.slice(1);
  const known = FLAGS.find((flag) => (isLong ? flag.name === name : flag.alias === name));
  if (known) return { flag: known, isNegated: false, given };
  const negated = FLAGS.find((flag) => isLong && flag.value === undefined && `no-${flag.name}` === name);
  if (negated) return { flag: negated, isNegated: true, given };
  throw unknownFlag(spelled, name);
}

function readSwitch(flag: Flag, given: string | undefined, isNegated: boolean): boolean {
  if (given !== undefined && given !== 'true' && given !== 'false') {
    throw usageError(`--${flag.name} is on or off; it takes no value.`);
  }
  return (given !== 'false') !== isNegated;
}

function unknownFlag(spelled: string, name: string): ExitError {
  const documented = FLAGS.filter(({ hidden }) => !hidden).map((flag) => flag.name);
  const guess = nearest(name, documented);
  return usageError(`there is no flag ${spelled}.${guess ? ` Did you mean --${guess}?` : ''}`);
}

function checkTogether(args: CliArguments): CliArguments {
  if (args.prompt !== undefined && args.query !== undefined) {
    throw usageError('give the prompt either with --prompt (-p) or as words after the flags, not both.');
  }
  if (args.yolo && args.approvalMode !== undefined) {
    throw usageError('use --yolo (-y) or --approval-mode, not both; --approval-mode yolo is the same as --yolo.');
  }
  const { outputFormat = 'text' } = args;
  if (!['text', 'json', 'stream-json'].includes(outputFormat)) {
    throw usageError(`--output-format must be text, json or stream-json, not ${JSON.stringify(outputFormat)}.`);
  }
  return args;
}

function usageError(sentence: string): ExitError {
  return new ExitError(ExitCode.Failure, `${sentence}\nFor the flags: castor --help`);
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function toKey(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Readable in 80 columns. */
export function helpText(): string {
  const rows = FLAGS.filter(({ hidden }) => !hidden).map(({ name, alias, value, help }) => {
    const spelling = `${alias ? `-${alias}, ` : '    '}--${name}${value ? ` <${value}>` : ''}`;
    return `  ${spelling.padEnd(30)}  ${wrap(help, 46, ' '.repeat(34))}`;
  });
  return `Usage: castor [flags] [prompt]

A terminal coding agent. Answers one prompt and prints the answer:

  castor -p "What does this error mean?" < build.log
  castor --model offline "What is in this folder?"
  castor -y -p "Fix the failing test and say what was wrong."

Commands:
  castor policy explain '<command>'   Which rule decides on a shell command
  castor policy test [files]          Run the examples beside the rules

Flags:
${rows.join('\n')}

Environment:
  GEMINI_API_KEY            Your key, from https://aistudio.google.com/apikey
  GOOGLE_GEMINI_BASE_URL    Another address for the API, such as a gateway
  GEMINI_MODEL              The model, unless --model names one
  CASTOR_OFFLINE=1          Use the built-in offline model; nothing is sent

Exit codes:
  0 answered · 1 failed · 41 no valid credentials · 42 no input
  52 bad setting · 53 turn limit · 54 a tool failed for good
  55 folder not trusted · 130 interrupted · 143 terminated
`;
}

function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}
