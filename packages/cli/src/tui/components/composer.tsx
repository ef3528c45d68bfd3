/** Draws the composer with its list and its rule. It only reads; the controller owns everything. */

import { useSyncExternalStore } from 'react';
import type { ComposerController, ComposerSnapshot } from '../input/composer-contract.ts';
import type { Styles } from '../theme/styles.ts';
import { composerRows } from './composer-rows.ts';
import { Rows } from './rows.tsx';
import type { RuleState } from './status-rule.ts';

export interface ComposerProps {
  readonly controller: ComposerController;
  readonly rule: RuleState;
  readonly styles: Styles;
}

export function Composer({ controller, rule, styles }: ComposerProps) {
  return <Rows rows={composerRows(useComposer(controller), rule, styles)} />;
}

function useComposer(controller: ComposerController): ComposerSnapshot {
  return useSyncExternalStore(controller.subscribe, controller.getSnapshot);
}
