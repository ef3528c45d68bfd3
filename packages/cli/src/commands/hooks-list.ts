/** `castor hooks list`: each hook, where it comes from, and whether a session would run it. */

import { existsSync } from 'node:fs';
import { workspaceSettingsPath } from '@castor/core';
import type { InspectedHook } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';
import type { FoundHooks, HooksContext, HooksOptions } from './hooks.ts';

const CONSENT: Readonly<Record<NonNullable<InspectedHook['consent']>, string>> = {
  known: 'trusted',
  first: 'trusted with the folder; announced at the next run',
  new: 'new since you consented: does not run',
  changed: 'changed since you consented: does not run',
};

export async function listHooks(found: FoundHooks, options: HooksOptions, context: HooksContext): Promise<ExitCode> {
  const { hooks, problems, isTrusted } = found;
  const { output, cwd } = context;
  for (const problem of problems) output.note(`castor: warning: ${problem}`);
  if (options.flags.has('--json')) {
    await output.answer(`${JSON.stringify(hooks.map(toRecord), null, 2)}\n`);
    return ExitCode.Success;
  }
  if (!isTrusted && existsSync(workspaceSettingsPath(cwd))) {
    output.note('castor: the settings of this folder were not read, because it is not trusted.');
  }
  const blocks = hooks.map(describe);
  await output.answer(
    blocks.length > 0 ? `${blocks.join('\n')}` : 'There are no hooks. How to write one: docs/hooks.md\n',
  );
  if (hooks.some(({ consent }) => consent === 'new' || consent === 'changed')) {
    output.note('castor: to let new and changed hooks of this project run: castor hooks trust');
  }
  return ExitCode.Success;
}

function stateOf({ isDisabled, consent }: InspectedHook): string {
  if (isDisabled) return 'disabled';
  return consent === undefined ? 'enabled' : `enabled, ${CONSENT[consent]}`;
}

/** Whether a session would run it. */
export function mayRun({ consent }: InspectedHook): boolean {
  return consent !== 'new' && consent !== 'changed';
}

function describe(hook: InspectedHook): string {
  const { event, name, command, matcher, sequential, timeoutMs, description, source, file } = hook;
  const rows: [string, string | undefined][] = [
    ['name', name === command ? undefined : name],
    ['command', command],
    ['matcher', matcher || undefined],
    ['runs', sequential ? 'in a row' : undefined],
    ['timeout', timeoutMs === 60_000 ? undefined : `${timeoutMs} ms`],
    ['about', description],
    ['from', `${source}${file === undefined ? '' : ` (${file})`}`],
    ['state', stateOf(hook)],
  ];
  const lines = rows.flatMap(([label, text]) => (text === undefined ? [] : [`  ${label.padEnd(8)} ${text}`]));
  return [event, ...lines, ''].join('\n');
}

function toRecord(hook: InspectedHook): object {
  const { event, name, command, matcher, sequential, timeoutMs, source, file, isDisabled, consent } = hook;
  return { event, name, command, matcher, sequential, timeoutMs, source, file, enabled: !isDisabled, consent };
}
