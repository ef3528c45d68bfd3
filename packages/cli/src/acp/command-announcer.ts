/** CommandAnnouncer: tells the editor which slash commands a prompt may begin with, again whenever they change. */

import type { AvailableCommand, SessionUpdate } from '@agentclientprotocol/sdk';
import { debugLogger } from '@castor/core';
import type { WorkspaceAgent } from '@castor/core';
import { makeVisibleLine } from '../make-visible.ts';
import type { CommandList, SlashCommand } from '../slash/command.ts';
import { openCommands } from '../slash/index.ts';
import { toListOptions } from '../start/agent-options.ts';
import type { Start } from '../start/start.ts';

export class CommandAnnouncer {
  private readonly commands: Promise<CommandList>;
  private readonly emit: (update: SessionUpdate) => void;
  private told = '';

  constructor(start: Start, agent: WorkspaceAgent, emit: (update: SessionUpdate) => void) {
    this.emit = emit;
    this.commands = openCommands(agent.sources, () => agent.servers, toListOptions(start));
    this.commands.catch((error: unknown) => debugLogger.warn('The commands could not be listed:', error));
  }

  announce(): void {
    void this.commands.then(
      ({ all }) => {
        const availableCommands = all.filter(isAvailable).map(describe);
        const text = JSON.stringify(availableCommands);
        if (text === this.told) return;
        this.told = text;
        this.emit({ sessionUpdate: 'available_commands_update', availableCommands });
      },
      () => undefined,
    );
  }
}

/** Commands that need a screen are not for an editor. */
function isAvailable({ run, runsHeadless = false, subCommands = [] }: SlashCommand): boolean {
  return (run !== undefined && runsHeadless) || subCommands.some(isAvailable);
}

function describe({ name, description, usage, subCommands = [] }: SlashCommand): AvailableCommand {
  const names = subCommands.filter(isAvailable).map((each) => each.name);
  const hint = [usage, names.join(' | ')].filter(Boolean).join(' | ');
  return { name, description: makeVisibleLine(description), ...(hint !== '' && { input: { hint } }) };
}
