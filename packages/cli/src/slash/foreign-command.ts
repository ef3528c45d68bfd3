/**
 * Expands the prompt of a command of Claude Code or codex: `$ARGUMENTS`, `$1`, `$NAME`, !`command` and `@file`. The
 * prompt is parsed once; text from arguments, files and commands is never parsed. Its `allowed-tools` only restricts.
 */

import type { CommandFile } from '@castor/core/program';
import { PlaceholderError, quoteForShell } from './placeholders.ts';
import type { Segment } from './placeholders.ts';

const CLAUDE = /!`([^`\n]+)`|(?<![\w`@])@([\w~./-][^\s`'")\]]*)|\$(ARGUMENTS(?:\[\d+\])?|\d)/g;
const CODEX = /(\$\$)|\$(ARGUMENTS|\d|[A-Z][A-Z0-9_]*)/g;
const IN_SHELL = /\$(ARGUMENTS|\d)/g;

export interface ExpandedCommand {
  segments: readonly Segment[];
  takesArguments: boolean;
  notes: string[];
}

/** Throws PlaceholderError for a command that its own `allowed-tools` excludes. */
export function expandForeign(file: CommandFile, args: string): ExpandedCommand {
  const words = splitWords(args);
  const segments =
    file.syntax === 'codex' ? expandCodex(file.prompt, args, words) : expandClaude(file.prompt, args, words);
  requireAllowed(file, segments.parsed);
  const { model, allowedTools } = file;
  const notes =
    model === undefined ? [] : [`The model ${model} that ${file.file} asks for is not used; /model changes the model.`];
  const only = allowedTools === undefined ? [] : [{ kind: 'text', text: describeAllowed(allowedTools) } as const];
  return { segments: [...segments.parsed, ...only], takesArguments: segments.hasPlaceholder, notes };
}

interface Parsed {
  parsed: Segment[];
  hasPlaceholder: boolean;
}

function expandClaude(prompt: string, args: string, words: readonly string[]): Parsed {
  return parse(prompt, CLAUDE, ([raw, command, path, name]) => {
    if (command !== undefined) {
      const filled = command.replaceAll(IN_SHELL, (_all, key: string) => quoteForShell(valueOf(key, args, words)));
      return { segment: { kind: 'shell', command: filled.trim() }, isPlaceholder: IN_SHELL.test(command) };
    }
    if (path !== undefined) {
      // `@someone` is a name, not a file.
      if (!/[./]/.test(path)) return { segment: { kind: 'text', text: raw } };
      const [, name_ = path, rest = ''] = /^(.*?)([.,;:!?]*)$/.exec(path) ?? [];
      return { segment: { kind: 'file', path: name_, raw: `@${name_}` }, after: rest };
    }
    return { segment: { kind: 'text', text: valueOf(name ?? '', args, words) }, isPlaceholder: true };
  });
}

function expandCodex(prompt: string, args: string, words: readonly string[]): Parsed {
  const named = new Map(words.flatMap((word) => (/^[A-Z][A-Z0-9_]*=/.test(word) ? [cut(word)] : [])));
  const rest = words.filter((word) => !/^[A-Z][A-Z0-9_]*=/.test(word));
  return parse(prompt, CODEX, ([raw, dollars, name = '']) => {
    if (dollars !== undefined) return { segment: { kind: 'text', text: '$' } };
    if (/^[A-Z]/.test(name) && name !== 'ARGUMENTS') {
      const value = named.get(name);
      return { segment: { kind: 'text', text: value ?? raw }, isPlaceholder: value !== undefined };
    }
    return { segment: { kind: 'text', text: valueOf(name, args, rest) }, isPlaceholder: true };
  });
}

interface Found {
  segment: Segment;
  isPlaceholder?: boolean;
  after?: string;
}

function parse(prompt: string, pattern: RegExp, toFound: (groups: (string | undefined)[] & [string]) => Found): Parsed {
  const parsed: Segment[] = [];
  let hasPlaceholder = false;
  let position = 0;
  for (const match of prompt.matchAll(pattern)) {
    if (match.index > position) parsed.push({ kind: 'text', text: prompt.slice(position, match.index) });
    const { segment, isPlaceholder = false, after = '' } = toFound([...match] as [string]);
    parsed.push(segment, ...(after === '' ? [] : [{ kind: 'text', text: after } as const]));
    hasPlaceholder ||= isPlaceholder;
    position = match.index + match[0].length;
  }
  if (position < prompt.length) parsed.push({ kind: 'text', text: prompt.slice(position) });
  return { parsed, hasPlaceholder };
}

/** `ARGUMENTS`, `ARGUMENTS[0]`, or the number of a word, from 1. */
function valueOf(name: string, args: string, words: readonly string[]): string {
  if (name === 'ARGUMENTS') return args;
  const index = /\[(\d+)\]/.exec(name)?.[1];
  return words[index === undefined ? Number(name) - 1 : Number(index)] ?? '';
}

/** As a shell splits them, without expanding anything. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

function cut(word: string): [string, string] {
  const sign = word.indexOf('=');
  return [word.slice(0, sign), word.slice(sign + 1)];
}

/** The author's list excludes a command that the prompt itself runs. The user's policy still judges what is left. */
function requireAllowed({ allowedTools }: CommandFile, segments: readonly Segment[]): void {
  if (allowedTools === undefined) return;
  for (const segment of segments) {
    if (segment.kind !== 'shell' || allowedTools.some((entry) => allowsCommand(entry, segment.command))) continue;
    throw new PlaceholderError(`its allowed-tools do not include the command ${segment.command}`);
  }
}

/** `Bash`, `Bash(*)`, `Bash(git status)`, `Bash(git add:*)` or `Bash(git add *)`. */
function allowsCommand(entry: string, command: string): boolean {
  const [, inner] = /^Bash(?:\((.*)\))?$/s.exec(entry.trim()) ?? [undefined, ' '];
  if (inner === undefined || inner === '*') return true;
  const prefix = /^(.*?)\s*:?\*$/s.exec(inner)?.[1];
  if (prefix === undefined) return command === inner.trim();
  return command === prefix || command.startsWith(`${prefix} `);
}

function describeAllowed(tools: readonly string[]): string {
  return `\n\nFor this request use only these tools, by the names another agent gives them: ${tools.join(', ')}.`;
}
