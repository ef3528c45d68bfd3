/**
 * Parses a hook's output and exit code. JSON counts whatever the exit code; the exit code
 * decides the meaning of other text; a failed hook has no output. Every field is validated;
 * an invalid one is reported and dropped. Pure.
 */

import { withoutUndefined } from '../util/without-undefined.ts';
import { HOOK_DECISIONS, TOOL_MODES } from './hook-events.ts';
import type { HookOutput, HookSpecificOutput } from './hook-events.ts';
import type { HookRun } from './hook-runner.ts';
import { isRecord } from '../util/is-record.ts';

export interface HookAnswer {
  output?: HookOutput;
  /** Why the hook has no output. */
  failure?: string;
  /** Warnings for the author of the hook. */
  problems: string[];
}

/** Plain text is for users; context for the model may be longer. */
const LONGEST_TEXT = 16_000;
const LONGEST_CONTEXT = 100_000;
/** Exit codes of a shell from here on mean that no command could run, or that a signal ended it. */
const COULD_NOT_RUN = 126;
const UNREADABLE_COMMAND = /^\S*sh: -c: line \d+: (syntax error|unexpected EOF)/;

export function readHookAnswer(run: HookRun): HookAnswer {
  const problems: string[] = [];
  if (run.failure !== undefined) return { failure: run.failure, problems };
  if (run.leftOut > 0) problems.push(`printed ${run.leftOut} bytes beyond the limit; Castor ignored them`);
  const text = printed(run);
  // Text that a child of the hook prints after the hook's exit is not part of the hook's output.
  const parsed = parseObject(text) ?? (run.atExit && parseObject(printed(run.atExit)));
  if (parsed) return { output: readOutput(parsed, problems), problems };
  if (looksLikeMixedJson(text)) {
    problems.push(
      'printed text besides its JSON, so Castor ignored the JSON: print only JSON on stdout, and the rest on stderr',
    );
  }
  return { ...readText(cut(text, LONGEST_TEXT), run.exitCode ?? 0), problems };
}

function printed({ stdout, stderr }: Pick<HookRun, 'stdout' | 'stderr'>): string {
  return stdout.trim() || stderr.trim();
}

/** Interprets text that is not JSON by the exit code. */
function readText(text: string, exitCode: number): Pick<HookAnswer, 'output' | 'failure'> {
  if (exitCode === 0) return text ? { output: { decision: 'allow', systemMessage: text } } : {};
  const exited = `it exited with code ${exitCode}`;
  if (exitCode >= COULD_NOT_RUN && exitCode !== 255)
    return { failure: text ? `${exited}: ${firstLine(text)}` : exited };
  if (exitCode === 1) {
    return { failure: exited, ...(text && { output: { decision: 'allow', systemMessage: `Warning: ${text}` } }) };
  }
  // The shell uses the same code as a denial: the hook itself has not run.
  if (UNREADABLE_COMMAND.test(text)) return { failure: `its command has a syntax error: ${firstLine(text)}` };
  if (text) return { output: { decision: 'deny', reason: text } };
  return exitCode === 2 ? { output: { decision: 'deny' } } : { failure: exited };
}

/** A JSON object, or one wrapped in a JSON string. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    let value: unknown = JSON.parse(text);
    if (typeof value === 'string') value = JSON.parse(value);
    return isRecord(value) ? value : undefined;
  } catch {
    // Text that is not JSON is valid output.
    return undefined;
  }
}

function looksLikeMixedJson(text: string): boolean {
  return /^\s*\{/m.test(text) && /"(decision|continue|systemMessage|reason|hookSpecificOutput)"\s*:/.test(text);
}

function readOutput(value: Record<string, unknown>, problems: string[]): HookOutput {
  const read = new Fields(value, problems);
  const specific = read.record('hookSpecificOutput');
  const inner = specific && new Fields(specific, problems);
  // Other agents' names for the same two fields.
  const decision = read.choice('decision', HOOK_DECISIONS) ?? inner?.choice('permissionDecision', HOOK_DECISIONS);
  const reason = read.text('reason', LONGEST_CONTEXT) ?? inner?.text('permissionDecisionReason', LONGEST_CONTEXT);
  return withoutUndefined({
    continue: read.flag('continue'),
    stopReason: read.text('stopReason', LONGEST_CONTEXT),
    suppressOutput: read.flag('suppressOutput'),
    systemMessage: read.text('systemMessage', LONGEST_TEXT),
    decision,
    reason,
    hookSpecificOutput: inner && readSpecific(inner, problems),
  });
}

function readSpecific(read: Fields, problems: string[]): HookSpecificOutput {
  return withoutUndefined({
    hookEventName: read.text('hookEventName', LONGEST_TEXT),
    additionalContext: read.text('additionalContext', LONGEST_CONTEXT),
    tool_input: read.record('tool_input') ?? read.record('updatedInput'),
    tailToolCallRequest: readTailCall(read.record('tailToolCallRequest'), problems),
    clearContext: read.flag('clearContext'),
    llm_request: read.record('llm_request'),
    llm_response: read.record('llm_response'),
    toolConfig: readToolConfig(read.record('toolConfig'), problems),
  });
}

function readTailCall(
  value: Record<string, unknown> | undefined,
  problems: string[],
): HookSpecificOutput['tailToolCallRequest'] {
  if (!value) return undefined;
  const { name, args = {} } = value;
  if (typeof name === 'string' && name !== '' && isRecord(args)) return { name, args };
  problems.push('returned a "tailToolCallRequest" without a "name" and an object "args"; Castor ignored it');
  return undefined;
}

function readToolConfig(
  value: Record<string, unknown> | undefined,
  problems: string[],
): HookSpecificOutput['toolConfig'] {
  if (!value) return undefined;
  const mode = new Fields(value, problems).choice('mode', TOOL_MODES);
  const { allowedFunctionNames: names } = value;
  const isList = Array.isArray(names) && names.every((name) => typeof name === 'string');
  if (names !== undefined && !isList)
    problems.push('returned "allowedFunctionNames" that are not a list of strings; Castor ignored them');
  return withoutUndefined({ mode, allowedFunctionNames: isList ? names : undefined });
}

/** Typed views of an unknown object; a field of an invalid type is reported and counts as missing. */
class Fields {
  private readonly value: Record<string, unknown>;
  private readonly problems: string[];

  constructor(value: Record<string, unknown>, problems: string[]) {
    this.value = value;
    this.problems = problems;
  }

  text(name: string, longest: number): string | undefined {
    const text = this.take(name, 'a string', (value) => typeof value === 'string');
    return text === undefined || text === '' ? undefined : cut(text, longest);
  }

  flag(name: string): boolean | undefined {
    return this.take(name, 'true or false', (value) => typeof value === 'boolean');
  }

  record(name: string): Record<string, unknown> | undefined {
    return this.take(name, 'an object', isRecord);
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const isChoice = (value: unknown): value is T => choices.some((choice) => choice === value);
    return this.take(name, `one of ${choices.join(', ')}`, isChoice);
  }

  private take<T>(name: string, expected: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.value[name];
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value;
    const given = cut(JSON.stringify(value), 80);
    this.problems.push(`returned "${name}" that must be ${expected}, not ${given}; Castor ignored it`);
    return undefined;
  }
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… [${text.length - longest} characters omitted]`;
}

function firstLine(text: string): string {
  return cut(text.split('\n', 1)[0] ?? '', 300);
}
