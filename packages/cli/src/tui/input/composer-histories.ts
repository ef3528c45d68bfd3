/**
 * The histories Up walks through: the prompts, and separately the commands of shell mode. Prompts submitted before the
 * histories of earlier sessions were loaded are added to them.
 */

import type { Submission } from './composer-contract.ts';
import { createInputHistory } from './input-history.ts';
import type { InputHistory } from './input-history.ts';

export interface ComposerHistories {
  entries(mode: Pick<Submission, 'isShell'>): readonly string[];
  add(submission: Submission): void;
  replace(prompts: InputHistory, commands: InputHistory | undefined): void;
}

export function createComposerHistories(
  prompts: InputHistory | undefined,
  commands: InputHistory | undefined,
): ComposerHistories {
  const early = { prompts: createInputHistory(), commands: createInputHistory() };
  let known = { prompts: prompts ?? early.prompts, commands: commands ?? early.commands };
  const historyOf = ({ isShell }: Pick<Submission, 'isShell'>) => (isShell ? known.commands : known.prompts);
  return {
    entries: (mode) => historyOf(mode).entries(),
    add: (submission) => historyOf(submission).add(submission.text),
    replace(nextPrompts, nextCommands = known.commands) {
      if (known.prompts === early.prompts) moveEntries(early.prompts, nextPrompts);
      if (known.commands === early.commands) moveEntries(early.commands, nextCommands);
      known = { prompts: nextPrompts, commands: nextCommands };
    },
  };
}

function moveEntries(from: InputHistory, to: InputHistory): void {
  if (from !== to) from.entries().forEach(to.add);
}
