/** Looks around a command for protected files that it planted where no mount could protect them, and has them moved away. */

import type { CommandSandbox } from './command-sandbox.ts';
import { linkedRepositories } from './git-folders.ts';
import { Quarantine } from './quarantine.ts';
import type { Quarantined } from './quarantine.ts';
import { realPath } from './survey-protected.ts';

/** Call the result when the command has ended. */
export function watchPlanted(
  sandbox: Pick<CommandSandbox, 'watched' | 'quarantine' | 'refresh' | 'planOf'>,
  folders: readonly string[],
): () => Quarantined[] {
  const roots = folders.flatMap((folder) => realPath(folder) ?? []);
  // Looking costs every command half a millisecond: where nothing can be written, nothing is planted.
  if (sandbox.planOf().profile === 'read-only') return () => [];
  const before = Quarantine.look(sandbox.watched());
  // `git status` of the user enters what the index names, and obeys the settings there.
  const linked = new Set(roots.flatMap((root) => linkedRepositories(root)));
  return () => {
    const added = roots.flatMap((root) => linkedRepositories(root)).filter((folder) => !linked.has(folder));
    if (added.length === 0 && !Quarantine.hasChanged(before)) return [];
    const moved = [...sandbox.quarantine.check(before), ...sandbox.quarantine.checkNew(added)];
    // What appeared and stayed is protected from now on.
    if (added.length > 0 || Quarantine.hasChanged(before)) sandbox.refresh();
    return moved;
  };
}
