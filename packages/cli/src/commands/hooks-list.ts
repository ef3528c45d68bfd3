/** `castor hooks list`: prints each hook, its origin, and whether a session would run it. */

import { existsSync } from 'node:fs';
import { workspaceSettingsPath } from '@castor/core/program';
import type { InspectedHook } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { mayRun } from './find-hooks.ts';
import type { FoundHooks } from './find-hooks.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { HooksOptions } from './hooks-options.ts';
import { toJson } from '../to-json.ts';

const CONSENT: Readonly<Record<NonNullable<InspectedHook['consent']>, string>> = {
  known: 'trusted',
  first: 'trusted with the folder; announced at the next run',
  new: 'new since you consented',
  changed: 'changed since you consented',
};

export async function listHooks(
  found: FoundHooks,
  options: HooksOptions,
  context: SubcommandContext,
): Promise<ExitCode> {
  const { hooks, problems } = found;
  const { output, cwd } = context;
  for (const problem of problems) output.note(`castor: warning: ${problem}`);
  if (options.flags.has('--json')) {
    await output.answer(`${toJson(hooks.map(toRecord), { indent: 2 })}\n`);
    return ExitCode.Success;
  }
  if (isUnread(found, cwd)) output.note(`castor: ${UNREAD}`);
  await output.answer(`${describeHooks(found)}\n`);
  if (hooks.some((hook) => !mayRun(hook, found))) {
    output.note('castor: to allow new and changed hooks of this project: castor hooks trust');
  }
  return ExitCode.Success;
}

export const UNREAD = 'Castor ignored the settings of this folder, because it is not trusted.';

/** Whether the folder may have unread hooks. */
export function isUnread({ isTrusted }: FoundHooks, cwd: string): boolean {
  return !isTrusted && existsSync(workspaceSettingsPath(cwd));
}

/** A page about all hooks. */
export function describeHooks(found: FoundHooks): string {
  const { hooks } = found;
  if (hooks.length === 0) return 'No hooks. To write one, see docs/hooks.md';
  return hooks.map((hook) => describe(hook, found)).join('\n\n');
}

function stateOf(hook: InspectedHook, found: FoundHooks): string {
  const { isDisabled, consent } = hook;
  if (isDisabled) return 'disabled';
  if (consent === undefined) return 'enabled';
  const isSettled = consent === 'known' || consent === 'first';
  const end = isSettled ? '' : mayRun(hook, found) ? ', and runs because this run is trusted' : ': does not run';
  return `enabled, ${CONSENT[consent]}${end}`;
}

function describe(hook: InspectedHook, found: FoundHooks): string {
  const { event, name, command, matcher, sequential, timeoutMs, description, source, file } = hook;
  const rows: [string, string | undefined][] = [
    ['name', name === command ? undefined : name],
    ['command', command],
    ['matcher', matcher || undefined],
    ['runs', sequential ? 'sequential' : undefined],
    ['timeout', timeoutMs === 60_000 ? undefined : `${timeoutMs} ms`],
    ['about', description],
    ['from', `${source}${file === undefined ? '' : ` (${file})`}`],
    ['state', stateOf(hook, found)],
  ];
  const lines = rows.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(8)} ${text}`]));
  return [event, ...lines].join('\n');
}

function toRecord(hook: InspectedHook): object {
  const { event, name, command, matcher, sequential, timeoutMs, source, file, isDisabled, consent } = hook;
  return { event, name, command, matcher, sequential, timeoutMs, source, file, enabled: !isDisabled, consent };
}
