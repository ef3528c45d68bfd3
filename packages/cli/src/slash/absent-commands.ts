/**
 * The commands of Gemini CLI that Castor does not support. Typing one reports that: as words it would cost a request,
 * and the model would guess an answer. The user's own commands take precedence.
 */

import { failure } from './command.ts';
import type { FoundCommand } from './command.ts';

interface Absent {
  readonly sentence: string;
  readonly subCommands?: string;
}

const ABSENT: Readonly<Record<string, Absent>> = {
  'bug-memory': { sentence: 'Castor does not take heap snapshots; /bug describes a bug report.' },
  gemma: { sentence: 'Castor does not run local models; /model lists the available models.' },
  'setup-github': { sentence: 'Castor does not set up GitHub.' },
  upgrade: { sentence: 'Castor has no paid plans; /auth changes the key.' },
  voice: { sentence: 'Castor does not support voice input.' },
};

/** Only the exact text: "/voice or not" is a sentence for the model. */
export function findAbsent(text: string): FoundCommand | undefined {
  const [name = '', sub, ...rest] = text.trim().slice(1).split(/\s+/);
  const absent = text.trim().startsWith('/') && Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
  if (!absent) return undefined;
  const { sentence, subCommands = '' } = absent;
  const isCommand = sub === undefined || (rest.length <= 1 && subCommands.split(' ').includes(sub));
  if (!isCommand) return undefined;
  const run = () => failure(`${sentence} /help lists the commands.`);
  return {
    command: { name, description: sentence, source: 'builtin', runsHeadless: true, runsWhileBusy: true, run },
    path: name,
    args: '',
  };
}
