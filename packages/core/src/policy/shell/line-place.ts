/**
 * Where the commands of a line work: what lies in the workspace from there, and which
 * names of files there would change what a command means. It reads names of files only.
 */

import { resolve } from 'node:path';
import { globMatches } from '../glob-matches.ts';
import { isSafeWithAnyOption } from './known-commands.ts';
import { dashNamesIn, realPathOf } from '../policy-disk.ts';
import type { EffectOptions } from './shell-effects.ts';
import { directoriesOf } from './shell-effects.ts';
import type { Leaf } from './shell-leaves.ts';
import type { ShellWord, SimpleCommand } from './shell-line.ts';
import { isInside } from '../../util/is-inside.ts';

export class LinePlace {
  private readonly options: EffectOptions;
  private readonly leaves: readonly Leaf[];
  private found: ReturnType<typeof directoriesOf> | undefined;

  constructor(leaves: readonly Leaf[], options: EffectOptions) {
    this.options = options;
    this.leaves = leaves;
  }

  /** Folders the line may be in; not `certain` where it moves to one that is known only when it runs. */
  private where(): ReturnType<typeof directoriesOf> {
    const { directory, places } = this.options;
    return (this.found ??= directoriesOf(this.leaves, directory, places.home));
  }

  /** Whether a file of this name is in the workspace, from every folder the line may be in. */
  isInWorkspace({ value, kind }: ShellWord): boolean {
    const { directories, certain } = this.where();
    if (kind === 'dynamic' || kind === 'glob' || !certain) return false;
    return directories.every((from) => {
      const real = realPathOf(resolve(from, value));
      return this.options.workspace.some((directory) => isInside(real, realPathOf(directory)));
    });
  }

  /** Whether a pattern of the command stands for the name of a file that the command would take for an option. */
  findsOption(command: SimpleCommand): boolean {
    if (isSafeWithAnyOption(command)) return false;
    const end = command.words.findIndex(({ value }) => value === '--');
    const patterns = command.words
      .slice(1, end < 0 ? undefined : end)
      .filter(({ kind, value }) => kind === 'glob' && /^[*?[@!+-]/.test(value));
    if (patterns.length === 0) return false;
    const names = this.where().directories.flatMap(dashNamesIn);
    return names.some((name) => patterns.some(({ value }) => globMatches(value, name)));
  }
}
