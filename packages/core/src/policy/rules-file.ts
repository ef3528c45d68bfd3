/**
 * Parses one TOML policy file into rules, safety checkers and examples. An error becomes a
 * problem that names file, line and key; the other entries are still loaded, and the
 * caller decides how to handle a problem.
 */

import type { SourceKind } from '../protocol/source.ts';
import type { ApprovalMode } from './approval-mode.ts';
import { parseApprovalMode } from './approval-mode.ts';
import type { PolicyDecision, PolicyRule, SafetyChecker } from './rule.ts';
import { effectivePriority } from './rule.ts';
import { SHELL_TOOL } from './rule-matching.ts';
import { isRecord } from '../util/is-record.ts';
import { getErrorMessage } from '../protocol/errors.ts';

export interface PolicyProblem {
  file: string;
  line?: number;
  key?: string;
  message: string;
}

/** An example next to the rules: a call and its expected decision. */
export interface RuleTest {
  toolName: string;
  args: Readonly<Record<string, unknown>>;
  mode: ApprovalMode;
  interactive: boolean;
  expect: PolicyDecision;
  file: string;
  line: number;
}

export interface RulesFile {
  rules: PolicyRule[];
  checkers: SafetyChecker[];
  tests: RuleTest[];
  problems: PolicyProblem[];
}

type Table = Record<string, unknown>;

export async function parseRulesFile(text: string, file: string, kind: SourceKind): Promise<RulesFile> {
  const { parse, TomlError } = await import('smol-toml');
  let document: Table;
  try {
    document = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split('\n')[0] ?? 'invalid TOML';
    return { rules: [], checkers: [], tests: [], problems: [{ file, line: error.line, message }] };
  }
  const reader = new FileReader(text, file, kind);
  reader.read(document);
  return reader.result;
}

const RULE_KEYS = new Set([
  ...['toolName', 'subagent', 'mcpName', 'argsPattern', 'commandPrefix', 'commandRegex', 'decision', 'priority'],
  ...['modes', 'interactive', 'toolAnnotations', 'allowRedirection', 'denyMessage'],
]);
/** `description`-like keys of other programs are harmless. */
const IGNORED_KEYS = new Set(['description', 'name', 'comment']);
const TEST_KEYS = new Set(['command', 'toolName', 'args', 'mode', 'interactive', 'expect', 'description']);
const CHECKER_KEYS = new Set([
  'toolName',
  'mcpName',
  'argsPattern',
  'commandPrefix',
  'commandRegex',
  'priority',
  'modes',
  'checker',
  'toolAnnotations',
]);
const DECISIONS: readonly PolicyDecision[] = ['allow', 'ask_user', 'deny'];

class EntryError extends Error {
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

class FileReader {
  readonly result: RulesFile = { rules: [], checkers: [], tests: [], problems: [] };
  private readonly lines: readonly string[];
  private readonly file: string;
  private readonly kind: SourceKind;

  constructor(text: string, file: string, kind: SourceKind) {
    this.lines = text.split('\n');
    this.file = file;
    this.kind = kind;
  }

  read(document: Table): void {
    const readers: Record<string, (entry: Table, line: number) => void> = {
      rule: (entry, line) => void this.result.rules.push(...this.rules(entry, line)),
      safety_checker: (entry, line) => void this.result.checkers.push(...this.checkers(entry, line)),
      test: (entry, line) => void this.result.tests.push(this.test(entry, line)),
    };
    for (const [name, entries] of Object.entries(document)) {
      // Gemini CLI keeps the bounds of its sandbox in this folder as well; sandbox/ reads them.
      if (this.file.endsWith('/sandbox.toml') && /^(?:modes|commands)$/.test(name)) continue;
      const readEntry = readers[name];
      if (readEntry === undefined || !Array.isArray(entries)) {
        this.problem(
          name,
          `"${name}" is not one of [[rule]], [[safety_checker]] and [[test]]`,
          this.lineOfKey(name, 0),
        );
        continue;
      }
      entries.forEach((entry, index) => {
        const line = this.lineOfTable(name, index);
        try {
          readEntry(entry as Table, line);
        } catch (error) {
          if (!(error instanceof EntryError)) throw error;
          this.problem(error.key, error.message, this.lineOfKey(error.key, line));
        }
      });
    }
  }

  private problem(key: string, message: string, line: number): void {
    this.result.problems.push({ file: this.file, line, key, message });
  }

  /** A line of the file, from 1. */
  private lineOfTable(name: string, index: number): number {
    let seen = -1;
    const at = this.lines.findIndex(
      (line) => new RegExp(`^\\s*\\[\\[\\s*"?${name}"?\\s*\\]\\]`).test(line) && (seen += 1) === index,
    );
    return at + 1;
  }

  private lineOfKey(key: string, from: number): number {
    for (let at = from; at < this.lines.length; at += 1) {
      const line = this.lines[at] ?? '';
      if (/^\s*\[\[/.test(line) && at >= from && from > 0) break;
      if (new RegExp(`^\\s*\\[{0,2}\\s*"?${key.replaceAll(/\W/g, '.')}\\b`).test(line)) return at + 1;
    }
    return Math.max(from, 1);
  }

  private rules(entry: Table, line: number): PolicyRule[] {
    checkKeys(entry, RULE_KEYS);
    const decision = oneOf(entry, 'decision', DECISIONS);
    const priority = priorityOf(entry);
    const modes = modesOf(entry);
    this.checkKind(decision, modes);
    const base = {
      decision,
      kind: this.kind,
      priority: effectivePriority(this.kind, priority),
      source: { name: this.file, line },
      ...optional(entry, 'subagent', isString),
      ...optional(entry, 'mcpName', isString),
      ...optional(entry, 'interactive', isBoolean),
      ...optional(entry, 'allowRedirection', isBoolean),
      ...optional(entry, 'denyMessage', isString),
      ...optional(entry, 'toolAnnotations', isRecord),
      modes,
    };
    const tools = toolNames(entry, base.mcpName !== undefined);
    const patterns = this.patterns(entry, decision, tools);
    return tools.flatMap((toolName) => patterns.map((pattern): PolicyRule => ({ ...base, toolName, ...pattern })));
  }

  private checkKind(decision: PolicyDecision, modes: readonly ApprovalMode[] | undefined): void {
    if (this.kind !== 'extension') return;
    if (decision === 'allow')
      throw new EntryError('decision', 'an extension cannot allow calls; write "ask_user" or "deny"');
    if (modes?.includes('yolo') === true) throw new EntryError('modes', 'an extension cannot set rules for yolo mode');
  }

  private patterns(entry: Table, decision: PolicyDecision, tools: readonly string[]): Partial<PolicyRule>[] {
    const given = ['argsPattern', 'commandPrefix', 'commandRegex'].filter((key) => entry[key] !== undefined);
    const [key, second] = given;
    if (key === undefined) return [{}];
    if (second !== undefined) throw new EntryError(second, `"${key}" and "${second}" cannot be in the same rule`);
    if (key !== 'argsPattern' && tools.some((tool) => tool !== SHELL_TOOL))
      throw new EntryError(key, `"${key}" applies to ${SHELL_TOOL} only`);
    const values = stringsOf(entry, key);
    if (key === 'commandPrefix') {
      if (values.some((value) => value.trim() === '')) throw new EntryError(key, 'an empty prefix would match nothing');
      return values.map((commandPrefix) => ({ commandPrefix }));
    }
    if (values.length !== 1) throw new EntryError(key, `"${key}" must be one regular expression`);
    return [{ [key]: compile(key, values[0] ?? '', decision) }];
  }

  private checkers(entry: Table, line: number): SafetyChecker[] {
    checkKeys(entry, CHECKER_KEYS);
    const checker = entry['checker'];
    if (!isRecord(checker) || !isString(checker['name']))
      throw new EntryError('checker', '"checker" must be a table with "type" and "name"');
    const modes = modesOf(entry);
    const base = {
      checker: checker['name'],
      priority: effectivePriority(this.kind, entry['priority'] === undefined ? 0 : priorityOf(entry)),
      source: { name: this.file, line },
      modes,
    };
    return toolNames(entry, true).map((toolName) => ({ ...base, toolName }));
  }

  private test(entry: Table, line: number): RuleTest {
    checkKeys(entry, TEST_KEYS);
    const expect = oneOf(entry, 'expect', DECISIONS);
    const { command, toolName, args = {}, mode = 'default', interactive = true } = entry;
    if ((command === undefined) === (toolName === undefined))
      throw new EntryError('command', 'a test needs either "command" or "toolName"');
    if (command !== undefined && !isString(command)) throw new EntryError('command', '"command" must be a string');
    if (toolName !== undefined && !isString(toolName)) throw new EntryError('toolName', '"toolName" must be a string');
    if (!isRecord(args)) throw new EntryError('args', '"args" must be a table');
    if (!isBoolean(interactive)) throw new EntryError('interactive', '"interactive" must be true or false');
    const approval = isString(mode) ? parseApprovalMode(mode) : undefined;
    if (approval === undefined) throw new EntryError('mode', `"mode" must be one of ${MODE_NAMES}`);
    const call = isString(command)
      ? { toolName: SHELL_TOOL, args: { ...args, command } }
      : { toolName: toolName ?? '', args };
    return { ...call, mode: approval, interactive, expect, file: this.file, line };
  }
}

const MODE_NAMES = 'default, autoEdit, yolo and plan';
const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

function checkKeys(entry: Table, known: ReadonlySet<string>): void {
  const unknown = Object.keys(entry).find((key) => !known.has(key) && !IGNORED_KEYS.has(key));
  if (unknown !== undefined)
    throw new EntryError(unknown, `unknown key "${unknown}"; known keys are ${[...known].join(', ')}`);
}

function optional<K extends string, T>(entry: Table, key: K, is: (value: unknown) => value is T): { [name in K]?: T } {
  const value = entry[key];
  if (value === undefined) return {};
  if (!is(value)) throw new EntryError(key, `"${key}" has the wrong type`);
  return { [key]: value } as { [name in K]?: T };
}

function oneOf<T extends string>(entry: Table, key: string, values: readonly T[]): T {
  const found = values.find((value) => value === entry[key]);
  if (found === undefined) throw new EntryError(key, `"${key}" must be one of ${values.join(', ')}`);
  return found;
}

function priorityOf(entry: Table): number {
  const { priority } = entry;
  const value = typeof priority === 'bigint' ? Number(priority) : priority;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 999) {
    throw new EntryError('priority', '"priority" is required: a whole number from 0 to 999');
  }
  return value;
}

function modesOf(entry: Table): ApprovalMode[] | undefined {
  if (entry['modes'] === undefined) return undefined;
  return stringsOf(entry, 'modes').map((text) => {
    const mode = parseApprovalMode(text);
    if (mode === undefined) throw new EntryError('modes', `"${text}" is not one of ${MODE_NAMES}`);
    return mode;
  });
}

function stringsOf(entry: Table, key: string): string[] {
  const value = entry[key];
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0 || !list.every(isString))
    throw new EntryError(key, `"${key}" must be a string or a list of strings`);
  return list;
}

function toolNames(entry: Table, mayBeAbsent: boolean): string[] {
  if (entry['toolName'] === undefined) {
    if (mayBeAbsent) return ['*'];
    if (entry['commandPrefix'] !== undefined || entry['commandRegex'] !== undefined) return [SHELL_TOOL];
    throw new EntryError('toolName', '"toolName" is required');
  }
  return stringsOf(entry, 'toolName').map((name) => {
    const [, server, tool] = /^(?!mcp_|discovered_tool_)([^*?]+?)__(.+)$/.exec(name) ?? [];
    if (server === undefined) return name === 'search_file_content' ? 'grep_search' : name;
    throw new EntryError('toolName', `write mcpName = "${server}" and toolName = "${tool}" instead of "${name}"`);
  });
}

const MAX_PATTERN = 2000;

/** A repeated group that contains a repetition can take practically forever. */
const NESTED_REPETITION = /(?<!\\)\((?:[^()\\]|\\.)*(?<!\\)[+*](?:[^()\\]|\\.)*\)(?:[+*]|\{\d+,)/;

export function compile(key: string, source: string, decision: PolicyDecision): RegExp {
  if (source.length > MAX_PATTERN) throw new EntryError(key, `the expression is longer than ${MAX_PATTERN} characters`);
  if (NESTED_REPETITION.test(source))
    throw new EntryError(key, 'a repeated group may not itself contain a repetition: matching could take forever');
  // Deny and ask patterns also match across line ends inside a word; allow patterns do not.
  const flags = decision === 'allow' ? '' : 's';
  try {
    return new RegExp(key === 'commandRegex' ? `^(?:${source})` : source, flags);
  } catch (error) {
    throw new EntryError(key, `invalid regular expression: ${getErrorMessage(error)}`);
  }
}
