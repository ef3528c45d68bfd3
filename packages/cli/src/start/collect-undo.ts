/** Removes from the store of undo what only deleted sessions needed. Loaded when some were deleted. */

import { collectUndoStore } from '@castor/core/program';
import type { Start } from './start.ts';

export async function collectUndo({ home, cwd }: Pick<Start, 'home' | 'cwd'>, currentPath?: string): Promise<void> {
  await collectUndoStore({ home, root: cwd }, currentPath);
}
