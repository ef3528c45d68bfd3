/** Checks for `castor doctor` the files a run reads besides its settings. Missing files are not reported. */

import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { loadCommandFiles, loadPrices, readSystemPrompt, resolveSystemPromptFile, countOf } from '@castor/core/program';
import type { Source } from '@castor/core';
import type { Configuration, Settings } from '@castor/core/program';
import { ExitError } from '../exit-codes.ts';
import { findDirectories } from '../start/include-directories.ts';
import { CONTAINER_KINDS } from '../start/may-need-container.ts';
import { chooseSandbox, kindOfSandbox, NO_SANDBOX_HINT } from '../start/sandbox.ts';
import { refuseMissing } from '../start/start.ts';
import { findUnknownSettings } from '../start/unknown-settings.ts';
import { describeUnreadCommands } from '../start/unread-commands.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import type { Check } from './doctor-check.ts';

/** One check for each file. */
export function checkUnknownKeys({ layers }: Configuration): Check[] {
  return layers.flatMap((layer) => {
    const found = findUnknownSettings({ layers: [layer] });
    if (found.length === 0) return [];
    const lines = found.map(({ key, place, meant }) => {
      return `${place}: ${key}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
    const says = ['Unknown settings without effect:', ...lines].join('\n');
    return [{ topic: 'settings', status: 'missing', says }];
  });
}

/** Errors that would end every run before it began. */
export function checkWanted({ settings, environment }: Configuration): Check[] {
  try {
    refuseMissing({}, settings);
    const kind = kindOfSandbox({ args: {}, settings, environment });
    return kind === undefined || !isContainer(kind) ? [] : [checkEngine(kind, environment['PATH'] ?? '')];
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return [
      { topic: 'sandbox', status: 'problem', says: error.message, fix: 'Castor does not start until this is fixed.' },
    ];
  }
}

const isContainer = (kind: string) => (CONTAINER_KINDS as readonly string[]).includes(kind);

/** A run would start the engine; this only looks for it. */
function checkEngine(kind: string, path: string): Check {
  const engine = kind === 'runsc' ? 'docker' : kind;
  const found = path.split(delimiter).find((folder) => isAbsolute(folder) && existsSync(join(folder, engine)));
  if (found !== undefined)
    return { topic: 'sandbox', status: 'ok', says: `the whole program runs in a container: ${join(found, engine)}` };
  const fix = `Castor does not start until this is fixed. ${NO_SANDBOX_HINT}`;
  return { topic: 'sandbox', status: 'problem', says: `${engine} is not on the PATH`, fix };
}

/** Whether a run here asks for a sandbox around each command. */
export function wantsSandbox({ settings, environment }: Configuration, { home }: SubcommandContext): boolean {
  try {
    return chooseSandbox({ args: {}, settings, environment, home }) !== undefined;
  } catch {
    return false;
  }
}

export function checkSystemPrompt({ environment }: Configuration, { cwd, home }: SubcommandContext): Check[] {
  const file = resolveSystemPromptFile(environment['GEMINI_SYSTEM_MD'], { root: cwd, home });
  if (file === undefined) return [];
  try {
    const bytes = Buffer.byteLength(readSystemPrompt(file));
    return [{ topic: 'prompt', status: 'ok', says: `the system prompt comes from ${file} (${bytes} bytes)` }];
  } catch (error) {
    return [{ topic: 'prompt', status: 'problem', says: getErrorMessage(error) }];
  }
}

export function checkDirectories({ settings }: Configuration, { cwd, home }: SubcommandContext): Check[] {
  const named = settings.context.includeDirectories.map((path) => path.replace(/^~(?=$|\/)/, home));
  const { directories, warnings } = findDirectories(named, cwd);
  const problems = warnings.map((says): Check => ({ topic: 'folders', status: 'problem', says }));
  return directories.length > 0
    ? [{ topic: 'folders', status: 'ok', says: directories.join('\n') }, ...problems]
    : problems;
}

export async function checkCommands(sources: readonly Source[], { castor }: Settings): Promise<Check[]> {
  const { commands, problems } = await loadCommandFiles(sources, castor);
  const unread = await describeUnreadCommands(sources, castor);
  const found = commands.length === 0 ? [] : [`${countOf(commands.length, 'custom command')}`];
  return [
    ...found.map((says): Check => ({ topic: 'commands', status: 'ok', says })),
    ...unread.map((says): Check => ({ topic: 'commands', status: 'missing', says })),
    ...problems.map((says): Check => ({ topic: 'commands', status: 'problem', says })),
  ];
}

export async function checkPrices(home: string): Promise<Check[]> {
  const { problems } = await loadPrices(home);
  return problems.map((says) => ({ topic: 'prices', status: 'problem', says }));
}
