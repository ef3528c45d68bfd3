/** Draws the composer. It only reads; the controller owns everything. */

import { useSyncExternalStore } from 'react';
import type { ComposerController, ComposerSnapshot } from '../input/composer-contract.ts';
import type { Styles } from '../theme/styles.ts';
import { composerRows } from './composer-rows.ts';
import { Rows } from './rows.tsx';

export interface ComposerProps {
  readonly controller: ComposerController;
  readonly styles: Styles;
}

export function Composer({ controller, styles }: ComposerProps) {
  return <Rows rows={composerRows(useComposer(controller), styles)} />;
}

export function useComposer(controller: ComposerController): ComposerSnapshot {
  return useSyncExternalStore(controller.subscribe, controller.getSnapshot);
}
