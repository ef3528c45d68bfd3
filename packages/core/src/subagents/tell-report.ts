/** Tells the user what the loading of agents found: invalid files, ignored keys, agents that wait for an acknowledgement. */

import type { AgentsReport } from './agent-registry.ts';

const MAX_NAMED = 5;

export function tellReport(
  { errors, warnings, pending }: AgentsReport,
  hint: string | undefined,
  tell: (level: 'info' | 'warning', message: string) => void,
): void {
  for (const message of [...errors, ...warnings]) tell('warning', message);
  if (pending.length === 0) return;
  const names = pending.slice(0, MAX_NAMED).map(({ name }) => name);
  const rest = pending.length - names.length;
  const list = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  tell('info', `New Agents Discovered in this project, not enabled: ${list}.${hint === undefined ? '' : ` ${hint}`}`);
}
