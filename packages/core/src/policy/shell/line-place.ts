/**
 * Determines the folders in which a line works: which of its paths lie in the workspace,
 * and which file names there would change the meaning of a command. It reads file names
 * only.
 */

import { resolve } from 'node:path';
import { dashNamesIn } from '../folder-contents.ts';
import { globMatches } from '../glob-matches.ts';
import { isSafeWithAnyOption } from './known-commands.ts';
import { realPathOf } from '../policy-disk.ts';
import type { EffectOptions } from './shell-effects.ts';
import { directoriesOf } from './shell-effects.ts';
import type { Leaf } from './shell-leaves.ts';
import { clipped } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { isInside } from '../../util/is-inside.ts';

export class LinePlace {
  private readonly options: EffectOptions;
  private readonly leaves: readonly Leaf[];
  private found: ReturnType<typeof directoriesOf> | undefined;

  constructor(leaves: readonly Leaf[], options: EffectOptions) {
    this.options = options;
    this.leaves = leaves;
  }

  /** Folders the line may be in; not `certain` when it changes to a folder that is unknown before it runs. */
  private where(): ReturnType<typeof directoriesOf> {
    const { directory, places } = this.options;
    return (this.found ??= directoriesOf(this.leaves, directory, places.home));
  }

  /** Folders the line may be in, as far as they are known before it runs. */
  get directories(): readonly string[] {
    return this.where().directories;
  }

  /** Whether the line may be in another folder than the one it starts in. */
  get isElsewhere(): boolean {
    const { directories, certain } = this.where();
    return !certain || directories.length > 1;
  }

  /** Whether the line may be in a folder outside the workspace, about whose trust nothing is known. */
  get leavesWorkspace(): boolean {
    const { directories, certain } = this.where();
    if (!certain && !this.leaves.every(staysInRepository)) return true;
    const workspace = this.options.workspace.map(realPathOf);
    return directories.slice(1).some((from) => !workspace.some((directory) => isInside(realPathOf(from), directory)));
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

  /** Whether a pattern of the command matches a file name that the command would interpret as an option. */
  findsOption(command: SimpleCommand): string | undefined {
    if (isSafeWithAnyOption(command)) return undefined;
    const end = command.words.findIndex(({ value }) => value === '--');
    const patterns = command.words
      .slice(1, end < 0 ? undefined : end)
      .filter(({ kind, value }) => kind === 'glob' && /^[*?[@!+-]/.test(value));
    if (patterns.length === 0) return undefined;
    for (const name of this.where().directories.flatMap(dashNamesIn)) {
      const pattern = patterns.find(({ value }) => globMatches(value, name));
      if (pattern) return `${pattern.text} finds the file ${clipped(name)}, which would be taken for an option`;
    }
    return undefined;
  }
}

/** `cd "$(git rev-parse --show-toplevel)"` stays in the repository of the line. */
function staysInRepository({ command: { words } }: Leaf): boolean {
  if (!/^(?:cd|pushd|popd)$/.test(words[0]?.value ?? '')) return true;
  return words.every(({ kind, text, value }) =>
    kind === 'dynamic' ? /^"?\$\(git rev-parse --show-toplevel\)"?$/.test(text) : value !== '-',
  );
}
