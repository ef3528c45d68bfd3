/** The consent to MCP servers of the project: at a start that finds new or changed ones, and with `/mcp trust`. */

import { getErrorMessage } from '@castor/core';
import { consentToServers, readDisabledServers } from '@castor/core/program';
import type { CommandContext } from '../../slash/command.ts';
import { chooseStartServers } from '../../start/start-servers.ts';
import type { Start } from '../../start/start.ts';
import type { App } from '../app/app.ts';
import { askAboutServers } from '../dialogs/server-consent.ts';

/** Before the agent opens: what the user agrees to starts with it. */
export async function settleServers(app: App, start: Start, signal: AbortSignal): Promise<void> {
  const { home, cwd: root, trustedFolder: trusted } = start;
  const { unsettled } = chooseStartServers(start, { ...start, trust: { trusted } }, readDisabled(home));
  if (unsettled.length === 0 || !(await askAboutServers(unsettled, app.dialogs, signal))) return;
  try {
    consentToServers(
      { root, home },
      unsettled.map(({ server }) => server),
    );
  } catch (error) {
    app.fail(`Recording your consent failed: ${getErrorMessage(error)}`);
  }
}

/** `/mcp trust`. */
export async function trustServers(app: App, { agent, signal }: CommandContext): Promise<void> {
  const unsettled = agent.servers?.unsettled ?? [];
  if (unsettled.length === 0) return app.info('No MCP server of this project waits for your consent.');
  if (!(await askAboutServers(unsettled, app.dialogs, signal))) return;
  const names = unsettled.map(({ server: { name } }) => name).join(', ');
  try {
    await agent.servers?.consent(unsettled);
    app.info(`You consented to: ${names}. /mcp shows whether they are ready.`);
  } catch (error) {
    app.fail(`Recording your consent failed: ${getErrorMessage(error)}`);
  }
}

/** The start reports an unreadable file. */
function readDisabled(home: string): string[] {
  try {
    return readDisabledServers(home);
  } catch {
    return [];
  }
}
