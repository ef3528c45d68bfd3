/**
 * Commands of Gemini CLI that Castor has nothing for. Who types one is told so: as words it
 * would cost a request, and be answered by guessing. Commands of the person's own come first.
 */

import { failure } from './command.ts';
import type { FoundCommand } from './command.ts';

interface Absent {
  readonly sentence: string;
  readonly subCommands?: string;
}

const ABSENT: Readonly<Record<string, Absent>> = {
  agents: { sentence: 'Castor has no sub-agents yet.', subCommands: 'list reload refresh enable disable config' },
  'bug-memory': { sentence: 'Castor takes no heap snapshots; /bug says what a report needs.' },
  extensions: {
    sentence: 'Castor has no extensions yet.',
    subCommands: 'list update disable enable install link uninstall delete explore config restart',
  },
  gemma: { sentence: 'Castor runs no local models; /model lists those it can use.' },
  ide: { sentence: 'Castor has no companion in an editor yet.', subCommands: 'status install enable disable' },
  mcp: {
    sentence: 'Castor has no MCP servers yet.',
    subCommands: 'list ls nodesc desc schema auth reload refresh enable disable',
  },
  restore: { sentence: 'Castor keeps no checkpoints; /rewind goes back and undoes the edits since.' },
  'setup-github': { sentence: 'Castor sets up nothing at GitHub.' },
  skills: { sentence: 'Castor has no skills yet.', subCommands: 'list link enable disable reload refresh' },
  upgrade: { sentence: 'Castor has no plans to upgrade; /auth takes another key.' },
  voice: { sentence: 'Castor does not listen.' },
};

/** Only as it is written there: "/ide or not" is a sentence for the model. */
export function findAbsent(text: string): FoundCommand | undefined {
  const [name = '', sub, ...rest] = text.trim().slice(1).split(/\s+/);
  const absent = text.trim().startsWith('/') && Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
  if (!absent) return undefined;
  const { sentence, subCommands = '' } = absent;
  const isCommand = sub === undefined || (rest.length <= 1 && subCommands.split(' ').includes(sub));
  if (!isCommand) return undefined;
  const run = () => failure(`${sentence} /help lists the commands there are.`);
  return {
    command: { name, description: sentence, source: 'builtin', runsHeadless: true, runsWhileBusy: true, run },
    path: name,
    args: '',
  };
}
