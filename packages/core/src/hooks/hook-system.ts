/**
 * HookSystem: fires an event. It selects the hooks, runs them in parallel or in sequence, and
 * merges their outputs. A failed hook has no output and is named in a warning; only an abort
 * is thrown. The callers act on the output.
 */

import type { Clock } from '../util/clock.ts';
import type { HookEntry } from './hook-config.ts';
import { toHookCommand } from './hook-command.ts';
import type { HookVariables } from './hook-command.ts';
import type { HookEventName, HookExecution, HookOutput, HookPayloads } from './hook-events.ts';
import { chooseHooks } from './hook-matching.ts';
import { mergeOutputs, mergeRequests } from './hook-merge.ts';
import { readHookAnswer } from './hook-output.ts';
import type { HookAnswer } from './hook-output.ts';
import type { HookRun, HookRunner } from './hook-runner.ts';

export interface HookMessage {
  hookEvent: HookEventName;
  level: 'info' | 'warning';
  message: string;
}

export interface HookSystemOptions {
  /** The hooks that may run, in their order. */
  entries: readonly HookEntry[];
  runner: Pick<HookRunner, 'run'>;
  clock: Clock;
  sessionId: string;
  cwd: string;
  plansDirectory: string;
  transcriptPath: () => string;
  /** A hook's environment, including its own variables where they are allowed. */
  environmentOf: (entry: HookEntry) => Readonly<Record<string, string>>;
  onMessage: (message: HookMessage) => void;
  /** Called for every run of a hook. */
  onExecution?: (execution: HookExecution) => void;
}

/** One hook and its result. */
export interface FiredHook {
  entry: HookEntry;
  run: HookRun;
  answer: HookAnswer;
}

const KEPT_IN_RECORD = 64 * 1024;
/** Limits the warnings of hooks that keep failing in new ways. */
const MOST_WARNINGS = 100;

export class HookSystem {
  private readonly options: HookSystemOptions;
  private entries: readonly HookEntry[];
  private events: ReadonlySet<HookEventName>;
  /** The same failure of the same hook is reported once. */
  private readonly warned = new Set<string>();

  constructor(options: HookSystemOptions) {
    this.options = options;
    this.entries = options.entries;
    this.events = eventsOf(this.entries);
  }

  /** Enables or disables hooks by name for the rest of the session; returns whether one of that name exists. */
  setEnabled(name: string, isEnabled: boolean): boolean {
    this.entries = this.entries.map((entry) => (entry.name === name ? { ...entry, isDisabled: !isEnabled } : entry));
    this.events = eventsOf(this.entries);
    return this.entries.some((entry) => entry.name === name);
  }

  /** Whether an enabled hook exists for this event. */
  has(event: HookEventName): boolean {
    return this.events.has(event);
  }

  /** Rejects with AbortError only. */
  async fire<E extends HookEventName>(event: E, payload: HookPayloads[E], signal: AbortSignal): Promise<HookOutput> {
    const fired = await this.run(event, payload, signal);
    this.warn(event, fired);
    return mergeOutputs(fired.flatMap(({ answer }) => answer.output ?? []));
  }

  /** Runs the hooks and returns each with its output, for inspection. */
  async run<E extends HookEventName>(event: E, payload: HookPayloads[E], signal: AbortSignal): Promise<FiredHook[]> {
    const { entries, isSequential } = chooseHooks(this.entries, event, triggerOf(payload));
    if (!isSequential) return Promise.all(entries.map((entry) => this.runOne(entry, event, payload, signal)));
    const fired: FiredHook[] = [];
    let next: object = payload;
    for (const entry of entries) {
      const one = await this.runOne(entry, event, next, signal);
      fired.push(one);
      if (one.answer.output) next = feed(next, one.answer.output);
    }
    return fired;
  }

  private async runOne(
    entry: HookEntry,
    event: HookEventName,
    payload: object,
    signal: AbortSignal,
  ): Promise<FiredHook> {
    const { runner, cwd, clock, sessionId, transcriptPath } = this.options;
    const base = {
      session_id: sessionId,
      transcript_path: transcriptPath(),
      cwd,
      hook_event_name: event,
      timestamp: new Date(clock.now()).toISOString(),
    };
    const input = JSON.stringify({ ...base, ...payload });
    const hook = {
      command: toHookCommand(entry.command, process.platform),
      cwd,
      env: { ...this.options.environmentOf(entry), ...this.variables() },
      input,
      timeoutMs: entry.timeoutMs,
    };
    const run = await runner.run(hook, signal);
    const answer = readHookAnswer(run);
    this.options.onExecution?.(toExecution(entry, input, run, answer));
    return { entry, run, answer };
  }

  private variables(): HookVariables {
    const { cwd, plansDirectory, sessionId } = this.options;
    return {
      GEMINI_PROJECT_DIR: cwd,
      GEMINI_CWD: cwd,
      GEMINI_PLANS_DIR: plansDirectory,
      GEMINI_SESSION_ID: sessionId,
      CLAUDE_PROJECT_DIR: cwd,
    };
  }

  private warn(event: HookEventName, fired: readonly FiredHook[]): void {
    const failed = fired.filter(({ answer }) => answer.failure !== undefined);
    if (failed.length > 0) {
      const names = failed.map(({ entry }) => labelOf(entry)).join(', ');
      const details = failed.map(({ entry, answer }) => `${labelOf(entry)}: ${answer.failure}.`).join(' ');
      this.warnOnce(event, `Hook(s) [${names}] failed for event ${event}. ${details}`);
    }
    for (const { entry, answer } of fired) {
      for (const problem of answer.problems) this.warnOnce(event, `The hook ${labelOf(entry)} (${event}) ${problem}.`);
    }
  }

  private warnOnce(hookEvent: HookEventName, message: string): void {
    if (this.warned.has(message) || this.warned.size >= MOST_WARNINGS) return;
    this.warned.add(message);
    this.options.onMessage({ hookEvent, level: 'warning', message });
  }
}

function eventsOf(entries: readonly HookEntry[]): Set<HookEventName> {
  return new Set(entries.filter(({ isDisabled }) => !isDisabled).map(({ event }) => event));
}

/** A multi-line command is not readable as a name. */
function labelOf({ name }: HookEntry): string {
  const [line = ''] = name.split('\n', 1);
  return line.length < name.length || line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** The matcher's subject; undefined for events without one. */
function triggerOf(payload: object): string | undefined {
  const { tool_name, source, reason, trigger } = payload as Record<string, string | undefined>;
  return tool_name ?? source ?? reason ?? trigger;
}

/** The input of the next hook in a sequence, after this one's output. */
function feed(payload: object, { hookSpecificOutput: said = {} }: HookOutput): object {
  const { prompt, tool_input, llm_request } = payload as Partial<Record<string, unknown>>;
  return {
    ...payload,
    ...(said.additionalContext && typeof prompt === 'string' && { prompt: `${prompt}\n\n${said.additionalContext}` }),
    ...(said.tool_input && { tool_input: { ...(tool_input as object), ...said.tool_input } }),
    ...(said.llm_request && { llm_request: mergeRequests(llm_request as object, said.llm_request) }),
  };
}

function toExecution(entry: HookEntry, input: string, run: HookRun, answer: HookAnswer): HookExecution {
  const isSilent = answer.output?.suppressOutput === true;
  return {
    hookEventName: entry.event,
    hookType: 'command',
    hookName: entry.name,
    durationMs: run.durationMs,
    success: run.exitCode === 0 && run.failure === undefined,
    ...(run.exitCode !== null && { exitCode: run.exitCode }),
    input,
    ...(!isSilent && {
      ...(answer.output && { output: JSON.stringify(answer.output) }),
      stdout: run.stdout.slice(0, KEPT_IN_RECORD),
      stderr: run.stderr.slice(0, KEPT_IN_RECORD),
    }),
    ...(answer.failure !== undefined && { error: answer.failure }),
  };
}
