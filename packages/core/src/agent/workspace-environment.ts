/**
 * Looks around each command at the files of environment variables, and reports a change
 * that the policy did not foresee: to the user, to the model, and to the policy, which asks
 * before the same program runs again (docs/decisions/0041). Loaded by the first command.
 */

import { join } from 'node:path';
import { EnvironmentWatch } from '../tools/shell/environment-watch.ts';
import type { EnvironmentChange } from '../tools/shell/environment-watch.ts';
import type { Clock } from '../util/clock.ts';
import { shorten, toOneLine } from '../util/short-text.ts';
import type { PolicyAdapter } from './policy-adapter.ts';
import type { Warn } from './workspace-options.ts';

export interface EnvironmentGuardOptions {
  folders: readonly string[];
  home: string;
  tempDirectory: string;
  policy: PolicyAdapter;
  warn: Warn;
  clock: Clock;
}

const SHOWN_COMMAND = 120;

export class EnvironmentGuard {
  private readonly options: EnvironmentGuardOptions;
  private readonly watch: EnvironmentWatch;

  constructor(options: EnvironmentGuardOptions) {
    this.options = options;
    const { folders, home, tempDirectory, clock } = options;
    this.watch = new EnvironmentWatch({ folders, home, clock, keepIn: join(tempDirectory, 'kept-environment') });
  }

  /** Looks before a command; call the result when the command has ended. */
  open(command: string, directory: string): () => Promise<string | undefined> {
    const { policy, warn } = this.options;
    if (policy.mode === 'yolo') return async () => undefined;
    const compare = this.watch.open(directory);
    return async () => {
      const changes = compare();
      if (changes.length === 0 || policy.foresees(command)) return undefined;
      const told = changes.map((change) => describe(command, change)).join('\n');
      warn(told);
      await policy.noteEnvironmentWriter(command);
      return `${told}\nThe user is told. The same command asks for approval from now on.`;
    };
  }
}

function describe(command: string, { path, kind, kept }: EnvironmentChange): string {
  const shown = shorten(toOneLine(command), SHOWN_COMMAND);
  const change = `While \`${shown}\` ran, ${path} was ${kind}.`;
  if (kept !== undefined)
    return `${change} Its previous content is kept: \`cp ${quoted(kept)} ${quoted(path)}\` restores it.`;
  return kind === 'created' ? change : `${change} Its previous content could not be kept.`;
}

function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
