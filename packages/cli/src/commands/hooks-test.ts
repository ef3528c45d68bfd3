/**
 * `castor hooks test`: runs the hooks of an event by hand and shows the input, output and decision of each, and what a
 * session would do about it. A hook that a session would not run for lack of consent does not run here either.
 */

import { readFileSync } from 'node:fs';
import { HOOK_EVENTS, isRecord, tryHooks } from '@castor/core/program';
import type { HookEventName, HookOutput, HookPayloads, InspectedHook, TriedHooks } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { nearest } from '../nearest.ts';
import { mayRun } from './find-hooks.ts';
import type { FoundHooks } from './find-hooks.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { HooksOptions } from './hooks-options.ts';
import { describeEffect } from './hooks-effect.ts';
import { isUnread, UNREAD } from './hooks-list.ts';
import { isToolMatch, sampleFor } from './hooks-samples.ts';

export async function testHooks(
  found: FoundHooks,
  options: HooksOptions,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { output, cwd, home, environment } = context;
  const event = toEvent(options.operands[0] ?? '');
  for (const problem of found.problems) output.note(`castor: warning: ${problem}`);
  const chosen = found.hooks.filter(
    (hook) => hook.event === event && (options.name === undefined || hook.name === options.name),
  );
  const hooks = chosen.filter((hook) => mayRun(hook, found));
  for (const { name } of chosen.filter((hook) => !mayRun(hook, found))) {
    output.note(`castor: ${name} did not run: it is new or changed since your consent. To consent: castor hooks trust`);
  }
  if (isUnread(found, cwd)) output.note(`castor: ${UNREAD}`);
  if (hooks.length === 0) {
    const which = options.name === undefined ? '' : ` "${options.name}"`;
    output.note(`castor: no hook${which} for ${event}. To list the hooks: castor hooks list`);
    return ExitCode.Failure;
  }
  const payload = {
    ...sampleFor(
      event,
      hooks.map(({ matcher }) => matcher),
    ),
    ...readInput(options.input),
  } as HookPayloads[HookEventName];
  const { signal } = new AbortController();
  const tried = await tryHooks(event, payload, { hooks, root: cwd, home, environment, signal });
  await output.answer(describe(event, tried, hooks));
  const isClean = tried.fired.every(({ answer }) => answer.failure === undefined && answer.problems.length === 0);
  return isClean ? ExitCode.Success : ExitCode.Failure;
}

function toEvent(word: string): HookEventName {
  const event = HOOK_EVENTS.find((name) => name.toLowerCase() === word.toLowerCase());
  if (event) return event;
  const hint = nearest(word, HOOK_EVENTS);
  const meant = hint ? ` Did you mean ${hint}?` : '';
  throw new ExitError(ExitCode.Failure, `unknown event ${word}.${meant} The events are ${HOOK_EVENTS.join(', ')}.`);
}

function readInput(path: string | undefined): object {
  if (path === undefined) return {};
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new ExitError(ExitCode.Input, `the input is not readable: ${(error as Error).message}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new ExitError(ExitCode.Input, `${path} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new ExitError(ExitCode.Input, `${path} must contain a JSON object.`);
}

function describe(
  event: HookEventName,
  { payload, fired, together }: TriedHooks,
  hooks: readonly InspectedHook[],
): string {
  const blocks = fired.map(({ entry, run, answer }) => {
    const { name, command } = entry;
    const { matcher = '' } = hooks.find((hook) => hook.name === name && hook.command === command) ?? {};
    const { tool_name: tool } = payload as { tool_name?: string };
    const isMissed = tool !== undefined && !isToolMatch(matcher, tool);
    const rows: [string, string | undefined][] = [
      ['command', command],
      ['matcher', isMissed ? `${matcher} (does not match ${tool}: a session would skip it)` : matcher || undefined],
      ['took', `${Math.round(run.durationMs)} ms`],
      ['exit code', run.exitCode === null ? 'none' : String(run.exitCode)],
      ['stdout', run.stdout.trim() || undefined],
      ['stderr', run.stderr.trim() || undefined],
      ['decision', answer.output ? JSON.stringify(answer.output) : 'nothing'],
      ['failed', answer.failure],
      ...answer.problems.map((problem): [string, string] => ['problem', `it ${problem}`]),
    ];
    return [name === command ? 'hook' : name, ...rows.flatMap(toLines)].join('\n');
  });
  const effect = describeEffect(event, together as HookOutput);
  const told = JSON.stringify(payload, null, 2).replaceAll('\n', '\n  ');
  return `${event}\n  input, besides session_id, transcript_path, cwd, hook_event_name and timestamp:\n  ${told}\n\n${blocks.join('\n\n')}\n\nEffect: ${effect}\n`;
}

function toLines([label, text]: [string, string | undefined]): string[] {
  if (text === undefined) return [];
  const shown = text.length > 4_000 ? `${text.slice(0, 4_000)}… [${text.length - 4_000} characters more]` : text;
  return [`  ${label.padEnd(10)} ${shown.replaceAll('\n', `\n${' '.repeat(13)}`)}`];
}
